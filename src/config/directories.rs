//! The directories as they come out of shells and hosts, and the one to serve where none is given.

use std::path::{Path, PathBuf};

use crate::platform;

/// Undoes what shells and hosts do to arguments: quotes left on, a name split at its spaces.
pub(super) fn joined(given: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut roots = Vec::new();
    let mut rest = given.as_slice();
    while let Some((first, _)) = rest.split_first() {
        let unquoted = unquoted(first);
        let whole = (2..=rest.len()).rev().find_map(|count| {
            let words: Vec<_> = rest[..count].iter().map(|it| it.as_os_str()).collect();
            let path = PathBuf::from(words.join(std::ffi::OsStr::new(" ")));
            path.exists().then_some((path, count))
        });
        let (root, count) = match whole {
            Some(whole) if !unquoted.exists() => whole,
            _ => (unquoted, 1),
        };
        roots.push(root);
        rest = &rest[count..];
    }
    roots
}

fn unquoted(path: &Path) -> PathBuf {
    let inner = path.to_str().and_then(|it| {
        let quoted = |quote| it.strip_prefix(quote).and_then(|it| it.strip_suffix(quote));
        quoted('"').or_else(|| quoted('\''))
    });
    match inner {
        Some(inner) if !path.exists() => PathBuf::from(inner),
        _ => path.to_owned(),
    }
}

pub(super) fn expand_home(path: PathBuf, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) if !path.exists() => home.join(rest),
        _ => path,
    }
}

pub(super) fn default_root(home: Option<&Path>) -> Vec<PathBuf> {
    let current = std::env::current_dir().ok();
    current
        .filter(|it| !platform::is_unsuitable_default(it, home))
        .into_iter()
        .collect()
}
