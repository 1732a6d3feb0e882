//! The start: is the command there, does it stay, does it answer?

use std::time::Duration;

use super::Check;
use super::launching::masked;
use super::report::Found;
use super::subject::{First, Subject};
use crate::cli::LayerName;
use crate::client::{Death, Failure, Oddity};
use crate::rpc::answer::Outcome;
use crate::words::plural;

/// How the names begin of variables that decide what is started and how it reads and writes text.
const TELLING: [&str; 10] = [
    "PATH",
    "HOME",
    "USERPROFILE",
    "APPDATA",
    "LANG",
    "LC_",
    "PYTHON",
    "NODE",
    "NPM_CONFIG",
    "VIRTUAL_ENV",
];

/// Hosts show a server as starting; longer than this looks broken.
const SLOW: Duration = Duration::from_secs(5);

/// How long the answer to a buffered request may take once stdin is closed.
const AFTER_EOF: Duration = Duration::from_secs(2);

pub(super) static CHECKS: [Check; 4] = [
    Check {
        layer: LayerName::Start,
        name: "command",
        sent: "nothing; the command is looked up in the PATH that the server gets",
        means: "no program is found under this name: hosts say ENOENT; programs with windows have a \
                shorter PATH than a shell",
        remedy: "write the absolute path of the program into the host's configuration",
        look: command,
    },
    Check {
        layer: LayerName::Start,
        name: "environment",
        sent: "nothing",
        means: "where the server starts and what it is given",
        remedy: "compare with what the host's configuration says",
        look: environment,
    },
    Check {
        layer: LayerName::Start,
        name: "running",
        sent: "the first request",
        means: "the process ended by itself before it was told to",
        remedy: "read its last words on stderr: a missing module, a wrong argument, a missing variable",
        look: running,
    },
    Check {
        layer: LayerName::Start,
        name: "first-reply",
        sent: "the first request",
        means: "the server runs and does not answer: it may read something else than stdin, wait for \
                something, or write to a buffer",
        remedy: "answer initialize before doing anything slow; its own log, if it has one, says \
                 where it waits",
        look: first_reply,
    },
];

fn command(subject: &mut Subject) -> Found {
    match subject.launch.resolved() {
        Ok(path) => Found::pass(path.display().to_string()),
        Err(error) => {
            let environment = subject.launch.environment();
            let path = environment.iter().find(|(name, _)| name == "PATH");
            let path = path.map_or("nothing".into(), |(_, it)| it.to_string_lossy());
            let program = subject.launch.program.display();
            Found::fail(format!("{program}: {error}; PATH is {path}"))
        }
    }
}

fn environment(subject: &mut Subject) -> Found {
    let launch = &subject.launch;
    let directory = match &launch.directory {
        Some(directory) => directory.clone(),
        None => std::env::current_dir().unwrap_or_default(),
    };
    let all = launch.environment();
    let is_given = |name: &str| launch.variables.iter().any(|(given, _)| given == name);
    let matters = |name: &str| TELLING.iter().any(|it| name.to_uppercase().starts_with(it));
    let mut shown: Vec<String> = all
        .iter()
        .filter(|(name, _)| is_given(name) || matters(name))
        .map(|(name, value)| masked(name, &value.to_string_lossy()))
        .collect();
    shown.sort();
    let others = plural((all.len() - shown.len()) as u64, "other variable");
    let shown = shown.into_iter().chain([others]);
    let shown = shown.collect::<Vec<_>>().join(" ");
    Found::pass(format!("in {}: {shown}", directory.display()))
}

fn running(subject: &mut Subject) -> Found {
    if let Err(error) = subject.meet() {
        return Found::fail(format!("it cannot be started: {error}"));
    }
    match &subject.first {
        Some(First {
            outcome: Err(Failure::Died(death)),
            ..
        }) => {
            let noise = noise(subject).unwrap_or_default();
            Found::fail(format!("{}{noise}", last_words(death)))
        }
        _ => {
            let process = subject.client.as_ref().map_or(0, |it| it.process_id());
            Found::pass(format!("process {process}"))
        }
    }
}

fn last_words(death: &Death) -> String {
    let stderr = match &death.stderr[..] {
        [] => "nothing on stderr".to_owned(),
        lines => format!("last on stderr: {}", lines.join(" | ")),
    };
    format!("{}; {stderr}", death.status)
}

/// What came on stdout where a message was expected.
fn noise(subject: &Subject) -> Option<String> {
    subject.odd.iter().find_map(|it| match it {
        Oddity::Noise(line) => Some(format!("; on stdout instead: {line}")),
        Oddity::Cut { bytes } => Some(format!("; the message was cut after {bytes} bytes")),
        _ => None,
    })
}

fn first_reply(subject: &mut Subject) -> Found {
    let Some(first) = &subject.first else {
        return Found::skip("it does not run");
    };
    let took = format!("after {:.0} ms", first.took.as_secs_f64() * 1000.0);
    match &first.outcome {
        Ok(Outcome::Result(_) | Outcome::Error { .. }) if first.took > SLOW => {
            Found::note(format!("{took}; hosts show a server as starting so long"))
        }
        Ok(_) => Found::pass(took),
        Err(failure) => {
            let failure = failure.to_string();
            silent(subject, &failure)
        }
    }
}

/// A server that buffers what it writes answers when it ends.
fn silent(subject: &mut Subject, failure: &str) -> Found {
    subject.give_up();
    if let Some(client) = &subject.client {
        client.close();
        client.listen(AFTER_EOF);
    }
    subject.gather();
    if subject
        .odd
        .iter()
        .any(|it| matches!(it, Oddity::Late { .. }))
    {
        return Found::note("only once its stdin was closed");
    }
    if let Some(id) = subject.other_id() {
        return Found::note(format!("an answer with the id {id}, and none with 1"));
    }
    let noise = noise(subject);
    let stderr = subject
        .client
        .as_ref()
        .map(|it| it.stderr())
        .unwrap_or_default();
    let stderr = stderr.last().map(|it| format!("; last on stderr: {it}"));
    let (noise, stderr) = (noise.unwrap_or_default(), stderr.unwrap_or_default());
    Found::fail(format!("{failure}{noise}{stderr}"))
}
