//! What the places of configuration files depend on: the system, the home directory, variables.
//!
//! Paths are put together as text, so that the places on every system can be tested on any.

use std::fs;

use anyhow::{Context as _, Result};

use crate::cli::Scope;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum System {
    Linux,
    MacOs,
    Windows,
}

/// The user's machine, as far as it decides where a host looks.
#[derive(Debug)]
pub(super) struct Surroundings {
    pub(super) system: System,
    pub(super) home: String,
    /// The current directory, which is the project.
    pub(super) current: String,
    pub(super) scope: Scope,
    pub(super) variable: fn(&str) -> Option<String>,
    /// The names in a directory; none if there is no such directory.
    pub(super) names_in: fn(&str) -> Vec<String>,
}

impl Surroundings {
    pub(super) fn here(scope: Scope) -> Result<Surroundings> {
        let text = |path: std::path::PathBuf| {
            let path = path.into_os_string().into_string();
            path.ok().filter(|it| !it.is_empty())
        };
        let home = std::env::home_dir().and_then(text);
        let current = std::env::current_dir().ok().and_then(text);
        Ok(Surroundings {
            system: System::here(),
            home: home.context("the home directory is not known, or its name is not Unicode")?,
            current: current.context("the current directory is not known, or not Unicode")?,
            scope,
            variable: |name| std::env::var(name).ok().filter(|it| !it.is_empty()),
            names_in,
        })
    }

    /// The parts below a directory.
    pub(super) fn join(&self, base: &str, parts: &[&str]) -> String {
        let separator = self.system.separator();
        let mut path = base.trim_end_matches(separator).to_owned();
        for part in parts {
            path.push(separator);
            path.push_str(part);
        }
        path
    }

    pub(super) fn in_home(&self, parts: &[&str]) -> String {
        self.join(&self.home, parts)
    }

    /// A directory that a variable names, or else this place in the home directory.
    pub(super) fn variable_or(&self, variable: &str, parts: &[&str]) -> String {
        (self.variable)(variable).unwrap_or_else(|| self.in_home(parts))
    }

    /// Where programs with windows keep what the user configured.
    pub(super) fn configuration(&self) -> String {
        match self.system {
            // A relative one is to be ignored (XDG Base Directory Specification).
            System::Linux => match self.variable_or("XDG_CONFIG_HOME", &[".config"]) {
                path if path.starts_with('/') => path,
                _ => self.in_home(&[".config"]),
            },
            System::MacOs => self.in_home(&["Library", "Application Support"]),
            System::Windows => self.variable_or("APPDATA", &["AppData", "Roaming"]),
        }
    }

    pub(super) fn is_there(&self, path: &str) -> bool {
        let (parent, name) = path
            .rsplit_once(self.system.separator())
            .unwrap_or(("", path));
        (self.names_in)(parent).iter().any(|it| it == name)
    }
}

impl System {
    pub(super) fn here() -> System {
        match std::env::consts::OS {
            "windows" => System::Windows,
            "macos" => System::MacOs,
            _ => System::Linux,
        }
    }

    pub(super) fn separator(self) -> char {
        match self {
            System::Windows => '\\',
            System::Linux | System::MacOs => '/',
        }
    }
}

fn names_in(directory: &str) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|it| it.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}
