//! Runs the program without the rights of root, for tests of permissions.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::launch::{Launch, program};

/// A directory that a user without rights can enter, with the program beside it.
#[derive(Debug)]
pub(crate) struct Place {
    home: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        use std::os::unix::fs::PermissionsExt;
        let home = TempDir::new().unwrap();
        fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(home.path().join("root")).unwrap();
        // A link where it can be: a copy that another thread's fork still holds open for writing does not run.
        let (built, here) = (program(), home.path().join("filewright"));
        fs::hard_link(&built, &here)
            .or_else(|_| fs::copy(&built, &here).map(drop))
            .unwrap();
        Self { home }
    }

    /// The directory to serve.
    pub(crate) fn root(&self) -> std::path::PathBuf {
        self.home.path().join("root")
    }

    /// The program for that directory, as a user that permissions hold for.
    pub(crate) fn launch(&self) -> Launch {
        use std::os::unix::process::CommandExt;
        let launch = Launch::of(self.home.path().join("filewright"), [self.root()]);
        launch.with(|command| {
            command.current_dir(self.home.path());
            if rustix::process::geteuid().is_root() {
                command.uid(65_534).gid(65_534);
            }
            command
        })
    }
}

/// Sets the permission bits of a file or directory.
pub(crate) fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}
