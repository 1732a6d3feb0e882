//! What the entry will start: this program with the options and directories that were given.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::entry::Entry;
use super::surroundings::System;
use crate::cli::{Options, SetupArgs};
use crate::config;

/// The entry that was asked for. Wrong options and missing directories are errors here rather than
/// in the host, where nobody sees them.
pub(super) fn entry(args: &SetupArgs, program: &str) -> Result<Entry> {
    let names_any = names_directories(args);
    let config = config::load(args.dirs.clone(), args.options.clone())?;
    let mut words = words_of(&args.options)?;
    if names_any {
        for root in config.roots {
            if !root.exists() {
                bail!(
                    "there is no {}; make it first, or correct its name",
                    root.display()
                );
            }
            words.push(text(&absolute(&root)?)?);
        }
    } else if args.options.config.is_none() {
        words.push(placeholder(System::here()).to_owned());
    }
    Ok(Entry {
        command: program.to_owned(),
        args: words,
    })
}

/// Whether the command line says what may be read.
pub(super) fn names_directories(args: &SetupArgs) -> bool {
    !args.dirs.is_empty() || !args.options.roots.is_empty()
}

/// Stands for the directories in an example.
fn placeholder(system: System) -> &'static str {
    match system {
        System::Windows => r"C:\path\to\your\files",
        System::Linux | System::MacOs => "/path/to/your/files",
    }
}

/// The options of the server, as they are typed; paths do not depend on the directory.
fn words_of(options: &Options) -> Result<Vec<String>> {
    let Options {
        roots: _,
        config,
        tools,
        disable,
        max_bytes,
        encoding,
        mcp_debug,
        record,
        log_level,
        log_file,
    } = options.clone();
    let mut words = Vec::new();
    let path = |it: Option<PathBuf>| {
        it.map(|it| absolute(&it).and_then(|it| text(&it)))
            .transpose()
    };
    let list = |it: Option<Vec<String>>| it.map(|it| it.join(","));
    for (name, value) in [
        ("--config", path(config)?),
        ("--tools", list(tools)),
        ("--disable", list(disable)),
        ("--max-bytes", max_bytes),
        ("--encoding", encoding),
        ("--record", path(record)?),
        ("--log-level", log_level),
        ("--log-file", path(log_file)?),
    ] {
        if let Some(value) = value {
            words.extend([name.to_owned(), value]);
        }
    }
    words.extend(mcp_debug.map(|how| match &*how {
        "true" => "--mcp-debug".to_owned(),
        _ => format!("--mcp-debug={how}"),
    }));
    Ok(words)
}

/// The path from the root of the file system. Links stay: they are there to be followed later.
pub(super) fn absolute(path: &Path) -> Result<PathBuf> {
    let shown = || format!("{} has no absolute path", path.display());
    let absolute = std::path::absolute(path).with_context(shown)?;
    let climbs = absolute
        .components()
        .any(|it| it == std::path::Component::ParentDir);
    if climbs && let Ok(resolved) = absolute.canonicalize() {
        return Ok(resolved);
    }
    // Without a separator at its end.
    Ok(absolute.components().collect())
}

fn text(path: &Path) -> Result<String> {
    let text = path.to_str().map(str::to_owned);
    text.with_context(|| {
        let shown = path.display();
        format!("the name {shown} is not Unicode, and configuration files are")
    })
}
