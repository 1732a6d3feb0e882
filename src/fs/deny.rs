//! Files that are never read although they lie in a root: credential stores.

use std::path::Path;

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
#[derive(Debug)]
pub(crate) struct Deny {
    rules: Gitignore,
}

impl Deny {
    /// The error names the glob that cannot be understood.
    pub(crate) fn new<'a>(globs: impl IntoIterator<Item = &'a str>) -> Result<Deny, String> {
        let mut builder = GitignoreBuilder::new("");
        // Some file systems do not tell case apart, and no rule here should depend on which.
        builder
            .case_insensitive(true)
            .map_err(|error| error.to_string())?;
        for glob in globs {
            builder
                .add_line(None, glob)
                .map_err(|error| format!("{glob}: {error}"))?;
        }
        let rules = builder.build().map_err(|error| error.to_string())?;
        Ok(Deny { rules })
    }

    /// Whether the file at this path below its root is denied.
    pub(super) fn holds(&self, below: &Path) -> bool {
        let clean = lexically_clean(below);
        let is_inside = !clean.as_os_str().is_empty() && !clean.has_root();
        is_inside
            && self
                .rules
                .matched_path_or_any_parents(&clean, false)
                .is_ignore()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credential_stores_are_denied_at_any_depth_and_in_any_case() {
        let deny = Deny::new(DEFAULT_DENY).unwrap();
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
        assert!(!Deny::new([]).unwrap().holds(Path::new(".netrc")));
        assert!(Deny::new(["a{b", "c"]).unwrap_err().contains("a{b"));
    }
}
