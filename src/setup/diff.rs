//! What would change, as a unified diff.

use similar::TextDiff;

/// The diff between two versions of a file; empty if they are the same.
pub(super) fn unified(path: &str, old: Option<&str>, new: &str) -> String {
    let before = if old.is_some() { path } else { "/dev/null" };
    TextDiff::from_lines(old.unwrap_or_default(), new)
        .unified_diff()
        .context_radius(3)
        .header(before, path)
        .to_string()
}
