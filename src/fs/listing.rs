//! What is in a directory, by name or down to a depth; only what is shown is looked at closely.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cap_std::fs::{Dir, Metadata};
use globset::{GlobBuilder, GlobMatcher};
use ignore::gitignore::Gitignore;

use super::open::kind_of;
use super::roots::OpenedDir;
use super::{Error, Kind, Roots, Watch, escape_name};

/// Directories that a recursion counts and does not enter: they drown everything else.
const HEAVY: [&str; 5] = [".git", "node_modules", "target", ".venv", "__pycache__"];

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
    /// Left out because a `.gitignore` says so.
    pub(crate) ignored: usize,
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
struct Found {
    path: PathBuf,
    shape: Shape,
}

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
    let mut ignored = 0;
    let mut found = if scope.depth > 1 && opened.only.is_none() {
        walk(&opened, scope.depth, &filter, &mut ignored, watch)?
    } else {
        own_entries(&opened, &filter, watch)?
    };
    sort(&mut found, scope.order, &opened.dir, watch)?;
    let total = found.len();
    let page = found.into_iter().skip(scope.offset).take(scope.limit);
    let mut entries = Vec::new();
    for (index, it) in page.enumerate() {
        if index % STEP == 0 {
            watch.step(index as u64, None)?;
        }
        entries.push(describe(roots, &opened, it, watch));
    }
    Ok(Listing {
        entries,
        total,
        ignored,
    })
}

fn own_entries(
    opened: &OpenedDir,
    filter: &Filter,
    watch: &Watch<'_>,
) -> Result<Vec<Found>, Error> {
    let mut found = Vec::new();
    for (index, entry) in opened.dir.entries()?.enumerate() {
        if index % STEP == 0 {
            watch.step(index as u64, None)?;
        }
        let entry = entry?;
        let name = entry.file_name();
        let wanted = opened.only.as_ref().is_none_or(|only| *only == name);
        if !wanted || !filter.matches(Path::new(&name)) {
            continue;
        }
        let shape = match entry.file_type() {
            Ok(it) if it.is_dir() => Shape::Directory,
            Ok(it) if it.is_file() => Shape::File,
            Ok(it) if it.is_symlink() => Shape::Link,
            Ok(_) => Shape::Other,
            Err(error) => Shape::Unreadable(super::roots::plain_words(&error)),
        };
        let path = PathBuf::from(name);
        found.push(Found { path, shape });
    }
    Ok(found)
}

/// Names below a directory. Links are never entered; files are opened by nobody here.
fn walk(
    opened: &OpenedDir,
    depth: usize,
    filter: &Filter,
    ignored: &mut usize,
    watch: &Watch<'_>,
) -> Result<Vec<Found>, Error> {
    let mut found = Vec::new();
    let mut rules = IgnoreRules::default();
    rules.enter(&opened.real, 0);
    let mut walker = walkdir::WalkDir::new(&opened.real)
        .min_depth(1)
        .max_depth(depth)
        .follow_links(false)
        .sort_by_file_name()
        .into_iter();
    let mut seen = 0;
    while let Some(item) = walker.next() {
        seen += 1;
        if seen % STEP == 0 {
            watch.step(seen as u64, None)?;
        }
        let entry = match item {
            Ok(entry) => entry,
            Err(error) => {
                found.extend(unreadable(&opened.real, &error));
                continue;
            }
        };
        let is_directory = entry.file_type().is_dir();
        if rules.ignore(entry.path(), entry.depth(), is_directory) {
            *ignored += 1;
            if is_directory {
                walker.skip_current_dir();
            }
            continue;
        }
        let shape = if is_directory && filter.is_heavy(entry.file_name()) {
            walker.skip_current_dir();
            Shape::Heavy(std::fs::read_dir(entry.path()).map_or(0, Iterator::count))
        } else if is_directory {
            rules.enter(entry.path(), entry.depth());
            Shape::Directory
        } else if entry.file_type().is_file() {
            Shape::File
        } else if entry.file_type().is_symlink() {
            Shape::Link
        } else {
            Shape::Other
        };
        let path = entry
            .path()
            .strip_prefix(&opened.real)
            .unwrap_or(entry.path());
        if filter.matches(path) {
            let path = path.to_owned();
            found.push(Found { path, shape });
        }
    }
    Ok(found)
}

