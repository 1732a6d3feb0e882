//! How the program is started, and the threads that keep a test from hanging on its pipes.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use crate::client::{Client, LIMIT};

/// The program that is tested: the one cargo built, or the one that `FILEWRIGHT_TEST_BIN` names, so that a release, or a
/// script that starts one in its own surroundings, passes the same tests.
pub(crate) fn program() -> PathBuf {
    let named = std::env::var_os("FILEWRIGHT_TEST_BIN");
    named.map_or_else(|| env!("CARGO_BIN_EXE_filewright").into(), PathBuf::from)
}

/// How the program is started.
#[derive(Debug)]
pub(crate) struct Launch {
    command: Command,
    reads: bool,
    quiet: bool,
    limit: Duration,
}

impl Launch {
    /// The built program with these arguments and no variables that would configure it.
    pub(crate) fn new<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Self {
        Self::of(program(), arguments)
    }

    /// The same for a copy of the program somewhere else.
    pub(crate) fn of<S: AsRef<OsStr>>(
        program: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = S>,
    ) -> Self {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("FILEWRIGHT_") || text.starts_with("MCP_") {
                command.env_remove(&name);
            }
        }
        Self {
            command,
            reads: true,
            quiet: true,
            limit: LIMIT,
        }
    }

    /// Leaves stdout and stderr unread until `Client::read` is called.
    pub(crate) fn unread(mut self) -> Self {
        self.reads = false;
        self
    }

    /// Lets it take longer to its end: it waits for a program that does not answer.
    pub(crate) fn patient(mut self) -> Self {
        self.limit = LIMIT * 6;
        self
    }

    /// Lets the program run to its end without input.
    pub(crate) fn output(self) -> Output {
        self.output_of("")
    }

    /// Lets the program run to its end with this input, which must fit into a pipe.
    pub(crate) fn output_of(mut self, input: &str) -> Output {
        let mut child = self.command.spawn().expect("the built program starts");
        let mut stdin = child.stdin.take().unwrap();
        // A program that wants no input may be gone already.
        drop(stdin.write_all(input.as_bytes()));
        drop(stdin);
        let (sender, output) = mpsc::channel();
        thread::spawn(move || sender.send(child.wait_with_output().unwrap()));
        output.recv_timeout(self.limit).expect("the program ends")
    }

    /// Allows text on stderr.
    pub(crate) fn loud(mut self) -> Self {
        self.quiet = false;
        self
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        change(&mut self.command);
        self
    }

    pub(crate) fn start(mut self) -> Client {
        let reads = self.reads;
        let mut client = Client::new(self.spawn(), self.quiet);
        if reads {
            client.read();
        }
        client
    }

    pub(crate) fn spawn(&mut self) -> Child {
        self.command.spawn().expect("the built program starts")
    }
}

#[derive(Debug)]
pub(crate) enum Job {
    Write(Vec<u8>),
    Tell(Sender<()>),
}

/// Writes from a thread of its own, so that a server that does not read can't hang the test.
pub(crate) fn write_jobs(mut stdin: impl Write + Send + 'static) -> Sender<Job> {
    let (sender, jobs) = mpsc::channel();
    thread::spawn(move || {
        for job in jobs {
            match job {
                // A server that is gone shows in what it no longer answers.
                Job::Write(bytes) => drop(stdin.write_all(&bytes)),
                Job::Tell(waiting) => drop(waiting.send(())),
            }
        }
    });
    sender
}

/// The pieces of a stream up to each line feed.
pub(crate) fn read_lines(stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        let mut stream = BufReader::new(stream);
        let mut line = Vec::new();
        while stream.read_until(b'\n', &mut line).is_ok_and(|it| it > 0) {
            if sender.send(std::mem::take(&mut line)).is_err() {
                break;
            }
        }
    });
    lines
}

/// Everything until the end of the stream.
pub(crate) fn drain(lines: Option<Receiver<Vec<u8>>>) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let Some(lines) = lines else { return all };
    loop {
        match lines.recv_timeout(LIMIT) {
            Ok(line) => all.push(line),
            Err(mpsc::RecvTimeoutError::Disconnected) => return all,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("the program does not end"),
        }
    }
}

/// The last of what was said in a session; a failing test prints it.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    notes: VecDeque<String>,
    forgotten: usize,
}

impl Journal {
    const MOST_NOTES: usize = 200;

    pub(crate) fn note(&mut self, direction: &str, bytes: &[u8]) {
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(2_000)]);
        let (size, text) = (bytes.len(), text.trim_end());
        self.notes
            .push_back(format!("{direction} ({size} bytes) {text}"));
        if self.notes.len() > Self::MOST_NOTES {
            self.notes.pop_front();
            self.forgotten += 1;
        }
    }
}

impl Drop for Journal {
    #[expect(
        clippy::print_stderr,
        reason = "the harness shows it with the failed test"
    )]
    fn drop(&mut self) {
        if thread::panicking() && !self.notes.is_empty() {
            let notes = self.notes.make_contiguous().join("\n");
            eprintln!(
                "--- the session, after {} lines ---\n{notes}\n---",
                self.forgotten
            );
        }
    }
}
