//! How a server is started: program, arguments, directory, environment.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

#[derive(Clone, Debug, Default)]
pub(crate) struct Launch {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) directory: Option<PathBuf>,
    /// Added to the environment, or the whole of it.
    pub(crate) variables: Vec<(String, OsString)>,
    pub(crate) has_clean_environment: bool,
    /// Leaves stderr unread, as a careless host does.
    pub(crate) ignores_stderr: bool,
}

impl Launch {
    /// The environment that the server gets.
    pub(crate) fn environment(&self) -> Vec<(String, OsString)> {
        let mut all: Vec<(String, OsString)> = Vec::new();
        if !self.has_clean_environment {
            all.extend(std::env::vars_os().map(|(name, it)| (name.to_string_lossy().into(), it)));
        }
        for (name, value) in &self.variables {
            all.retain(|(known, _)| known != name);
            all.push((name.clone(), value.clone()));
        }
        all
    }

    /// Every stream is a pipe, and on Unix the server leads a process group, so that whatever it starts
    /// itself can be found.
    pub(super) fn command(&self) -> io::Result<Command> {
        let mut command = Command::new(self.resolved()?);
        command.args(&self.arguments);
        command.env_clear().envs(self.environment());
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Ok(command)
    }

    /// Where the program is, looked up as a host does: in the PATH that the server gets.
    pub(crate) fn resolved(&self) -> io::Result<PathBuf> {
        let environment = self.environment();
        let path = environment
            .iter()
            .find(|(name, _)| match cfg!(windows) {
                true => name.eq_ignore_ascii_case("PATH"),
                false => name == "PATH",
            })
            .map(|(_, value)| value.clone());
        let here = match &self.directory {
            Some(directory) => std::path::absolute(directory)?,
            None => std::env::current_dir()?,
        };
        let is_path = self.program.components().count() > 1;
        let found = which::which_in(&self.program, path, &here);
        found.map_err(|_| match here.join(&self.program) {
            it if is_path && it.is_dir() => io::Error::other("it is a directory"),
            it if is_path && it.exists() => io::Error::other("it is not executable"),
            _ => io::Error::new(io::ErrorKind::NotFound, "command not found"),
        })
    }
}
