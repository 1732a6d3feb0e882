//! The path of this program, as a host should start it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// The path under which this program was started, if it leads to it, or else where it is.
///
/// Package managers keep each version in a directory of its own, with a link to the current one in
/// PATH. The system may know only the former, which is gone after the next update.
pub(super) fn path() -> Result<String> {
    let own = std::env::current_exe().context("the path of this program is not known")?;
    let typed = std::env::args_os().next().unwrap_or_default();
    let path = as_typed(&typed, &own).unwrap_or(own);
    let path = path.into_os_string().into_string();
    path.ok()
        .context("the path of this program is not Unicode, and configuration files are")
}

fn as_typed(typed: &OsStr, own: &Path) -> Option<PathBuf> {
    let own = own.canonicalize().ok()?;
    let leads_here = |it: &PathBuf| it.canonicalize().is_ok_and(|it| it == own);
    let typed = Path::new(typed);
    if typed.components().count() > 1 {
        return super::target::absolute(typed).ok().filter(leads_here);
    }
    let mut name = typed.as_os_str().to_owned();
    if cfg!(windows) && typed.extension().is_none() {
        name.push(".exe");
    }
    let folders = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&folders)
        .filter(|it| it.is_absolute())
        .map(|it| it.join(&name));
    found.into_iter().find(leads_here)
}
