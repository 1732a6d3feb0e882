//! A configuration file on the disk: read, backed up, replaced as a whole or not at all.

use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use tempfile::{Builder, NamedTempFile};

/// Files beside it that hold what was there before.
const MOST_BACKUPS: usize = 100;

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
        let target = match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(ConfigFile {
                    target: path.clone(),
                    path,
                    old: None,
                });
            }
            found => {
                found?;
                fs::canonicalize(&path).context("it is a link to nothing")?
            }
        };
        if !fs::metadata(&target)?.is_file() {
            bail!("it is not a regular file");
        }
        let old = Some(fs::read(&target)?);
        Ok(ConfigFile { path, target, old })
    }

    /// Replaces the content; what was there is kept in a file beside it, whose path is returned.
    pub(super) fn replace(&self, new: &[u8]) -> Result<Option<PathBuf>> {
        let folder = self.target.parent().unwrap_or(Path::new(""));
        fs::create_dir_all(folder)?;
        let Some(old) = &self.old else {
            let draft = draft(folder, new, None)?;
            draft
                .persist_noclobber(&self.target)
                .map_err(|it| it.error)?;
            return Ok(None);
        };
        let permissions = fs::metadata(&self.target)?.permissions();
        let draft = draft(folder, new, Some(permissions.clone()))?;
        let backup = self.keep(old, permissions)?;
        // The host may have written it while we looked.
        if fs::read(&self.target)? != *old {
            bail!("it has just been changed by another program; try again");
        }
        draft.persist(&self.target).map_err(|it| it.error)?;
        Ok(Some(backup))
    }

    /// Writes the old content under the first free name beside the file.
    fn keep(&self, old: &[u8], permissions: Permissions) -> Result<PathBuf> {
        let folder = self.target.parent().unwrap_or(Path::new(""));
        let mut draft = draft(folder, old, Some(permissions))?;
        for number in 1..=MOST_BACKUPS {
            let path = self.backup(number);
            draft = match draft.persist_noclobber(&path) {
                Ok(_) => return Ok(path),
                Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => error.file,
                Err(error) => return Err(error.error.into()),
            };
        }
        bail!("there are {MOST_BACKUPS} backups of it already; delete some")
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

/// A file in the same directory with the content on the disk, which still has to get its name.
fn draft(folder: &Path, content: &[u8], permissions: Option<Permissions>) -> Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".filewright-");
    // What is new gets what the user's mask leaves, as from any editor.
    #[cfg(unix)]
    if permissions.is_none() {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(Permissions::from_mode(0o666));
    }
    let mut draft = builder.tempfile_in(folder)?;
    draft.write_all(content)?;
    if let Some(permissions) = permissions {
        draft.as_file().set_permissions(permissions)?;
    }
    draft.as_file().sync_all()?;
    Ok(draft)
}
