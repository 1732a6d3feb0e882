//! What people mean by a path that names nothing: other spellings of names that are there.
//!
//! The literal path always wins; this is asked only when there is nothing under it. Exactly one
//! match is used. Case is never folded: two names that differ in case are two files.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use unicode_normalization::UnicodeNormalization as _;

use super::open::{self, Reached, Want};
use super::open_root::OpenRoot;
use super::{Error, escape_name};

/// Names that are looked through in one directory.
const MAX_NAMES: usize = 100_000;

/// How alike two names must be for one to be offered for the other.
const ALIKE: f64 = 0.8;

const MAX_NEAR: usize = 3;

/// Without the white space around it, and then without one pair of quotes or back-ticks: what is
/// left when a path is copied out of prose.
pub(super) fn unwrapped(text: &str) -> Vec<&str> {
    let trimmed = text.trim();
    let mut readings = Vec::new();
    if trimmed != text {
        readings.push(trimmed);
    }
    for quote in ['"', '\'', '`'] {
        let inner = trimmed
            .strip_prefix(quote)
            .and_then(|it| it.strip_suffix(quote));
        readings.extend(inner.filter(|it| !it.is_empty()));
    }
    readings
}

/// The path below `root` with every component spelled as the directory has it. Nothing when some
/// component matches no name.
pub(super) fn respelled(
    root: &Arc<OpenRoot>,
    below: &Path,
    roots: &[Arc<OpenRoot>],
) -> Result<Option<PathBuf>, Error> {
    let mut path = PathBuf::new();
    for component in below.components() {
        let name = component.as_os_str();
        if open::exists(root, &path.join(name), roots).is_ok() {
            path.push(name);
            continue;
        }
        let names = names_in(root, &path, roots);
        let mut matching = names.into_iter().filter(|it| is_same(it, name));
        match (matching.next(), matching.next()) {
            (None, _) => return Ok(None),
            (Some(one), None) => path.push(one),
            (Some(one), Some(other)) => {
                let rest = matching.take(MAX_NEAR);
                let names = [one, other]
                    .into_iter()
                    .chain(rest)
                    .map(|it| escape_name(&it));
                return Err(Error::Ambiguous(names.collect()));
            }
        }
    }
    Ok(Some(path))
}

/// Names like the first component that is missing, from the directory where it is missing.
pub(super) fn near(root: &Arc<OpenRoot>, below: &Path, roots: &[Arc<OpenRoot>]) -> Vec<String> {
    let mut path = PathBuf::new();
    for component in below.components() {
        let next = path.join(component);
        if open::exists(root, &next, roots).is_ok() {
            path = next;
            continue;
        }
        let wanted = component.as_os_str().to_string_lossy().into_owned();
        let mut alike: Vec<(f64, PathBuf)> = names_in(root, &path, roots)
            .into_iter()
            .map(|name| (likeness(&wanted, &name.to_string_lossy()), path.join(name)))
            .filter(|(likeness, _)| *likeness >= ALIKE)
            .collect();
        alike.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let names = alike
            .into_iter()
            .take(MAX_NEAR)
            .map(|(_, it)| escape_name(it.as_os_str()));
        return names.collect();
    }
    Vec::new()
}

/// From 0 to 1; another case or another extension is nearly the same.
fn likeness(wanted: &str, name: &str) -> f64 {
    let (wanted, name) = (wanted.to_lowercase(), name.to_lowercase());
    let stem = |it: &str| it.rsplit_once('.').map_or(it, |(stem, _)| stem).to_owned();
    if wanted == name {
        1.0
    } else if stem(&wanted) == stem(&name) {
        0.95
    } else {
        strsim::normalized_damerau_levenshtein(&wanted, &name).max(
            // One letter too many or too few in a short name is much of it.
            if strsim::damerau_levenshtein(&wanted, &name) == 1 {
                ALIKE
            } else {
                0.0
            },
        )
    }
}

/// The names in a directory; none if it cannot be read.
fn names_in(root: &Arc<OpenRoot>, below: &Path, roots: &[Arc<OpenRoot>]) -> Vec<OsString> {
    let Ok(Reached::Directory(opened)) = open::reach(root, below, Want::Directory, roots) else {
        return Vec::new();
    };
    let Ok(entries) = opened.dir.entries() else {
        return Vec::new();
    };
    let names = entries
        .filter_map(|it| Some(it.ok()?.file_name()))
        .take(MAX_NAMES);
    names
        .filter(|it| opened.only.as_ref().is_none_or(|only| only == it))
        .collect()
}

/// Whether a name on disk is what the caller's spelling stands for: equal under NFC with all
/// spaces and all quotes alike, or by the escapes that listings print.
fn is_same(name: &OsStr, spelling: &OsStr) -> bool {
    let Some(spelling) = spelling.to_str() else {
        return false;
    };
    if spelling.contains('\\') && escape_name(name) == spelling {
        return true;
    }
    name.to_str()
        .is_some_and(|it| plain_spelling(it) == plain_spelling(spelling))
}

fn plain_spelling(name: &str) -> String {
    let plain = |character: char| match character {
        '\u{2018}' | '\u{2019}' | '\u{201A}' | '\u{201B}' | '\u{2BC}' | '`' | '\u{B4}' => '\'',
        '\u{201C}' | '\u{201D}' | '\u{201E}' | '\u{201F}' => '"',
        it if it.is_whitespace() => ' ',
        it => it,
    };
    name.nfc().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_surrounds_a_path_in_prose_is_taken_off() {
        assert_eq!(unwrapped(" a.txt\n"), ["a.txt"]);
        assert_eq!(unwrapped("\"a.txt\""), ["a.txt"]);
        assert_eq!(unwrapped(" `a` "), ["`a`", "a"]);
        assert!(unwrapped("a.txt").is_empty());
    }

    #[test]
    fn forms_spaces_quotes_and_escapes_are_the_same_name() {
        let same = |a: &str, b: &str| is_same(OsStr::new(a), OsStr::new(b));
        assert!(same("e\u{301}.txt", "\u{e9}.txt"));
        assert!(same("Shot\u{202f}1.png", "Shot 1.png"));
        assert!(same("it\u{2019}s", "it's"));
        assert!(same("a\nb", "a\\nb"));
        assert!(!same("a", "A"));
    }

    #[test]
    fn near_names_are_typing_slips_cases_and_other_extensions() {
        for (wanted, name) in [
            ("reprot.txt", "report.txt"),
            ("readme.md", "README.md"),
            ("a.yml", "a.yaml"),
            ("a.txt", "b.txt"),
        ] {
            assert!(likeness(wanted, name) >= ALIKE, "{wanted} {name}");
        }
        assert!(likeness("report.txt", "main.rs") < ALIKE);
    }
}
