//! From what a caller wrote to what is opened: which root a path speaks of, in which reading.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::open::{self, Reached, Want};
use super::open_root::OpenRoot;
use super::path_text::{self, Given, lexically_clean};
use super::{Error, meant};

/// A place to look for a path: a root, and the rest of the path below it.
pub(super) struct Place {
    pub(super) root: Arc<OpenRoot>,
    pub(super) below: PathBuf,
}

/// Opens what a path means: literally if there is such a thing, else in the readings that people
/// and models mean by it.
pub(super) fn reach(
    text: &str,
    home: Option<&Path>,
    want: Want,
    roots: &[Arc<OpenRoot>],
) -> Result<Reached, Error> {
    let literal = path_text::parse(text, None)?;
    match reach_literally(&literal, want, roots) {
        Err(Error::NotFound { .. }) => reach_meant(text, literal, home, want, roots),
        // A path of another shell on Windows seems to be absolute and to lie nowhere.
        #[cfg(windows)]
        Err(Error::Outside) => reach_meant(text, literal, home, want, roots),
        outcome => outcome,
    }
}

/// Opens what people and models mean by a path under which there is nothing.
fn reach_meant(
    text: &str,
    literal: Given,
    home: Option<&Path>,
    want: Want,
    roots: &[Arc<OpenRoot>],
) -> Result<Reached, Error> {
    // A directory called `~` would have won over the home directory.
    let mut readings = vec![literal, path_text::parse(text, home)?];
    for text in meant::unwrapped(text) {
        readings.extend(path_text::parse(text, home));
    }
    #[cfg(windows)]
    for text in [
        super::windows_path::from_shell(text),
        super::windows_path::repaired(text),
    ] {
        let given = text.map(|it| path_text::parse(&it, home)).transpose()?;
        // Only these spellings can be meant when the literal one lies in no root.
        if places(&readings[0], roots).is_empty() && given.is_some() {
            readings.clear();
        }
        readings.extend(given);
    }
    readings.dedup();
    for given in &readings {
        match reach_literally(given, want, roots) {
            Err(Error::NotFound { .. }) => {}
            outcome => return outcome,
        }
    }
    for given in &readings {
        for place in places(given, roots) {
            if let Some(below) = meant::respelled(&place.root, &place.below, roots)? {
                return open::reach(&place.root, &below, given.want(want), roots);
            }
        }
    }
    let places = readings.iter().flat_map(|given| places(given, roots));
    let near = places.map(|it| meant::near(&it.root, &it.below, roots));
    let near = near
        .into_iter()
        .find(|it| !it.is_empty())
        .unwrap_or_default();
    Err(Error::NotFound { near })
}

/// Looks in every place that the path may speak of; the first where it exists counts.
fn reach_literally(given: &Given, want: Want, roots: &[Arc<OpenRoot>]) -> Result<Reached, Error> {
    let want = given.want(want);
    let mut missing = Error::Outside;
    let mut look = |root: &Arc<OpenRoot>, below: &Path| {
        if root.is_replaced() {
            return Some(Err(Error::RootReplaced));
        }
        match open::reach(root, below, want, roots) {
            Err(error) if error.of_elsewhere().is_some() => {
                if error.of_elsewhere() > missing.of_elsewhere() {
                    missing = error;
                }
                None
            }
            outcome => Some(outcome),
        }
    };
    // Most paths are relative, and that way nothing need be copied.
    let found = if is_absolute(&given.path) {
        let places = places(given, roots);
        places.iter().find_map(|it| look(&it.root, &it.below))
    } else if want == Want::Directory {
        // One file is less of a directory than the directory.
        let (files, directories): (Vec<_>, Vec<_>) = roots.iter().partition(|it| it.only.is_some());
        let mut roots = directories.into_iter().chain(files);
        roots.find_map(|root| look(root, &given.path))
    } else {
        roots.iter().find_map(|root| look(root, &given.path))
    };
    found.unwrap_or(Err(missing))
}

fn is_absolute(path: &Path) -> bool {
    path.has_root() || path.is_absolute()
}

fn places(given: &Given, roots: &[Arc<OpenRoot>]) -> Vec<Place> {
    if is_absolute(&given.path) {
        return places_of_absolute(&given.path, roots);
    }
    let place = |root: &Arc<OpenRoot>| Place {
        root: Arc::clone(root),
        below: given.path.clone(),
    };
    roots.iter().map(place).collect()
}

/// The roots that an absolute path lies in by its components: the deepest first, and those that are
/// one file last, because a directory that holds the file allows more.
fn places_of_absolute(path: &Path, roots: &[Arc<OpenRoot>]) -> Vec<Place> {
    let clean = lexically_clean(path);
    let mut places = Vec::new();
    for root in roots {
        let below = [&root.spelled, &root.real].into_iter().find_map(|prefix| {
            // The text as given is preferred: `link/..` then means what the system means by it.
            let below = strip_root(path, prefix).filter(|it| !escapes(it));
            below.or_else(|| strip_root(&clean, prefix))
        });
        if let Some(below) = below.filter(|it| root.allows(it)) {
            let root = Arc::clone(root);
            places.push(Place { root, below });
        }
    }
    places.sort_by_key(|it| {
        let depth = it.root.real.components().count();
        (it.root.only.is_some(), std::cmp::Reverse(depth))
    });
    places
}

/// What is left of a path below a root, by components.
#[cfg(not(windows))]
fn strip_root(path: &Path, root: &Path) -> Option<PathBuf> {
    path.strip_prefix(root).ok().map(Path::to_owned)
}

/// What is left of a path below a root, by components; without regard to case, as on Windows.
#[cfg(windows)]
fn strip_root(path: &Path, root: &Path) -> Option<PathBuf> {
    use super::windows_path::{below, normalised};
    below(&normalised(path.to_str()?), &normalised(root.to_str()?)).map(PathBuf::from)
}

/// The root, and the path below it, that an absolute path lies in.
pub(super) fn locate(path: &Path, roots: &[Arc<OpenRoot>]) -> Option<Place> {
    places_of_absolute(path, roots).into_iter().next()
}

/// Whether the text climbs above where it starts.
fn escapes(path: &Path) -> bool {
    let mut depth = 0_i32;
    path.components().any(|component| {
        match component {
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            _ => {}
        }
        depth < 0
    })
}

impl Given {
    /// What is wanted there, by the tool and by the path's own ending.
    fn want(&self, want: Want) -> Want {
        if self.wants_directory {
            Want::Directory
        } else {
            want
        }
    }
}
