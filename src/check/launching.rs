//! From what was typed to how the server is started, and how long it is waited for.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::cli::CheckArgs;
use crate::client::{Launch, Limits};

/// Longer than a healthy server takes, shorter than a person waits twice.
const USUAL: Duration = Duration::from_secs(10);

/// Programs that are fetched before they start take their time.
const FIRST_ANSWER: Duration = Duration::from_secs(60);

/// What programs with windows are started with, where that is less than a shell has.
const GUI_PATH: &str = if cfg!(target_os = "macos") {
    "/usr/bin:/bin:/usr/sbin:/sbin"
} else {
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
};

/// Words in the name of a variable whose value nobody else should see.
const SECRET: [&str; 7] = [
    "KEY",
    "TOKEN",
    "SECRET",
    "PASS",
    "CREDENTIAL",
    "AUTH",
    "COOKIE",
];

pub(super) fn launch(args: &CheckArgs) -> Result<Launch> {
    let mut command = args.command.iter().cloned();
    let program = match command.next() {
        Some(program) => PathBuf::from(program),
        None => std::env::current_exe().context("cannot tell where this program is")?,
    };
    let mut variables = Vec::new();
    if args.gui_path && !cfg!(windows) {
        variables.push(("PATH".to_owned(), OsString::from(GUI_PATH)));
    }
    for pair in &args.variables {
        let Some((name, value)) = pair.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            bail!("--env: {pair} is not NAME=VALUE");
        };
        variables.push((name.to_owned(), value.into()));
    }
    if let Some(directory) = &args.cwd
        && !directory.is_dir()
    {
        bail!("--cwd: {} is no directory", directory.display());
    }
    Ok(Launch {
        program,
        arguments: command.collect(),
        directory: args.cwd.clone(),
        variables,
        has_clean_environment: args.clean_env,
        ignores_stderr: false,
    })
}

/// What was typed goes before what a client that is kept running allows.
pub(super) fn patient_limits(args: &CheckArgs) -> Result<Limits> {
    limited(args, Limits::default())
}

pub(super) fn limits(args: &CheckArgs) -> Result<Limits> {
    let methods = HashMap::from([("initialize".to_owned(), FIRST_ANSWER)]);
    let usual = USUAL;
    limited(args, Limits { usual, methods })
}

fn limited(args: &CheckArgs, limits: Limits) -> Result<Limits> {
    let Limits {
        mut usual,
        mut methods,
    } = limits;
    for text in &args.timeouts {
        match text.split_once('=') {
            Some((method, time)) => drop(methods.insert(method.to_owned(), seconds(time)?)),
            None => {
                usual = seconds(text)?;
                methods.remove("initialize");
            }
        }
    }
    Ok(Limits { usual, methods })
}

pub(super) fn seconds(text: &str) -> Result<Duration> {
    let number = text
        .trim()
        .parse()
        .ok()
        .filter(|it| *it > 0.0 && *it <= 86_400.0);
    match number {
        Some(number) => Ok(Duration::from_secs_f64(number)),
        None => bail!("{text} is no time: give seconds, for example 5 or 0.5"),
    }
}

/// A variable as it may be shown.
pub(super) fn masked(name: &str, value: &str) -> String {
    let upper = name.to_uppercase();
    if SECRET.iter().any(|it| upper.contains(it)) {
        format!("{name}=***")
    } else {
        format!("{name}={value}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_by_their_names() {
        assert_eq!(masked("OPENAI_API_KEY", "sk-1"), "OPENAI_API_KEY=***");
        assert_eq!(masked("github_token", "x"), "github_token=***");
        assert_eq!(masked("LANG", "C.UTF-8"), "LANG=C.UTF-8");
    }

    #[test]
    fn times_are_seconds() {
        assert_eq!(seconds("0.5").unwrap(), Duration::from_millis(500));
        for text in ["", "0", "-1", "ten", "inf", "1e9", "nan"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
