//! What would change, as a unified diff.

use diffy::DiffOptions;

/// The diff between two versions of a file; empty if they are the same.
pub(super) fn unified(path: &str, old: Option<&str>, new: &str) -> String {
    if old == Some(new) {
        return String::new();
    }
    let before = if old.is_some() { path } else { "/dev/null" };
    let mut options = DiffOptions::new();
    options.set_original_filename(before.to_owned());
    options.set_modified_filename(path.to_owned());
    let patch = options.create_patch(old.unwrap_or_default(), new);
    patch.to_string()
}
