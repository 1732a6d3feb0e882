//! Files that are never read although they lie in a root: credential stores.

use std::path::Path;
use std::sync::OnceLock;

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
    rules: OnceLock<Gitignore>,
}

impl Deny {
    /// The error names the glob that cannot be understood.
    pub(crate) fn new(globs: &[impl AsRef<str>]) -> Result<Deny, String> {
        Ok(Deny {
            rules: OnceLock::from(compiled(globs)?),
        })
    }

    /// Whether the file at this path below its root is denied.
    pub(super) fn holds(&self, below: &Path) -> bool {
        let clean = lexically_clean(below);
        if clean.as_os_str().is_empty() || clean.has_root() {
            return false;
        }
        // That the default can be compiled is held by a test.
        let default = || compiled(&DEFAULT_DENY).unwrap_or_else(|_| Gitignore::empty());
        let rules = self.rules.get_or_init(default);
        rules.matched_path_or_any_parents(&clean, false).is_ignore()
    }
}

fn compiled(globs: &[impl AsRef<str>]) -> Result<Gitignore, String> {
    let mut builder = GitignoreBuilder::new("");
    // Some file systems do not tell case apart, and no rule here should depend on which.
    let set = builder.case_insensitive(true).map(drop);
    set.map_err(|error| error.to_string())?;
    for glob in globs {
        let added = builder.add_line(None, glob.as_ref()).map(drop);
        added.map_err(|error| format!("{}: {error}", glob.as_ref()))?;
    }
    builder.build().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credential_stores_are_denied_at_any_depth_and_in_any_case() {
        compiled(&DEFAULT_DENY).unwrap();
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
