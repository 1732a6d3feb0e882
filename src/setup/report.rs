//! What is said: the entry or the command on stdout, and on stderr where it goes and what to do.

use super::document::Slot;
use super::entry::Entry;
use super::hosts::{Adder, HOSTS};
use super::places::Place;
use super::shell::Shell;
use super::surroundings::Surroundings;
use super::target::names_directories;
use crate::cli::{Scope, SetupArgs};

/// The hosts, one a line.
pub(super) fn hosts() -> String {
    let rows = HOSTS.iter().map(|host| {
        let scopes = match (host.has_projects, host.adder) {
            (true, _) => ", for the user or a project",
            (false, Adder::App(_)) => ", by import inside the app",
            (false, _) => "",
        };
        format!("{:<16}{}{scopes}\n", host.id, host.title)
    });
    rows.collect()
}

/// Everything that is said about an entry that is shown.
#[derive(Debug)]
pub(super) struct Report<'a> {
    pub(super) slot: &'a Slot<'a>,
    pub(super) entry: &'a Entry,
    pub(super) places: &'a [Place],
    pub(super) around: &'a Surroundings,
    pub(super) args: &'a SetupArgs,
}

impl Report<'_> {
    /// What is to be pasted, or typed.
    pub(super) fn payload(&self) -> String {
        let (host, name) = (self.slot.host, self.slot.name);
        let Adder::Command {
            before,
            scope: option,
            after,
        } = host.adder
        else {
            return self.entry.block(host, name);
        };
        let scope = match self.around.scope {
            Scope::User => "user",
            Scope::Project => "project",
        };
        let scope = option.map(|option| [option, scope]);
        let words = before.iter().copied().chain(scope.into_iter().flatten());
        let words = words.chain([name]).chain(after.iter().copied());
        self.shell().command(words.chain(self.entry.words())) + "\n"
    }

    /// Where it goes, and what to do then.
    pub(super) fn directions(&self) -> String {
        let host = self.slot.host;
        let mut lines = Vec::new();
        if !names_directories(self.args) && self.args.options.config.is_none() {
            lines.push(
                "This is an example: name the directories that may be read, and they will be in it."
                    .to_owned(),
            );
        }
        lines.push(self.opening());
        lines.extend(self.places.iter().map(|it| format!("  {}", it.file)));
        // That command knows the user's own configuration only.
        if let (Adder::JsonCommand(before), Scope::User) = (host.adder, self.around.scope) {
            let json = self.entry.named_json(host, self.slot.name);
            let words = before.iter().copied().chain([&*json]);
            lines.push(format!("Or run:\n  {}", self.shell().command(words)));
        }
        if !self.places.is_empty() {
            let again = self.again();
            lines.push(format!(
                "Or have it done, with a copy of the old file kept:\n  {again}"
            ));
        }
        lines.push(format!("Then {}", host.then));
        lines.join("\n")
    }

    fn opening(&self) -> String {
        let title = self.slot.host.title;
        match self.slot.host.adder {
            Adder::App(steps) => format!("{title} keeps its servers inside the app: {steps}."),
            Adder::Command { .. } => {
                format!("Run this command. It puts the entry into the file of {title}:")
            }
            Adder::File | Adder::JsonCommand(_) if self.places.len() > 1 => format!(
                "Put this into the file of {title}, beside what is there. Depending on how it is installed that is one of:"
            ),
            Adder::File | Adder::JsonCommand(_) => {
                format!("Put this into the file of {title}, beside what is there:")
            }
        }
    }

    /// This command line once more, asking for the file to be written.
    fn again(&self) -> String {
        let mut words = vec![self.slot.program, "setup", self.slot.host.id];
        if self.slot.name != "filewright" {
            words.extend(["--name", self.slot.name]);
        }
        if self.around.scope == Scope::Project {
            words.extend(["--scope", "project"]);
        }
        words.push("--write-config");
        words.extend(self.entry.args.iter().map(|it| &**it));
        self.shell().command(words)
    }

    fn shell(&self) -> Shell {
        let variable = (self.around.variable)("SHELL");
        Shell::of(self.around.system, variable.as_deref())
    }
}
