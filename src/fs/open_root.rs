//! A directory of the server that is open, and whether it still is the one that was given.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::Deny;
use super::path_text::lexically_clean;

/// How long a directory is taken for the one that was given: less than lies between what a person or
/// a program does to it and the next call.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// A directory that is open. A file given as a root is its directory, narrowed to that one name.
#[derive(Debug)]
pub(crate) struct OpenRoot {
    /// As given, made absolute.
    pub(super) spelled: PathBuf,
    /// With all links resolved.
    pub(super) real: PathBuf,
    pub(super) dir: Dir,
    pub(super) only: Option<OsString>,
    pub(super) deny: Arc<Deny>,
    given: PathBuf,
    /// Nothing where the system cannot tell directories apart.
    identity: Option<Identity>,
    /// When it was last compared.
    looked_at: Mutex<Instant>,
}

/// What tells a directory from every other one: its device, and its number there.
type Identity = (u64, u64);

impl OpenRoot {
    pub(super) fn open(given: &Path, deny: &Arc<Deny>) -> io::Result<OpenRoot> {
        let spelled = lexically_clean(&std::path::absolute(given)?).into_owned();
        let real = plain(fs::canonicalize(given)?);
        let is_directory = fs::metadata(&real)?.is_dir();
        let directory = if is_directory {
            real.as_path()
        } else {
            real.parent().unwrap_or(&real)
        };
        let spelled_directory = if is_directory {
            &spelled
        } else {
            spelled.parent().unwrap_or(&spelled)
        };
        let dir = Dir::open_ambient_dir(directory, ambient_authority())?;
        Ok(OpenRoot {
            identity: identity(&dir),
            dir,
            given: given.to_owned(),
            looked_at: Mutex::new(Instant::now()),
            spelled: spelled_directory.to_owned(),
            only: if is_directory {
                None
            } else {
                real.file_name().map(OsString::from)
            },
            real: directory.to_owned(),
            deny: Arc::clone(deny),
        })
    }

    /// For one that seemed to be replaced: some file systems number a directory anew at each look, and
    /// then it is never compared again.
    pub(super) fn steadied(self) -> OpenRoot {
        let identity = self.identity.filter(|_| !self.is_replaced_now());
        OpenRoot { identity, ..self }
    }

    /// The directory, or the one file, that this root allows.
    pub(super) fn path(&self) -> PathBuf {
        self.only
            .as_ref()
            .map_or_else(|| self.real.clone(), |name| self.real.join(name))
    }

    /// Whether something at this path below the directory may be reached at all.
    pub(super) fn allows(&self, below: &Path) -> bool {
        let first = below.components().next();
        match (&self.only, first) {
            (Some(only), Some(first)) => first.as_os_str() == only,
            _ => true,
        }
    }

    /// Whether the path that was given leads elsewhere by now, or nowhere, than to the directory
    /// that is held open.
    pub(super) fn is_replaced_now(&self) -> bool {
        if self.only.is_some() {
            let now = fs::canonicalize(&self.given).map(plain);
            return now.is_ok_and(|it| it != self.path()) || self.is_other(&self.real);
        }
        self.is_other(&self.given)
    }

    /// The same, looked up now and then: it would double the time that opening a file takes.
    pub(super) fn is_replaced(&self) -> bool {
        let mut looked_at = self
            .looked_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if looked_at.elapsed() < LOOK_AGAIN {
            return false;
        }
        *looked_at = Instant::now();
        drop(looked_at);
        self.is_replaced_now()
    }

    fn is_other(&self, path: &Path) -> bool {
        match Dir::open_ambient_dir(path, ambient_authority()) {
            Ok(now) => self.identity.is_some() && identity(&now) != self.identity,
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        }
    }
}

fn identity(dir: &Dir) -> Option<Identity> {
    use cap_fs_ext::MetadataExt as _;
    let metadata = dir.dir_metadata().ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Without the `\\?\` that Windows puts before resolved paths and other programs do not take.
fn plain(path: PathBuf) -> PathBuf {
    match path.to_str().and_then(|it| it.strip_prefix(r"\\?\")) {
        Some(rest) if rest.as_bytes().get(1) == Some(&b':') => PathBuf::from(rest),
        _ => path,
    }
}
