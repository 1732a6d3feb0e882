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
const SECRET: [&str; 11] = [
    "KEY",
    "PASS",
    "SSHPASS",
    "PWD",
    "PAT",
    "CREDENTIAL",
    "CREDENTIALS",
    "AUTH",
    "AUTHORIZATION",
    "BEARER",
    "COOKIE",
];

/// Such words, and what they end in where several are written as one: `PGPASSWORD`, `accessToken`.
const SECRET_ENDS: [&str; 6] = [
    "APIKEY",
    "TOKEN",
    "SECRET",
    "PASSWD",
    "PASSWORD",
    "PASSPHRASE",
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
            // What was given may be a secret.
            bail!("--env takes NAME=VALUE, with a name");
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
    let mut limits = Limits::default();
    limits.methods.insert("initialize".to_owned(), FIRST_ANSWER);
    limited(args, limits)
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
    let mut typed = HashMap::new();
    for text in &args.timeouts {
        match text.split_once('=') {
            Some((method, time)) => drop(typed.insert(method.to_owned(), seconds(time)?)),
            None => {
                usual = seconds(text)?;
                methods.remove("initialize");
            }
        }
    }
    methods.extend(typed);
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
    match is_secret(name) {
        true => format!("{name}=***"),
        false => format!("{name}={}", masked_text(value)),
    }
}

/// Arguments as they may be shown, with the values of secret options masked.
pub(super) fn masked_arguments(arguments: &[OsString]) -> Vec<String> {
    let mut masked = Vec::new();
    let mut is_next = false;
    for argument in arguments {
        let text = argument.to_string_lossy();
        let is_option = text.starts_with('-');
        masked.push(match is_next && !is_option {
            true => "***".to_owned(),
            false => masked_text(&text),
        });
        is_next = is_option && !text.contains('=') && is_secret(&text);
    }
    masked
}

/// A text without the secrets that it names: `TOKEN=…`, `Authorization: …`, `https://…?key=…`, and the
/// password in a URL.
fn masked_text(text: &str) -> String {
    if has_password(text) {
        return "***".to_owned();
    }
    if let Some((place, query)) = text.split_once('?')
        && text.contains("://")
    {
        let fields: Vec<String> = query.split('&').map(masked_pair).collect();
        return format!("{place}?{}", fields.join("&"));
    }
    masked_pair(text)
}

fn masked_pair(text: &str) -> String {
    for between in ["=", ": "] {
        if let Some((name, _)) = text.split_once(between)
            && is_secret(name)
        {
            return format!("{name}{between}***");
        }
    }
    text.to_owned()
}

/// Whether one of the words of a name is one of those, or ends in one.
fn is_secret(name: &str) -> bool {
    let mut spaced = String::new();
    for it in name.chars() {
        if it.is_uppercase() && spaced.ends_with(char::is_lowercase) {
            spaced.push(' ');
        }
        spaced.push(it);
    }
    let upper = spaced.to_uppercase();
    let mut words = upper.split(|it: char| !it.is_alphanumeric());
    words.any(|word| SECRET.contains(&word) || SECRET_ENDS.iter().any(|end| word.ends_with(end)))
}

/// `postgres://user:password@host`.
fn has_password(value: &str) -> bool {
    let rest = value.split_once("://").map_or("", |(_, rest)| rest);
    let user = rest.split('/').next().and_then(|it| it.rsplit_once('@'));
    user.is_some_and(|(user, _)| user.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_by_their_names() {
        assert_eq!(masked("OPENAI_API_KEY", "sk-1"), "OPENAI_API_KEY=***");
        assert_eq!(masked("github_token", "x"), "github_token=***");
        for plain in ["LANG", "AUTHOR", "COMPASS", "KEYBOARD", "MAX_TOKENS"] {
            assert_eq!(masked(plain, "C.UTF-8"), format!("{plain}=C.UTF-8"));
        }
        for secret in [
            "GITHUB_PAT",
            "MYSQL_PWD",
            "X_AUTH",
            "PGPASSWORD",
            "SSHPASS",
            "GPG_PASSPHRASE",
            "authToken",
            "ACCESSTOKEN",
            "npm_config_//registry.npmjs.org/:_authToken",
        ] {
            assert_eq!(masked(secret, "x"), format!("{secret}=***"));
        }
        let url = "postgres://me:secret@host/db";
        assert_eq!(masked("DATABASE_URL", url), "DATABASE_URL=***");
        assert_eq!(
            masked("SITE", "https://host/a@b:c"),
            "SITE=https://host/a@b:c"
        );
    }

    #[test]
    fn secret_arguments_are_masked() {
        let arguments = [
            "run",
            "--api-key",
            "sk-1",
            "--token=t",
            "--name",
            "x",
            url(),
        ];
        let shown = masked_arguments(&arguments.map(OsString::from));
        assert_eq!(
            shown,
            [
                "run",
                "--api-key",
                "***",
                "--token=***",
                "--name",
                "x",
                "***"
            ]
        );
        for (plain, shown) in [
            ("API_KEY=sk-1", "API_KEY=***"),
            ("Authorization: Bearer sk-1", "Authorization: ***"),
            ("--accessToken=sk-1", "--accessToken=***"),
            (
                "https://x.y/?a=1&api_key=sk-1",
                "https://x.y/?a=1&api_key=***",
            ),
            ("--header=X-Api-Key: sk-1", "--header=X-Api-Key: ***"),
            ("https://x.y/a=b", "https://x.y/a=b"),
        ] {
            assert_eq!(masked_text(plain), shown);
        }
        let arguments = ["--authToken", "sk-1", "--auth", "--port", "1"].map(OsString::from);
        let shown = masked_arguments(&arguments);
        assert_eq!(shown, ["--authToken", "***", "--auth", "--port", "1"]);
    }

    fn url() -> &'static str {
        "redis://:secret@host"
    }

    #[test]
    fn times_are_seconds() {
        assert_eq!(seconds("0.5").unwrap(), Duration::from_millis(500));
        for text in ["", "0", "-1", "ten", "inf", "1e9", "nan"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