fn unreadable(base: &Path, error: &walkdir::Error) -> Option<Found> {
    let path = error.path()?.strip_prefix(base).ok()?.to_owned();
    let reason = error
        .io_error()
        .map_or("too many links".to_owned(), super::roots::plain_words);
    Some(Found {
        path,
        shape: Shape::Unreadable(reason),
    })
}

/// By name for all; by size or time only after looking at every entry.
fn sort(found: &mut Vec<Found>, order: Order, dir: &Dir, watch: &Watch<'_>) -> Result<(), Error> {
    let name = |it: &Found| it.path.as_os_str().as_encoded_bytes().to_vec();
    if order == Order::Name {
        found.sort_by(|a, b| {
            a.path
                .as_os_str()
                .as_encoded_bytes()
                .cmp(b.path.as_os_str().as_encoded_bytes())
        });
        return Ok(());
    }
    let mut keyed = Vec::with_capacity(found.len());
    for (index, it) in found.drain(..).enumerate() {
        if index % STEP == 0 {
            watch.step(index as u64, None)?;
        }
        let metadata = dir.symlink_metadata(&it.path).ok();
        let size = metadata
            .as_ref()
            .filter(|it| it.is_file())
            .map_or(0, Metadata::len);
        let modified = metadata
            .and_then(|it| it.modified().ok())
            .map(|it| it.into_std());
        let key = match order {
            Order::Size => (size, None),
            _ => (0, modified),
        };
        keyed.push((std::cmp::Reverse(key), name(&it), it));
    }
    keyed.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    found.extend(keyed.into_iter().map(|(_, _, it)| it));
    Ok(())
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

/// Which names are wanted: a pattern without a slash is about the name, else about the whole path.
struct Filter {
    pattern: Option<(String, GlobMatcher)>,
}

impl Filter {
    fn new(pattern: Option<&str>) -> Result<Filter, Error> {
        let Some(pattern) = pattern else {
            return Ok(Filter { pattern: None });
        };
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        let glob = glob.map_err(|error| Error::Pattern(error.kind().to_string()))?;
        let pattern = Some((pattern.to_owned(), glob.compile_matcher()));
        Ok(Filter { pattern })
    }

    fn matches(&self, path: &Path) -> bool {
        self.pattern.as_ref().is_none_or(|(text, glob)| {
            let whole = text.contains('/');
            glob.is_match(if whole {
                path
            } else {
                path.file_name().map_or(path, Path::new)
            })
        })
    }

    /// Whether a directory of this name is only counted; one that the pattern names is entered.
    fn is_heavy(&self, name: &std::ffi::OsStr) -> bool {
        HEAVY.iter().any(|it| name == *it)
            && self
                .pattern
                .as_ref()
                .is_none_or(|(text, _)| !text.split('/').any(|part| part == name))
    }
}

/// The `.gitignore` files on the way to where a walk stands.
#[derive(Default)]
struct IgnoreRules {
    /// With the depth of the directory that each is in.
    rules: Vec<(usize, Gitignore)>,
}

impl IgnoreRules {
    fn enter(&mut self, directory: &Path, depth: usize) {
        self.leave(depth);
        let file = directory.join(".gitignore");
        // Only a regular file is read: anything else could block.
        if std::fs::symlink_metadata(&file).is_ok_and(|it| it.is_file()) {
            self.rules.push((depth, Gitignore::new(file).0));
        }
    }

    fn leave(&mut self, depth: usize) {
        self.rules.retain(|(of, _)| *of < depth);
    }

    fn ignore(&mut self, path: &Path, depth: usize, is_directory: bool) -> bool {
        self.leave(depth);
        let decision = self
            .rules
            .iter()
            .rev()
            .map(|(_, it)| it.matched(path, is_directory));
        decision
            .into_iter()
            .find(|it| !it.is_none())
            .is_some_and(|it| it.is_ignore())
    }
}
