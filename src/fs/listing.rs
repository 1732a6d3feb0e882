//! What is in a directory, by name or down to a depth; only what is shown is looked at closely.

mod filter;
mod gather;
mod walk;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cap_std::fs::Metadata;

use super::open::kind_of;
use super::roots::OpenedDir;
use super::{Error, Kind, Roots, Watch, escape_name};
use filter::Filter;
use gather::Gather;

/// How often a walk looks up whether it may go on.
const STEP: usize = 256;

/// What is to be listed, and which part of it.
#[derive(Debug)]
pub(crate) struct Scope {
    /// 1 for the directory's own entries; more for those below.
    pub(crate) depth: usize,
    pub(crate) pattern: Option<String>,
    pub(crate) order: Order,
    pub(crate) offset: usize,
    pub(crate) limit: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Order {
    /// By the bytes of the name, which is the same everywhere.
    Name,
    /// Largest first.
    Size,
    /// Newest first.
    Modified,
}

#[derive(Debug)]
pub(crate) struct Listing {
    /// The page that was asked for.
    pub(crate) entries: Vec<Entry>,
    /// Entries in all.
    pub(crate) total: usize,
    pub(crate) left_out: LeftOut,
}

/// What a recursion has passed over without an entry that says so.
#[derive(Debug, Default)]
pub(crate) struct LeftOut {
    /// Because a `.gitignore` says so.
    pub(crate) ignored: usize,
    /// The names of directories that are not entered, where what the pattern wants may be in one.
    pub(crate) unentered: BTreeSet<&'static str>,
}

#[derive(Debug)]
pub(crate) struct Entry {
    /// Relative to the listed directory, on one line.
    pub(crate) name: String,
    pub(crate) kind: EntryKind,
    /// Bytes, of regular files.
    pub(crate) size: Option<u64>,
    pub(crate) modified: Option<SystemTime>,
    /// Its content may not be read, by the configuration.
    pub(crate) is_denied: bool,
    /// Permission bits, where the system has them.
    pub(crate) mode: Option<u32>,
}

#[derive(Debug)]
pub(crate) enum EntryKind {
    Directory,
    /// Not entered; how many entries it has.
    Heavy(usize),
    File,
    Link(String, LinkState),
    Special(Kind),
    /// Cannot be looked at, and why.
    Unreadable(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkState {
    Fine,
    Broken,
    /// Leads out of all roots; whether there is anything is not looked at.
    Outside,
}

/// An entry as the directory names it, before anything is asked about it.
#[derive(Debug)]
struct Found {
    path: PathBuf,
    shape: Shape,
}

#[derive(Debug)]
enum Shape {
    Directory,
    Heavy(usize),
    File,
    Link,
    Other,
    Unreadable(String),
}

/// Lists a directory.
pub(crate) fn list(
    roots: &Roots,
    path: &str,
    scope: &Scope,
    watch: &Watch<'_>,
) -> Result<Listing, Error> {
    let opened = roots.open_dir(path, watch)?;
    let filter = Filter::new(scope.pattern.as_deref())?;
    let mut gather = Gather::new(scope, &opened.dir);
    let left_out = if scope.depth > 1 && opened.only.is_none() {
        walk::below(&opened, scope.depth, &filter, &mut gather, watch)?
    } else {
        walk::own(&opened, &filter, &mut gather, watch)?;
        LeftOut::default()
    };
    let (page, total) = gather.page();
    let mut entries = Vec::new();
    for (index, it) in page.into_iter().enumerate() {
        if index % STEP == 0 {
            watch.step(index as u64, None)?;
        }
        entries.push(describe(roots, &opened, it, watch));
    }
    Ok(Listing {
        entries,
        total,
        left_out,
    })
}

fn describe(roots: &Roots, opened: &OpenedDir, found: Found, watch: &Watch<'_>) -> Entry {
    let metadata = opened.dir.symlink_metadata(&found.path);
    let metadata_now = metadata.as_ref().ok();
    let kind = match (found.shape, &metadata) {
        (Shape::Unreadable(reason), _) => EntryKind::Unreadable(reason),
        (Shape::Directory, _) => EntryKind::Directory,
        (Shape::Heavy(entries), _) => EntryKind::Heavy(entries),
        (_, Err(error)) => EntryKind::Unreadable(super::roots::plain_words(error)),
        (Shape::File, _) => EntryKind::File,
        (Shape::Link, _) => link(roots, opened, &found.path, watch),
        (Shape::Other, Ok(metadata)) => EntryKind::Special(kind_of(metadata)),
    };
    Entry {
        name: escape_name(found.path.as_os_str()),
        size: metadata_now.filter(|it| it.is_file()).map(Metadata::len),
        modified: metadata_now
            .and_then(|it| it.modified().ok())
            .map(|it| it.into_std()),
        mode: metadata_now.and_then(mode_of),
        is_denied: metadata_now.is_some_and(Metadata::is_file) && opened.denies(&found.path),
        kind,
    }
}

fn link(roots: &Roots, opened: &OpenedDir, path: &Path, watch: &Watch<'_>) -> EntryKind {
    let target = match opened.dir.read_link_contents(path) {
        Ok(target) => escape_name(target.as_os_str()),
        Err(error) => return EntryKind::Unreadable(super::roots::plain_words(&error)),
    };
    let state = match roots.try_absolute(&opened.real.join(path), watch) {
        Ok(()) => LinkState::Fine,
        Err(Error::Outside | Error::LinkOutside) => LinkState::Outside,
        Err(_) => LinkState::Broken,
    };
    EntryKind::Link(target, state)
}

#[cfg(unix)]
fn mode_of(metadata: &Metadata) -> Option<u32> {
    use cap_std::fs::PermissionsExt as _;
    Some(metadata.permissions().mode() & 0o7777)
}

#[cfg(not(unix))]
fn mode_of(_: &Metadata) -> Option<u32> {
    None
}
