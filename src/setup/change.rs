//! What becomes of each file: planned for all, then written one by one, then tried.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::diff;
use super::document::{Slot, text_of};
use super::entry::Entry;
use super::file::ConfigFile;
use super::trial::trial;
use super::{print, say};

/// What is to be done with the file.
#[derive(Debug)]
pub(super) enum Change {
    Write(Entry),
    Remove,
}

/// One file and what will be in it.
#[derive(Debug)]
pub(super) struct Plan {
    file: ConfigFile,
    new: String,
}

/// What every file will be. One that can't be changed stops all of them.
pub(super) fn plans(slot: &Slot<'_>, change: &Change, files: Vec<PathBuf>) -> Result<Vec<Plan>> {
    let plan = |path: PathBuf| {
        let shown = path.display().to_string();
        let planned = || {
            let file = ConfigFile::read(path)?;
            let text = text_of(file.old.as_deref().unwrap_or_default())?;
            let new = match change {
                Change::Write(entry) => slot.written(text, entry)?,
                Change::Remove => undone(slot, &file, text)?,
            };
            anyhow::Ok(Plan { file, new })
        };
        planned().with_context(|| shown)
    };
    files.into_iter().map(plan).collect()
}

/// The text without the entry. If an earlier version and the entry make exactly this text, nothing
/// else has been changed since, and that version comes back to the byte.
fn undone(slot: &Slot<'_>, file: &ConfigFile, text: &str) -> Result<String> {
    let Some(entry) = slot.read(text)? else {
        return slot.removed(text);
    };
    let leads_here = |before: &str| {
        let is_without = slot.read(before).is_ok_and(|it| it.is_none());
        is_without && slot.written(before, &entry).is_ok_and(|it| it == text)
    };
    let backups = file.backups().into_iter();
    let mut texts = backups.filter_map(|it| String::from_utf8(it).ok());
    match texts.find(|it| leads_here(it)) {
        Some(before) => Ok(before),
        None => slot.removed(text),
    }
}

impl Plan {
    fn old(&self) -> &[u8] {
        self.file.old.as_deref().unwrap_or_default()
    }

    fn changes(&self) -> bool {
        self.old() != self.new.as_bytes()
    }

    fn path(&self) -> std::path::Display<'_> {
        self.file.path.display()
    }
}

pub(super) fn preview(plans: &[Plan], output: &mut impl Write, notices: &mut impl Write) -> bool {
    let mut done = true;
    for plan in plans {
        if plan.changes() {
            let old = old_text(plan);
            done &= print(
                output,
                &diff::unified(&plan.path().to_string(), old, &plan.new),
            );
        } else {
            say(notices, &format!("{}: nothing would change", plan.path()));
        }
    }
    done
}

fn old_text(plan: &Plan) -> Option<&str> {
    plan.file.old.as_deref().and_then(|it| text_of(it).ok())
}

pub(super) fn carry_out(
    slot: &Slot<'_>,
    plans: &[Plan],
    change: &Change,
    notices: &mut impl Write,
) -> bool {
    let mut done = true;
    let mut changed = false;
    for plan in plans {
        let path = plan.path();
        if !plan.changes() {
            let why = match change {
                Change::Write(_) => "the entry is there already",
                Change::Remove => "there is no such entry",
            };
            say(notices, &format!("{path}: {why}; nothing was changed"));
            continue;
        }
        match plan.file.replace(plan.new.as_bytes()) {
            Ok(backup) => {
                changed = true;
                say(
                    notices,
                    &format!("{path}: {}", what_happened(change, backup.as_deref())),
                );
            }
            Err(error) => {
                done = false;
                say(notices, &format!("filewright: {path}: {error:#}"));
            }
        }
    }
    if done && matches!(change, Change::Write(_)) {
        done = try_out(slot, plans, notices);
    }
    if done && changed {
        say(notices, &format!("Then {}", slot.host.then));
    }
    done
}

fn what_happened(change: &Change, backup: Option<&Path>) -> String {
    let what = match change {
        Change::Write(_) => "the entry is written",
        Change::Remove => "the entry is taken out",
    };
    match backup {
        Some(backup) => format!("{what}; the old file is kept as {}", backup.display()),
        None => format!("{what}; the file is new"),
    }
}

/// Starts what is now in the files, as the host will.
fn try_out(slot: &Slot<'_>, plans: &[Plan], notices: &mut impl Write) -> bool {
    let mut tried: Vec<Entry> = Vec::new();
    let mut done = true;
    for plan in plans {
        let entry = ConfigFile::read(plan.file.path.clone())
            .and_then(|it| slot.read(text_of(it.old.as_deref().unwrap_or_default())?));
        let outcome = match entry {
            Ok(Some(entry)) if tried.contains(&entry) => continue,
            Ok(Some(entry)) => {
                let outcome = trial(&entry);
                tried.push(entry);
                outcome
            }
            Ok(None) => Err("the entry is gone again".to_owned()),
            Err(error) => Err(format!("{error:#}")),
        };
        match outcome {
            Ok(name) => say(
                notices,
                &format!("Tried what is written there: {name} answers."),
            ),
            Err(reason) => {
                done = false;
                say(
                    notices,
                    &format!(
                        "filewright: tried what is written there: {reason}. The entry stays; --remove takes it out"
                    ),
                );
            }
        }
    }
    done
}
