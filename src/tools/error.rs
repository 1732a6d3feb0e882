//! Every way a tool can fail, and its words: what is wrong, with the values; then what to do.

use crate::fs::{Error, Kind, RootState, Roots, Stopped};

#[derive(Debug)]
pub(crate) enum ToolError {
    /// A required argument is not there.
    Missing { name: String },
    /// An argument has a value that cannot be meant.
    Wrong {
        name: String,
        value: String,
        wanted: String,
    },
    /// Two arguments that exclude each other.
    Together { names: [&'static str; 2] },
    /// What the schema let through and the tool cannot read; a fault of ours.
    Arguments(String),
    /// Something about a file, by the path as the caller wrote it.
    File {
        path: String,
        error: Error,
        /// What the tool wants there.
        wanted: Wanted,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Wanted {
    File,
    Directory,
}

impl ToolError {
    pub(super) fn wrong(name: &str, value: impl ToString, wanted: &str) -> ToolError {
        ToolError::Wrong {
            name: name.to_owned(),
            value: value.to_string(),
            wanted: wanted.to_owned(),
        }
    }

    /// For `map_err` where a file was asked for.
    pub(super) fn file(path: &str) -> impl Fn(Error) -> ToolError + use<'_> {
        ToolError::about(path, Wanted::File)
    }

    /// For `map_err` where a directory was asked for.
    pub(super) fn directory(path: &str) -> impl Fn(Error) -> ToolError + use<'_> {
        ToolError::about(path, Wanted::Directory)
    }

    fn about(path: &str, wanted: Wanted) -> impl Fn(Error) -> ToolError + use<'_> {
        move |error| ToolError::File {
            path: path.to_owned(),
            error,
            wanted,
        }
    }

    pub(super) fn text(&self, roots: &Roots) -> String {
        match self {
            ToolError::Missing { name } => format!(
                "argument {name} is missing; pass it, for example {{\"{name}\": \"notes.txt\"}}"
            ),
            ToolError::Wrong {
                name,
                value,
                wanted,
            } => {
                format!("argument {name}: {value} is not possible; it takes {wanted}")
            }
            ToolError::Together {
                names: [one, other],
            } => {
                format!("arguments {one} and {other} exclude each other; pass only one of them")
            }
            ToolError::Arguments(reason) => format!("the arguments cannot be read: {reason}"),
            ToolError::File {
                path,
                error,
                wanted,
            } => about_file(&shown_path(path), error, *wanted, roots),
        }
    }
}

/// A path as the caller wrote it, on one line and without raw control characters.
pub(super) fn shown_path(path: &str) -> String {
    let path = crate::words::clipped(path, 300);
    crate::fs::escape_name(std::ffi::OsStr::new(path.as_ref()))
}

#[expect(clippy::too_many_lines, reason = "a flat table, one arm a fact")]
fn about_file(path: &str, error: &Error, wanted: Wanted, roots: &Roots) -> String {
    match error {
        Error::NoRoots => "this server was given no directory; ask the user to add one to the \
                           server's arguments"
            .to_owned(),
        Error::RootUnusable { root, reason } => format!(
            "{path} cannot be reached: the directory {} of this server: {reason}; ask the user to \
             check it",
            root.display()
        ),
        Error::Nul => format!("path {path} contains a NUL character; leave it out"),
        Error::ReservedName => {
            format!("{path} names a device or a stream on Windows, not a file; check the path")
        }
        Error::NotAFileUri => {
            format!("{path} is not the URI of a local file; pass a path or a file:/// URI")
        }
        Error::Outside => format!(
            "{path} is outside the directories this server may read: {}; ask the user to add the \
             directory to the server's arguments",
            root_names(roots)
        ),
        Error::LinkOutside => format!(
            "{path} is a link that leads outside the directories this server may read: {}; ask the \
             user to add the directory to the server's arguments",
            root_names(roots)
        ),
        Error::NotFound { near } => not_found(path, wanted, near),
        Error::Ambiguous(names) => format!(
            "nothing is spelled exactly {path}, and several names are nearly; pass one of {}",
            names.join(", ")
        ),
        Error::Denied => format!(
            "{path} is not read: the configuration of this server denies it, as a place where \
             credentials are kept"
        ),
        Error::IsDirectory => format!("{path} is a directory; call list_dir to see what is in it"),
        Error::IsFile if wanted == Wanted::File => {
            format!("{path} is a file, and no directory; leave out the slash at its end")
        }
        Error::IsFile => format!("{path} is a file; call read_file to read it"),
        Error::ParentIsFile => {
            format!("a part of {path} before the last is a file, not a directory; check the path")
        }
        Error::PermissionDenied | Error::MayNotEnter => format!(
            "permission denied: the system does not let this server open {path}; ask the user to \
             check its permissions"
        ),
        Error::RootReplaced => {
            format!("{path}: the directory of this server is just being replaced; call again")
        }
        Error::NotRegular(kind) => {
            format!(
                "{path} is {}, not a regular file, and is not read",
                kind_words(*kind)
            )
        }
        Error::TooManyLinks => format!("{path} leads through too many links, or in a circle"),
        Error::NameTooLong => format!("{path}: the name is too long for the file system"),
        Error::Binary { kind, size } => format!(
            "{path} is not text: {}, {}; pass encoding=\"hex\" to read_file to see the bytes",
            kind.unwrap_or("binary data"),
            match size {
                0 => "size unknown".to_owned(),
                size => format!("{} bytes", crate::words::grouped(*size)),
            }
        ),
        Error::Pattern(reason) => format!("the pattern cannot be understood: {reason}"),
        Error::Io(error) => format!("{path} cannot be read: {}", crate::fs::plain_words(error)),
        Error::Stopped(Stopped::Cancelled) => "the call was cancelled".to_owned(),
        Error::Stopped(Stopped::OutOfTime) => format!(
            "ran out of time on {path}; ask for less of it, or for a place nearer to its start"
        ),
    }
}

fn not_found(path: &str, wanted: Wanted, near: &[String]) -> String {
    match wanted {
        Wanted::Directory if path.contains(['*', '?']) => format!(
            "no directory at {path}; a pattern is an argument of its own: pass path and pattern"
        ),
        Wanted::File if !near.is_empty() => {
            format!("no file at {path}; did you mean {}?", near.join(", "))
        }
        Wanted::Directory if !near.is_empty() => {
            format!("no directory at {path}; did you mean {}?", near.join(", "))
        }
        _ if path.contains(['*', '?']) => {
            format!("no file at {path}; patterns are not expanded here, list_dir takes them")
        }
        Wanted::File => {
            format!("no file at {path}; call list_dir on its directory to see the names")
        }
        Wanted::Directory => {
            format!("no directory at {path}; call list_dir on the one above it to see the names")
        }
    }
}

fn root_names(roots: &Roots) -> String {
    let names = roots
        .states()
        .into_iter()
        .map(|(given, state)| match state {
            RootState::Ready { path, .. } => path.display().to_string(),
            _ => given.display().to_string(),
        });
    names.collect::<Vec<_>>().join(", ")
}

fn kind_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Fifo => "a named pipe (FIFO)",
        Kind::Socket => "a socket",
        Kind::Device => "a device",
        Kind::Other => "a special file",
    }
}
