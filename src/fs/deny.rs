//! Files that are never read although they lie in a root: credential stores.

use std::path::Path;
use std::sync::OnceLock;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::path_text::lexically_clean;

/// What is denied unless the configuration says otherwise, in the syntax of `.gitignore`.
pub(crate) const DEFAULT_DENY: [&str; 21] = [
    "**/.ssh/**",
    "!**/.ssh/*.pub",
    "!**/.ssh/known_hosts",
    "!**/.ssh/config",
    "**/.gnupg/**",
    "**/.aws/credentials",
    "**/.aws/sso/**",
    "**/.azure/**",
    "**/.config/gcloud/**",
    "**/.config/gh/hosts.yml",
    "**/.kube/config",
    "**/.docker/config.json",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    "*.kdbx",
    "*.p12",
    "*.pfx",
    "id_[rd]sa",
];

/// The globs that are in force. They see a path from its root down, so that a root which itself
/// lies in such a place is allowed.
#[derive(Debug, Default)]
pub(crate) struct Deny {
    /// Compiled when first asked, if they are the default: that costs more time and memory than all
    /// the rest of the start.
    rules: OnceLock<Rules>,
}

#[derive(Debug)]
struct Rules {
    /// Everything that any glob may be about, exceptions left aside. Nearly no path is, and one look
    /// here is much cheaper than asking for the path and for each directory above it.
    suspects: GlobSet,
    exact: Gitignore,
}

impl Deny {
    /// The error names the glob that cannot be understood.
    pub(crate) fn new(globs: &[impl AsRef<str>]) -> Result<Deny, String> {
        Ok(Deny {
            rules: OnceLock::from(Rules::new(globs)?),
        })
    }

    /// Whether the file at this path below its root is denied.
    pub(super) fn holds(&self, below: &Path) -> bool {
        let clean = lexically_clean(below);
        if clean.as_os_str().is_empty() || clean.has_root() {
            return false;
        }
        // That the default can be compiled is held by a test.
        let rules = self
            .rules
            .get_or_init(|| Rules::new(&DEFAULT_DENY).unwrap_or_default());
        rules.suspects.is_match(&*clean)
            && rules
                .exact
                .matched_path_or_any_parents(&clean, false)
                .is_ignore()
    }
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            suspects: GlobSet::empty(),
            exact: Gitignore::empty(),
        }
    }
}

impl Rules {
    fn new(globs: &[impl AsRef<str>]) -> Result<Rules, String> {
        let mut exact = GitignoreBuilder::new("");
        // Some file systems do not tell case apart, and no rule here should depend on which.
        let set = exact.case_insensitive(true).map(drop);
        set.map_err(|error| error.to_string())?;
        let mut suspects = GlobSetBuilder::new();
        for glob in globs.iter().map(AsRef::as_ref) {
            let wrong = |error: &dyn std::fmt::Display| format!("{glob}: {error}");
            exact.add_line(None, glob).map_err(|error| wrong(&error))?;
            if glob.starts_with(['!', '#']) || glob.trim().is_empty() {
                continue;
            }
            let stem = glob.trim_matches('/').trim_start_matches("**/");
            for pattern in [format!("**/{stem}"), format!("**/{stem}/**")] {
                let built = GlobBuilder::new(&pattern).case_insensitive(true).build();
                suspects.add(built.map_err(|error| wrong(&error))?);
            }
        }
        Ok(Rules {
            suspects: suspects.build().map_err(|error| error.to_string())?,
            exact: exact.build().map_err(|error| error.to_string())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credential_stores_are_denied_at_any_depth_and_in_any_case() {
        Rules::new(&DEFAULT_DENY).unwrap();
        let deny = Deny::default();
        for path in [
            ".ssh/id_ed25519",
            "home/me/.SSH/key",
            ".ssh/keys/deep",
            ".netrc",
            "a/_NETRC",
            ".aws/credentials",
            ".aws/sso/cache/x.json",
            "x/.kube/config",
            "safe.KDBX",
            "a/../.netrc",
            "backup/id_rsa",
        ] {
            assert!(deny.holds(Path::new(path)), "{path}");
        }
        for path in [
            ".ssh/id_ed25519.pub",
            ".ssh/known_hosts",
            ".ssh/config",
            ".aws/config",
            "ssh/key",
            "netrc",
            "",
            "src/main.rs",
            ".ssh",
        ] {
            assert!(!deny.holds(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn the_list_can_be_emptied_and_a_bad_glob_is_named() {
        assert!(!Deny::new(&[""; 0]).unwrap().holds(Path::new(".netrc")));
        assert!(Deny::new(&["a{b", "c"]).unwrap_err().contains("a{b"));
    }
}
