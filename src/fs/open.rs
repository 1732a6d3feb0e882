//! Opens what a path leads to, one component at a time, each checked on the handle before it.
//!
//! Links are followed by hand, hop by hop: one that leads into a root, this one or another, is
//! followed; one that leaves all roots is refused without touching its target.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::fs::{Dir, OpenOptions};

use super::open_root::OpenRoot;
use super::resolve::locate;
use super::roots::OpenedDir;
use super::{Error, Kind};

/// As many links as Linux follows in one path.
const MAX_LINKS: u32 = 40;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Want {
    File,
    Directory,
}

#[derive(Debug)]
pub(super) enum Reached {
    File { file: File, size: u64 },
    Directory(OpenedDir),
}

/// Opens what lies at `below` in `root`. Links may lead into any of `roots`.
pub(super) fn reach(
    root: &Arc<OpenRoot>,
    below: &Path,
    want: Want,
    roots: &[Arc<OpenRoot>],
) -> Result<Reached, Error> {
    if want == Want::File && root.deny.holds(below) {
        return Err(Error::Denied);
    }
    #[cfg(target_os = "linux")]
    if want == Want::File
        && root.only.is_none()
        && let Some(file) = open_without_links(&root.dir, below)?
    {
        return check_file(file);
    }
    let mut walk = Walk::start(root, below);
    walk.run(roots)?;
    walk.open_end(want)
}

/// Whether something is there, by the same rules.
pub(super) fn exists(
    root: &Arc<OpenRoot>,
    below: &Path,
    roots: &[Arc<OpenRoot>],
) -> Result<(), Error> {
    let mut walk = Walk::start(root, below);
    walk.run(roots)
}

/// The quick way where no link is in the path: one system call that refuses links and `..` above
/// the root (openat2(2)). Nothing when only the walk can tell.
#[cfg(target_os = "linux")]
fn open_without_links(dir: &Dir, below: &Path) -> Result<Option<File>, Error> {
    use rustix::fs::{Mode, OFlags, ResolveFlags};
    use rustix::io::Errno;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let within = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let below = if below.as_os_str().is_empty() {
        Path::new(".")
    } else {
        below
    };
    match rustix::fs::openat2(dir, below, flags, Mode::empty(), within) {
        Ok(descriptor) => Ok(Some(File::from(descriptor))),
        Err(Errno::NOENT) => Err(Error::NOT_FOUND),
        // A link, a way out, a socket, an old kernel, a race: the walk tells which.
        Err(_) => Ok(None),
    }
}

/// A position on the way: the handles from the root down, and the components still to come.
struct Walk {
    root: Arc<OpenRoot>,
    /// The directories walked into, with their names. The root itself is not in it.
    inside: Vec<(Dir, OsString)>,
    ahead: VecDeque<OsString>,
    /// Set at the end of the way: the last component, which is no directory and no link.
    end: Option<OsString>,
    links: u32,
}

impl Walk {
    fn start(root: &Arc<OpenRoot>, below: &Path) -> Walk {
        Walk {
            root: Arc::clone(root),
            inside: Vec::new(),
            ahead: components(below),
            end: None,
            links: 0,
        }
    }

    fn run(&mut self, roots: &[Arc<OpenRoot>]) -> Result<(), Error> {
        while let Some(name) = self.ahead.pop_front() {
            if name == ".." {
                self.climb(roots)?;
                continue;
            }
            if self.end.is_some() {
                return Err(Error::ParentIsFile);
            }
            if self.inside.is_empty() && self.root.only.as_ref().is_some_and(|it| *it != name) {
                return Err(self.outside());
            }
            let metadata = self.here().symlink_metadata(&name).map_err(on_the_way)?;
            if metadata.is_symlink() {
                self.follow(&name, roots)?;
            } else if metadata.is_dir() {
                let dir = self.here().open_dir_nofollow(&name);
                let is_last = self.ahead.is_empty();
                let dir = dir.map_err(|it| if is_last { it.into() } else { on_the_way(it) })?;
                self.inside.push((dir, name));
            } else {
                self.end = Some(name);
            }
        }
        Ok(())
    }

    fn here(&self) -> &Dir {
        self.inside.last().map_or(&self.root.dir, |(dir, _)| dir)
    }

    /// Where the walk stands, with all links resolved.
    fn real(&self) -> PathBuf {
        let mut path = self.root.real.clone();
        path.extend(self.inside.iter().map(|(_, name)| name));
        path
    }

    fn outside(&self) -> Error {
        if self.links == 0 {
            Error::Outside
        } else {
            Error::LinkOutside
        }
    }

