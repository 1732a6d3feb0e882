//! Goes through directories by name. **Opens no file**: contents are reached through the resolver only.

use std::path::{Path, PathBuf};

use super::filter::{Filter, GIT, IgnoreRules};
use super::gather::Gather;
use super::{LeftOut, STEP, Shape};
use crate::fs::roots::{OpenedDir, plain_words};
use crate::fs::{Error, Watch};

/// The directory's own entries.
pub(super) fn own(
    opened: &OpenedDir,
    filter: &Filter,
    gather: &mut Gather<'_>,
    watch: &Watch<'_>,
) -> Result<(), Error> {
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
            Err(error) => Shape::Unreadable(plain_words(&error)),
        };
        gather.add(Path::new(&name), shape);
    }
    Ok(())
}

/// Names below a directory. Links are never entered; files are opened by nobody here.
pub(super) fn below(
    opened: &OpenedDir,
    depth: usize,
    filter: &Filter,
    gather: &mut Gather<'_>,
    watch: &Watch<'_>,
) -> Result<LeftOut, Error> {
    let mut left_out = LeftOut::default();
    let mut rules = IgnoreRules::on_the_way_to(&opened.real, &opened.root.real);
    let mut walker = walkdir::WalkDir::new(&opened.real)
        .min_depth(1)
        .max_depth(depth)
        .follow_links(false)
        .into_iter();
    let mut seen = 0;
    // Whether a directory can be read shows in what comes after it.
    let mut entered: Option<PathBuf> = None;
    loop {
        let item = walker.next();
        if let Some(directory) = entered.take()
            && !is_failure_of(&item, &directory)
        {
            gather.add(below_base(&opened.real, &directory), Shape::Directory);
        }
        seen += 1;
        if seen % STEP == 0 {
            watch.step(seen as u64, None)?;
        }
        let entry = match item {
            None => return Ok(left_out),
            Some(Ok(entry)) => entry,
            Some(Err(error)) => {
                unreadable(&opened.real, &error, gather);
                continue;
            }
        };
        let is_directory = entry.file_type().is_dir();
        if rules.ignore(entry.path(), entry.depth(), is_directory) {
            left_out.ignored += 1;
            if is_directory {
                walker.skip_current_dir();
            }
            continue;
        }
        let path = below_base(&opened.real, entry.path());
        let is_wanted = filter.matches(path);
        let shape = if !is_directory {
            shape_of(entry.file_type())
        } else if let Some(name) = filter.heavy(entry.file_name()) {
            walker.skip_current_dir();
            if !is_wanted && name != GIT {
                left_out.unentered.insert(name);
            }
            heavy(entry.path())
        } else if entry.depth() < depth {
            rules.enter(entry.path(), entry.depth());
            entered = is_wanted.then(|| entry.into_path());
            continue;
        } else {
            Shape::Directory
        };
        // What cannot be looked into may hold what the pattern wants.
        if is_wanted || matches!(shape, Shape::Unreadable(_)) {
            gather.add(path, shape);
        }
    }
}

/// A directory that is only counted.
fn heavy(path: &Path) -> Shape {
    match std::fs::read_dir(path) {
        Ok(entries) => Shape::Heavy(entries.count()),
        Err(error) => Shape::Unreadable(plain_words(&error)),
    }
}

/// Whether this says that the directory, which came just before it, cannot be read.
fn is_failure_of(item: &Option<walkdir::Result<walkdir::DirEntry>>, directory: &Path) -> bool {
    matches!(item, Some(Err(error)) if error.path() == Some(directory))
}

fn shape_of(file_type: std::fs::FileType) -> Shape {
    match () {
        () if file_type.is_file() => Shape::File,
        () if file_type.is_symlink() => Shape::Link,
        () => Shape::Other,
    }
}

/// The path from the listed directory on. Comparing components costs more than the whole walk, and
/// all that is here begins with the same text.
fn below_base<'a>(base: &Path, path: &'a Path) -> &'a Path {
    let text = base.to_str().zip(path.to_str());
    let rest = text.and_then(|(base, path)| path.get(base.len()..));
    match rest {
        Some(rest) => Path::new(rest.trim_start_matches(std::path::is_separator)),
        None => path.strip_prefix(base).unwrap_or(path),
    }
}

/// One that cannot be looked at is one marked entry, never the end of a listing.
fn unreadable(base: &Path, error: &walkdir::Error, gather: &mut Gather<'_>) {
    let reason = error.io_error();
    let reason = reason.map_or("too many links".to_owned(), plain_words);
    if let Some(path) = error.path() {
        gather.add(below_base(base, path), Shape::Unreadable(reason));
    }
}
