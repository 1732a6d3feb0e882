//! `filewright setup`: the entry that makes a host start this program, shown or put in place.
//!
//! **A file is changed as a whole or not at all, and nothing in it but the entry.**

mod change;
mod diff;
mod document;
mod entry;
mod file;
mod hosts;
mod json;
mod places;
mod program;
mod report;
mod shell;
mod surroundings;
mod target;
#[cfg(test)]
mod tests;
mod toml;
mod trial;

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::cli::{Scope, SetupArgs};
use change::{Change, plans};
use document::Slot;
use hosts::{Adder, Host};
use report::Report;
use surroundings::Surroundings;

/// Does what was asked. What is to be used goes to `output`, what is to be read to `notices`. True
/// if it could be done; the error is for wrong usage.
pub(crate) fn setup(
    args: &SetupArgs,
    mut output: impl Write,
    mut notices: impl Write,
) -> Result<bool> {
    let Some(host) = &args.host else {
        say(&mut notices, "Name a host: filewright setup HOST DIR");
        return Ok(print(&mut output, &report::hosts()));
    };
    let host = hosts::find(host).or_else(|nearest| {
        bail!("there is no host {host}; did you mean {nearest}? `filewright setup` lists them")
    })?;
    check(args, host)?;
    let around = Surroundings::here(args.scope.unwrap_or(Scope::User))?;
    let program = program::path()?;
    let slot = Slot {
        host,
        name: &args.name,
        program: &program,
    };
    let places = (host.places)(&around);
    // Whatever is there is taken out.
    let change = match args.remove {
        true => Change::Remove,
        false => Change::Write(target::entry(args, &program)?),
    };
    if let Change::Write(entry) = &change
        && !changes_files(args)
    {
        let report = Report {
            slot: &slot,
            entry,
            places: &places,
            around: &around,
            args,
        };
        return Ok(show(&report, &mut output, &mut notices));
    }
    let files = match &args.write_config {
        Some(Some(file)) => vec![target::absolute(file)?],
        _ => places::chosen(&places)
            .into_iter()
            .map(PathBuf::from)
            .collect(),
    };
    let plans = match plans(&slot, &change, files) {
        Ok(plans) => plans,
        Err(error) => {
            say(
                &mut notices,
                &format!("filewright: {error:#}. Nothing was changed"),
            );
            return Ok(false);
        }
    };
    if args.dry_run {
        return Ok(change::preview(&plans, &mut output, &mut notices));
    }
    Ok(change::carry_out(&slot, &plans, &change, &mut notices))
}

/// What clap can't know.
fn check(args: &SetupArgs, host: &Host) -> Result<()> {
    let title = host.title;
    let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
    if args.name.is_empty() || args.name.len() > 64 || !args.name.chars().all(is_plain) {
        bail!(
            "--name {}: hosts make names of tools from it; use up to 64 letters, digits, - and _",
            args.name
        );
    }
    if let Adder::App(steps) = host.adder
        && changes_files(args)
    {
        bail!(
            "{title} keeps its servers inside the app, where no other program can change them; \
             run this without --write-config, --remove and --dry-run, then {steps}"
        );
    }
    if args.scope == Some(Scope::Project) && !host.has_projects {
        bail!("{title} has no configuration of a project; leave out --scope");
    }
    let id = host.id;
    let says_what = target::names_directories(args) || args.options.config.is_some();
    if changes_files(args) && !args.remove && !says_what {
        bail!("name what may be read: filewright setup {id} DIR --write-config");
    }
    Ok(())
}

/// Whether it is about the file, even if only to see what would become of it.
fn changes_files(args: &SetupArgs) -> bool {
    args.write_config.is_some() || args.remove || args.dry_run
}

fn show(report: &Report<'_>, output: &mut impl Write, notices: &mut impl Write) -> bool {
    let done = print(output, &report.payload());
    say(notices, report.directions().trim_end());
    done
}

fn print(output: &mut impl Write, text: &str) -> bool {
    let written = output.write_all(text.as_bytes());
    match written.and_then(|()| output.flush()) {
        // A reader that has seen enough is content.
        Err(error) => error.kind() == io::ErrorKind::BrokenPipe,
        Ok(()) => true,
    }
}

fn say(notices: &mut impl Write, line: &str) {
    // Nobody may read stderr, and that is no reason to fail.
    let _ = writeln!(notices, "{line}");
}
