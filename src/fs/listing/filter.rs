//! Which entries a listing leaves out: by its pattern, by `.gitignore`, by being too heavy.

use std::ffi::OsStr;
use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use ignore::gitignore::Gitignore;

use super::super::Error;

/// Git's own files, which no pattern means.
pub(super) const GIT: &str = ".git";

/// Directories that a recursion counts and does not enter: they drown everything else.
const HEAVY: [&str; 5] = [GIT, "node_modules", "target", ".venv", "__pycache__"];

/// Which names are wanted: a pattern without a slash is about the name, else about the whole path.
pub(super) struct Filter {
    pattern: Option<(String, GlobMatcher)>,
}

impl Filter {
    pub(super) fn new(pattern: Option<&str>) -> Result<Filter, Error> {
        let Some(pattern) = pattern else {
            return Ok(Filter { pattern: None });
        };
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        let glob = glob.map_err(|error| Error::Pattern(error.kind().to_string()))?;
        let pattern = Some((pattern.to_owned(), glob.compile_matcher()));
        Ok(Filter { pattern })
    }

    pub(super) fn matches(&self, path: &Path) -> bool {
        self.pattern.as_ref().is_none_or(|(text, glob)| {
            let whole = text.contains('/');
            glob.is_match(if whole {
                path
            } else {
                path.file_name().map_or(path, Path::new)
            })
        })
    }

    /// The name of a directory that is only counted; one that the pattern names is entered.
    pub(super) fn heavy(&self, name: &OsStr) -> Option<&'static str> {
        let heavy = HEAVY.into_iter().find(|it| name == *it)?;
        let is_named = |(text, _): &(String, GlobMatcher)| text.split('/').any(|it| it == heavy);
        (!self.pattern.as_ref().is_some_and(is_named)).then_some(heavy)
    }
}

/// The `.gitignore` files on the way to where a walk stands.
#[derive(Default)]
pub(super) struct IgnoreRules {
    /// With the depth of the directory that each is in.
    rules: Vec<(usize, Gitignore)>,
}

impl IgnoreRules {
    /// Those on the way to where a walk begins: from the root on, or from the repository that it is in.
    pub(super) fn on_the_way_to(directory: &Path, root: &Path) -> IgnoreRules {
        let mut way = Vec::new();
        for it in directory.ancestors().take_while(|it| it.starts_with(root)) {
            way.push(it);
            if it.join(GIT).exists() {
                break;
            }
        }
        let mut rules = IgnoreRules::default();
        for it in way.into_iter().rev() {
            rules.add(it, 0);
        }
        rules
    }

    pub(super) fn enter(&mut self, directory: &Path, depth: usize) {
        self.leave(depth);
        self.add(directory, depth);
    }

    fn add(&mut self, directory: &Path, depth: usize) {
        let file = directory.join(".gitignore");
        // Only a regular file is read: anything else could block.
        if std::fs::symlink_metadata(&file).is_ok_and(|it| it.is_file()) {
            self.rules.push((depth, Gitignore::new(file).0));
        }
    }

    fn leave(&mut self, depth: usize) {
        self.rules.retain(|(of, _)| *of < depth);
    }

    pub(super) fn ignore(&mut self, path: &Path, depth: usize, is_directory: bool) -> bool {
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
