//! A configuration file on the disk: read, backed up, replaced as a whole or not at all.

use std::fs::{self, Metadata, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail};
use tempfile::{Builder, NamedTempFile};

use crate::fs::plain_words;

/// Files beside it that hold what was there before.
const MOST_BACKUPS: usize = 100;

/// How long another run is waited for, and how often it is looked for.
const TURN: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(10);

/// A file of a host, as it was read.
#[derive(Debug)]
pub(super) struct ConfigFile {
    /// As it is named to the user.
    pub(super) path: PathBuf,
    /// The file itself, where the path is a link.
    target: PathBuf,
    /// `None` if there is no file yet.
    pub(super) old: Option<Vec<u8>>,
}

impl ConfigFile {
    pub(super) fn read(path: PathBuf) -> Result<ConfigFile> {
        let found = match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(ConfigFile {
                    target: path.clone(),
                    path,
                    old: None,
                });
            }
            found => found.map_err(plain)?,
        };
        let target = match found.is_symlink() {
            true => fs::canonicalize(&path).map_err(|_| anyhow!("it is a link to nothing"))?,
            false => path.clone(),
        };
        if !fs::metadata(&target).map_err(plain)?.is_file() {
            bail!("it is not a regular file");
        }
        let old = Some(fs::read(&target).map_err(plain)?);
        Ok(ConfigFile { path, target, old })
    }

    /// Replaces the content; what was there is kept in a file beside it, whose path is returned.
    pub(super) fn replace(&self, new: &[u8]) -> Result<Option<PathBuf>> {
        let folder = self.folder();
        fs::create_dir_all(folder).map_err(plain)?;
        let _turn = turn(folder);
        let Some(old) = &self.old else {
            let draft = draft(folder, new, None).map_err(plain)?;
            let placed = draft.persist_noclobber(&self.target);
            placed.map_err(|it| plain(it.error))?;
            return Ok(None);
        };
        let like = fs::metadata(&self.target).map_err(plain)?;
        let draft = draft(folder, new, Some(&like)).map_err(plain)?;
        // The host may have written it while we looked.
        if fs::read(&self.target).map_err(plain)? != *old {
            bail!("it has just been changed by another program; try again");
        }
        let backup = self.keep(old, &like)?;
        draft.persist(&self.target).map_err(|it| plain(it.error))?;
        Ok(Some(backup))
    }

    /// Writes the old content under the first free name beside the file.
    fn keep(&self, old: &[u8], like: &Metadata) -> Result<PathBuf> {
        let mut draft = draft(self.folder(), old, Some(like)).map_err(plain)?;
        for number in 1..=MOST_BACKUPS {
            let path = self.backup(number);
            draft = match draft.persist_noclobber(&path) {
                Ok(_) => return Ok(path),
                Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => error.file,
                Err(error) => return Err(plain(error.error)),
            };
        }
        bail!("there are {MOST_BACKUPS} backups of it already; delete some")
    }

    fn folder(&self) -> &Path {
        self.target.parent().unwrap_or(Path::new(""))
    }

    /// What earlier runs kept, the newest first.
    pub(super) fn backups(&self) -> Vec<Vec<u8>> {
        let paths = (1..=MOST_BACKUPS).map(|number| self.backup(number));
        let mut backups: Vec<Vec<u8>> = paths.map_while(|it| fs::read(it).ok()).collect();
        backups.reverse();
        backups
    }

    fn backup(&self, number: usize) -> PathBuf {
        let mut name = self.target.file_name().unwrap_or_default().to_owned();
        name.push(match number {
            1 => ".bak".to_owned(),
            _ => format!(".bak-{number}"),
        });
        self.target.with_file_name(name)
    }
}

/// A file in the same directory with the content on the disk, which still has to get its name. It
/// has the mode and the owner of the file that it is like.
fn draft(folder: &Path, content: &[u8], like: Option<&Metadata>) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".filewright-");
    // What is new gets what the user's mask leaves, as from any editor.
    #[cfg(unix)]
    if like.is_none() {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut draft = builder.tempfile_in(folder)?;
    draft.write_all(content)?;
    if let Some(like) = like {
        #[cfg(unix)]
        keep_owner(draft.as_file(), like)?;
        draft.as_file().set_permissions(like.permissions())?;
    }
    draft.as_file().sync_all()?;
    Ok(draft)
}

/// Run by root, it must not take a file away from its user.
#[cfg(unix)]
fn keep_owner(file: &fs::File, like: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let own = file.metadata()?;
    if (own.uid(), own.gid()) == (like.uid(), like.gid()) {
        return Ok(());
    }
    let changed = fchown(file, Some(like.uid()), Some(like.gid()));
    // A group that its user is not in any more cannot be given, and is no reason to fail.
    if own.uid() == like.uid() {
        Ok(())
    } else {
        changed
    }
}

/// Held while a file is looked at for the last time and replaced, so that of two runs at once the
/// second sees what the first has written. Where it cannot be had in time, as before.
fn turn(folder: &Path) -> Option<fs::File> {
    let lock = open_lock(folder).ok()?;
    let deadline = Instant::now() + TURN;
    loop {
        match lock.try_lock() {
            Ok(()) => return Some(lock),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => thread::sleep(LOOK),
            Err(_) => return None,
        }
    }
}

/// The directory itself, so that no file is left behind, and none of another user is met.
#[cfg(unix)]
fn open_lock(folder: &Path) -> io::Result<fs::File> {
    fs::File::open(folder)
}

/// Directories cannot be locked there; the directory for temporary files is each user's own.
#[cfg(not(unix))]
fn open_lock(_: &Path) -> io::Result<fs::File> {
    let path = std::env::temp_dir().join("filewright-setup.lock");
    let mut options = fs::OpenOptions::new();
    options.create(true).truncate(false).write(true).open(path)
}

/// An error of the system, without its number.
fn plain(error: io::Error) -> anyhow::Error {
    anyhow!("{}", plain_words(&error))
}
