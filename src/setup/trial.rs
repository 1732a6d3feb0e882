//! Starts what an entry says, as the host will, and shakes hands with it.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::entry::Entry;
use crate::protocol::{Era, newest_date};

/// How long the answer, and then the end, may take.
const LIMIT: Duration = Duration::from_secs(10);

/// How often the end is looked for.
const PAUSE: Duration = Duration::from_millis(5);

/// How long the last words of a process that has ended are waited for.
const STDERR_LIMIT: Duration = Duration::from_secs(1);

/// Bytes of stdout and stderr that are looked at.
const MOST_BYTES: u64 = 1024 * 1024;

/// The name and version with which the server introduces itself, or why it does not.
pub(super) fn trial(entry: &Entry) -> Result<String, String> {
    within(LIMIT, entry)
}

fn within(limit: Duration, entry: &Entry) -> Result<String, String> {
    let mut child = start(entry)?;
    let answer = read_first_line(child.stdout.take());
    let complaint = read_all(child.stderr.take());
    let mut stdin = child.stdin.take();
    // So short that an empty pipe takes it at once. A process that is gone shows in its answer.
    let hello = format!("{}\n", hello());
    drop(stdin.as_mut().map(|it| it.write_all(hello.as_bytes())));
    let line = answer.recv_timeout(limit);
    drop(stdin);
    let ended = end(&mut child, if line.is_ok() { limit } else { PAUSE });
    match line {
        Ok(line) if !line.is_empty() => introduction(&line),
        Ok(_) => {
            let words = complaint.recv_timeout(STDERR_LIMIT).unwrap_or_default();
            let words = words.lines().last().unwrap_or("it said nothing on stderr");
            Err(format!("it ended without an answer ({ended}): {words}"))
        }
        Err(_) => Err(format!("no answer within {limit:?}")),
    }
}

fn start(entry: &Entry) -> Result<Child, String> {
    let mut command = Command::new(&entry.command);
    command.args(&entry.args).current_dir(std::env::temp_dir());
    // A host does not have what is set in this shell.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("FILEWRIGHT_") {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let child = command.stderr(Stdio::piped()).spawn();
    child.map_err(|error| format!("{} can't be started: {error}", entry.command))
}

fn hello() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": newest_date(Era::Legacy), "capabilities": {},
        "clientInfo": {"name": "filewright setup", "version": env!("CARGO_PKG_VERSION")},
    }})
}

fn read_first_line(stream: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut line = Vec::new();
        if let Some(stream) = stream {
            let mut stream = BufReader::new(stream);
            drop((&mut stream).take(MOST_BYTES).read_until(b'\n', &mut line));
            drop(sender.send(line));
            // Read on, so that a server that says more does not stand still.
            drop(std::io::copy(&mut stream, &mut std::io::sink()));
        }
    });
    receiver
}

fn read_all(stream: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            drop((&mut stream).take(MOST_BYTES).read_to_end(&mut bytes));
            drop(sender.send(String::from_utf8_lossy(&bytes).into_owned()));
            drop(std::io::copy(&mut stream, &mut std::io::sink()));
        }
    });
    receiver
}

/// Waits for the end, and makes one when it does not come.
fn end(child: &mut Child, patience: Duration) -> String {
    let deadline = Instant::now() + patience;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if Instant::now() < deadline => thread::sleep(PAUSE),
            _ => break None,
        }
    };
    status.map_or_else(
        || {
            drop(child.kill());
            drop(child.wait());
            "it had to be stopped".to_owned()
        },
        |status: ExitStatus| status.to_string(),
    )
}

fn introduction(line: &[u8]) -> Result<String, String> {
    let shown = || String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned();
    let answer: Value = serde_json::from_slice(line)
        .map_err(|_| format!("its first line is no JSON: {}", shown()))?;
    let info = &answer["result"]["serverInfo"];
    match (info["name"].as_str(), info["version"].as_str()) {
        (Some(name), Some(version)) => Ok(format!("{name} {version}")),
        _ => Err(format!("it answered {}", shown())),
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_fails(script: &str, limit: Duration, expected: &str) {
        let entry = Entry {
            command: "sh".to_owned(),
            args: vec!["-c".to_owned(), script.to_owned()],
        };
        let said = within(limit, &entry).unwrap_err();
        assert!(said.contains(expected), "{said}");
    }

    #[test]
    fn a_process_that_says_nothing_is_not_waited_for_forever() {
        let limit = Duration::from_millis(50);
        assert_fails(
            "while read line; do :; done",
            limit,
            "no answer within 50ms",
        );
        assert_fails("exec sleep 9", limit, "no answer");
    }

    #[test]
    fn what_went_wrong_is_said() {
        assert_fails(
            "read line; echo 'no such key' >&2; exit 3",
            LIMIT,
            "no such key",
        );
        assert_fails("read line; exit 3", LIMIT, "exit status: 3");
        assert_fails("echo starting; cat", LIMIT, "no JSON: starting");
        assert_fails(
            "echo '{\"error\":1}'; cat",
            LIMIT,
            "it answered {\"error\":1}",
        );
        let entry = Entry {
            command: "/no/such/program".to_owned(),
            args: Vec::new(),
        };
        assert!(trial(&entry).unwrap_err().contains("/no/such/program"));
    }
}
