//! Why a file could not be reached or read: facts only.

use std::io;
use std::path::PathBuf;

use super::watch::Stopped;

/// What a path turned out to be, where that was not what the caller wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(unix), expect(dead_code, reason = "only Unix tells these apart"))]
pub(crate) enum Kind {
    Fifo,
    Socket,
    Device,
    Other,
}

#[derive(Debug)]
pub(crate) enum Error {
    /// The server was given no directory at all.
    NoRoots,
    /// A directory that the server was given cannot be opened now.
    RootUnusable {
        root: PathBuf,
        reason: String,
    },
    /// The path holds a NUL character.
    Nul,
    /// On Windows: a name that opens a device, or another stream of a file.
    #[cfg_attr(
        not(windows),
        expect(dead_code, reason = "only Windows has such names")
    )]
    ReservedName,
    /// A URI that names no local file.
    NotAFileUri,
    /// Outside all roots; says nothing of whether it exists.
    Outside,
    /// Inside by its name, but a link on the way leads out of all roots.
    LinkOutside,
    NotFound {
        /// Names like it that are there, below the same root.
        near: Vec<String>,
    },
    /// Several names are spelled like it, and none exactly so.
    Ambiguous(Vec<String>),
    /// Not to be read, by the configuration.
    Denied,
    IsDirectory,
    IsFile,
    /// A component before the last is a file.
    ParentIsFile,
    PermissionDenied,
    /// A directory on the way may not be entered, so that nobody knows whether the rest exists.
    MayNotEnter,
    /// The directory that the server was given is not the one that is held open.
    RootReplaced,
    NotRegular(Kind),
    TooManyLinks,
    NameTooLong,
    /// Not text: what it is instead, if that is known, and its size in bytes.
    Binary {
        kind: Option<&'static str>,
        size: u64,
    },
    /// A glob that cannot be understood, and why.
    Pattern(String),
    Io(io::Error),
    Stopped(Stopped),
}

impl Error {
    pub(super) const NOT_FOUND: Error = Error::NotFound { near: Vec::new() };

    /// How much an error says of a path that may still exist in another root; nothing when it says
    /// that the path exists in this one.
    pub(super) fn of_elsewhere(&self) -> Option<u8> {
        match self {
            Error::Outside => Some(0),
            Error::NotFound { .. } => Some(1),
            Error::ParentIsFile => Some(2),
            Error::MayNotEnter => Some(3),
            _ => None,
        }
    }
}

impl From<Stopped> for Error {
    fn from(stopped: Stopped) -> Self {
        Error::Stopped(stopped)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Error::NOT_FOUND,
            io::ErrorKind::PermissionDenied => Error::PermissionDenied,
            io::ErrorKind::IsADirectory => Error::IsDirectory,
            io::ErrorKind::NotADirectory => Error::ParentIsFile,
            _ if is_impossible(&error) => Error::NOT_FOUND,
            io::ErrorKind::InvalidFilename => Error::NameTooLong,
            _ => Error::Io(error),
        }
    }
}

/// Whether the name has characters that no file on Windows can have, such as those of a pattern: there is none of that name.
fn is_impossible(error: &io::Error) -> bool {
    const ERROR_INVALID_NAME: i32 = 123;
    cfg!(windows) && error.raw_os_error() == Some(ERROR_INVALID_NAME)
}