    fn climb(&mut self, roots: &[Arc<OpenRoot>]) -> Result<(), Error> {
        if self.end.is_some() {
            return Err(Error::ParentIsFile);
        }
        if self.inside.pop().is_some() {
            return Ok(());
        }
        // Above this root there may be another one that holds it, or one beside it.
        let mut target = self.root.real.clone();
        target.pop();
        target.extend(self.ahead.drain(..));
        self.jump(&target, roots)
    }

    fn follow(&mut self, name: &OsStr, roots: &[Arc<OpenRoot>]) -> Result<(), Error> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(Error::TooManyLinks);
        }
        let target = self.here().read_link_contents(name)?;
        if target.has_root() || target.is_absolute() {
            let mut path = target;
            path.extend(self.ahead.drain(..));
            return self.jump(&path, roots);
        }
        for component in components(&target).into_iter().rev() {
            self.ahead.push_front(component);
        }
        Ok(())
    }

    /// Goes on from an absolute path, in whichever root holds it.
    fn jump(&mut self, path: &Path, roots: &[Arc<OpenRoot>]) -> Result<(), Error> {
        let place = locate(path, roots).ok_or_else(|| self.outside())?;
        if place.root.is_replaced() {
            return Err(Error::RootReplaced);
        }
        self.root = place.root;
        self.inside.clear();
        self.ahead = components(&place.below);
        Ok(())
    }

    fn open_end(self, want: Want) -> Result<Reached, Error> {
        let Some(name) = &self.end else {
            return self.open_directory(want);
        };
        if want == Want::Directory {
            let metadata = self.here().symlink_metadata(name)?;
            return Err(match metadata.is_file() || metadata.is_symlink() {
                true => Error::IsFile,
                false => Error::NotRegular(kind_of(&metadata)),
            });
        }
        let below: PathBuf = self
            .inside
            .iter()
            .map(|(_, name)| name)
            .chain([name])
            .collect();
        if self.root.deny.holds(&below) {
            return Err(Error::Denied);
        }
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt as _;
            let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
            options.custom_flags(flags.bits().cast_signed());
        }
        let opened = self.here().open_with(name, &options);
        match opened {
            Ok(file) => check_file(file.into_std()),
            // A socket cannot be opened at all; say what it is.
            Err(error) => Err(match self.here().symlink_metadata(name) {
                Ok(it) if !it.is_file() && !it.is_symlink() => Error::NotRegular(kind_of(&it)),
                _ => error.into(),
            }),
        }
    }

    fn open_directory(mut self, want: Want) -> Result<Reached, Error> {
        if want == Want::File {
            return Err(Error::IsDirectory);
        }
        let only = if self.inside.is_empty() {
            self.root.only.clone()
        } else {
            None
        };
        let real = self.real();
        let dir = match self.inside.pop() {
            Some((dir, _)) => dir,
            None => self.root.dir.try_clone()?,
        };
        let root = self.root;
        Ok(Reached::Directory(OpenedDir {
            dir,
            real,
            only,
            root,
        }))
    }
}

/// An error at a directory that has to be passed.
fn on_the_way(error: io::Error) -> Error {
    match error.into() {
        Error::PermissionDenied => Error::MayNotEnter,
        error => error,
    }
}

fn components(path: &Path) -> VecDeque<OsString> {
    let names = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    });
    names.collect()
}

/// Only regular files are read; anything else may block or never end.
fn check_file(file: File) -> Result<Reached, Error> {
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        Err(Error::IsDirectory)
    } else if !metadata.is_file() {
        Err(Error::NotRegular(kind_of(
            &cap_std::fs::Metadata::from_file(&file)?,
        )))
    } else {
        let size = metadata.len();
        Ok(Reached::File { file, size })
    }
}

#[cfg(unix)]
pub(super) fn kind_of(metadata: &cap_std::fs::Metadata) -> Kind {
    use cap_std::fs::FileTypeExt as _;
    let file_type = metadata.file_type();
    match () {
        () if file_type.is_fifo() => Kind::Fifo,
        () if file_type.is_socket() => Kind::Socket,
        () if file_type.is_block_device() || file_type.is_char_device() => Kind::Device,
        () => Kind::Other,
    }
}

#[cfg(not(unix))]
pub(super) fn kind_of(_: &cap_std::fs::Metadata) -> Kind {
    Kind::Other
}

/// Waits for nothing: reads what is there at an offset, as much as fits.
pub(super) fn read_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match read_once(file, offset + filled as u64, &mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(unix)]
fn read_once(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_once(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}
