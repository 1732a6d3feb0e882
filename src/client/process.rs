//! The server's process: its stderr, its end, and how it is brought to one.

use std::collections::VecDeque;
use std::io::{self, BufRead as _, BufReader, Read};
use std::process::{ChildStderr, ChildStdin, ChildStdout, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use shared_child::SharedChild;

use super::Launch;
use super::group;
use super::oddity::shown;

/// Lines of stderr that are kept.
const KEPT_LINES: usize = 20;

/// How long a server has after each hint that it should go: its stdin closed, then SIGTERM.
const PATIENCE: Duration = Duration::from_secs(2);

/// What shells say of a command that was interrupted.
const INTERRUPTED: i32 = 130;

/// How long stderr may be held open, by another process, after the server's end.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How long what a server has started may take to notice that it is gone.
const LAST_STEPS: Duration = Duration::from_secs(1);

/// How often an end is looked for.
const LOOK: Duration = Duration::from_millis(5);

/// How a server ended on its own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Death {
    /// That it ended, and with which exit code or signal, or that it goes on with its stdout closed.
    pub(crate) status: String,
    pub(crate) stderr: Vec<String>,
}

impl std::fmt::Display for Death {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}", self.status)?;
        match self.stderr.last() {
            Some(line) => write!(formatter, "; last on stderr: {line}"),
            None => write!(formatter, "; nothing on stderr"),
        }
    }
}

/// What it took to end a server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ending {
    /// It had ended already.
    Before,
    /// The end of its input was enough; how long that took.
    EndOfInput(Duration),
    Terminated,
    Killed,
}

#[derive(Debug)]
pub(super) struct Process {
    child: Arc<SharedChild>,
    stderr: Arc<Stderr>,
    /// Read by nobody, where that is what is tried.
    _unread: Option<ChildStderr>,
}

/// The last lines of a server's stderr.
#[derive(Debug, Default)]
struct Stderr {
    lines: Mutex<VecDeque<String>>,
    has_ended: AtomicBool,
}

pub(super) struct Streams {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
}

impl Process {
    pub(super) fn start(launch: &Launch) -> io::Result<(Process, Streams)> {
        let child = SharedChild::spawn(&mut launch.command()?)?;
        let missing = || io::Error::other("a stream is missing");
        let streams = Streams {
            stdin: child.take_stdin().ok_or_else(missing)?,
            stdout: child.take_stdout().ok_or_else(missing)?,
        };
        let stderr = child.take_stderr().ok_or_else(missing)?;
        let lines = Arc::new(Stderr::default());
        let unread = if launch.ignores_stderr {
            #[cfg(target_os = "linux")]
            // A small pipe shows sooner what a full one does. One that stays large still shows it.
            let _ = rustix::pipe::fcntl_setpipe_size(&stderr, 4096);
            lines.has_ended.store(true, Ordering::SeqCst);
            Some(stderr)
        } else {
            let kept = Arc::clone(&lines);
            spawn("stderr", move || {
                keep_lines(stderr, &kept.lines);
                kept.has_ended.store(true, Ordering::SeqCst);
            })?;
            None
        };
        running().push(child.id());
        let process = Process {
            child: Arc::new(child),
            stderr: lines,
            _unread: unread,
        };
        Ok((process, streams))
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the end, however long that takes.
    pub(super) fn waiter(&self) -> impl FnOnce() -> Option<ExitStatus> + Send + 'static {
        let child = Arc::clone(&self.child);
        move || child.wait().ok()
    }

    /// The last lines of a server that has ended: what it said is on its way for a moment longer.
    pub(super) fn last_words(&self) -> Vec<String> {
        let deadline = Instant::now() + LAST_WORDS;
        while !self.stderr.has_ended.load(Ordering::SeqCst) && Instant::now() < deadline {
            thread::sleep(LOOK);
        }
        self.stderr()
    }

    pub(super) fn stderr(&self) -> Vec<String> {
        let lines = self
            .stderr
            .lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        lines.iter().cloned().collect()
    }

    /// To be called with stdin closed.
    pub(super) fn end(&self) -> Ending {
        let begun = Instant::now();
        if self.ends_within(PATIENCE) {
            Ending::EndOfInput(begun.elapsed())
        } else if group::terminate(self.id()) && self.ends_within(PATIENCE) {
            Ending::Terminated
        } else {
            self.kill();
            Ending::Killed
        }
    }

    /// Ends the server and whatever it has started, at once. One that may not be killed, because it runs
    /// as another user, is left.
    pub(super) fn kill(&self) {
        group::kill(self.id());
        // It may be gone already.
        let _ = self.child.kill();
        self.ends_within(PATIENCE);
    }

    fn ends_within(&self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => thread::sleep(LOOK),
                outcome => return matches!(outcome, Ok(Some(_))),
            }
        }
    }

    /// Whether something that the server started outlives it by more than a moment; such processes are
    /// ended.
    pub(super) fn leaves_orphans(&self) -> bool {
        let deadline = Instant::now() + LAST_STEPS;
        let mut is_left = group::has_members(self.id());
        while is_left && Instant::now() < deadline {
            thread::sleep(LOOK);
            is_left = group::has_members(self.id());
        }
        group::kill(self.id());
        is_left
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        running().retain(|it| *it != self.id());
    }
}

/// The servers that run, by process.
fn running() -> MutexGuard<'static, Vec<u32>> {
    static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on a signal that ends this program ends the servers that it has started too. They lead
/// process groups of their own, so a terminal's interrupt does not reach them.
pub(crate) fn end_servers_on_signals() {
    // Without a handler they see the end of their input, as ever.
    let _ = ctrlc::set_handler(|| {
        running().iter().for_each(|it| group::kill(*it));
        std::process::exit(INTERRUPTED);
    });
}

/// Starts a thread with a name.
pub(super) fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let builder = thread::Builder::new().name(name.to_owned());
    builder.spawn(run).map(drop)
}

fn keep_lines(stderr: impl Read, kept: &Mutex<VecDeque<String>>) {
    /// Of a flood without line ends no more is looked at as one line.
    const LONGEST: u64 = 64 * 1024;
    let mut stderr = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        line.clear();
        match stderr.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == KEPT_LINES {
            kept.pop_front();
        }
        kept.push_back(shown(line.trim_ascii_end()));
    }
}

/// An end in words.
pub(super) fn status_text(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("the server ended: signal {signal}");
    }
    match status.code() {
        Some(code) => format!("the server ended: exit code {code}"),
        None => "the server ended".to_owned(),
    }
}
