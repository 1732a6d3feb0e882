//! Log lines to stderr and to a file, each written by a thread of its own.
//!
//! **Logging never waits**: the queue is bounded, and what does not fit is dropped and counted, so
//! that a host that does not read stderr holds up nothing.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes that may wait to be written to one sink.
const MAX_QUEUED: usize = 1024 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Off,
    Error,
    Warn,
    Info,
    Debug,
}

impl Level {
    pub(crate) const NAMES: &str = "off, error, warn, info, debug";

    /// Understands our names and those of MCP and syslog.
    pub(crate) fn from_name(name: &str) -> Option<Level> {
        match name.trim().to_ascii_lowercase().as_str() {
            "off" | "none" => Some(Level::Off),
            "error" | "critical" | "alert" | "emergency" => Some(Level::Error),
            "warn" | "warning" => Some(Level::Warn),
            "info" | "notice" => Some(Level::Info),
            "debug" | "trace" => Some(Level::Debug),
            _ => None,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Level::Off => "off",
            Level::Error => "error",
            Level::Warn => "warn",
            Level::Info => "info",
            Level::Debug => "debug",
        }
    }
}

/// Where log lines go.
#[derive(Debug)]
pub(crate) struct Log {
    stderr: Sink,
    file: Option<Sink>,
}

impl Log {
    /// `level` is what the user asked for; without it stderr hears warnings and the file all.
    pub(crate) fn open(level: Option<Level>, file: Option<&Path>) -> io::Result<Log> {
        let file = match file {
            Some(path) => {
                let file = File::options().create(true).append(true).open(path)?;
                Some(Sink::new(level.unwrap_or(Level::Debug), file))
            }
            None => None,
        };
        let stderr = Sink::new(level.unwrap_or(Level::Warn), io::stderr());
        Ok(Log { stderr, file })
    }

    pub(crate) fn error(&self, text: &str) {
        self.say(Level::Error, text);
    }

    pub(crate) fn warn(&self, text: &str) {
        self.say(Level::Warn, text);
    }

    pub(crate) fn info(&self, text: &str) {
        self.say(Level::Info, text);
    }

    pub(crate) fn hears_info(&self) -> bool {
        self.sinks().any(|it| it.level >= Level::Info)
    }

    pub(crate) fn debug(&self, text: impl FnOnce() -> String) {
        if self.sinks().any(|it| it.level >= Level::Debug) {
            self.say(Level::Debug, &text());
        }
    }

    /// Writes to stderr whatever the level: what the user asked to see with `--mcp-debug`.
    pub(crate) fn show(&self, text: &str) {
        self.stderr.put(text.as_bytes());
    }

    /// Gives the threads this long to write what is queued.
    pub(crate) fn finish(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        self.sinks().for_each(|it| it.wait_empty(deadline));
    }

    fn say(&self, level: Level, text: &str) {
        for sink in self.sinks().filter(|it| it.level >= level) {
            let line = if sink.is_stamped {
                format!("{} {}: {text}\n", clock(), level.word())
            } else {
                format!("filewright: {text}\n")
            };
            sink.put(line.as_bytes());
        }
    }

    fn sinks(&self) -> impl Iterator<Item = &Sink> {
        std::iter::once(&self.stderr).chain(&self.file)
    }
}

/// One place that lines go to, with the queue of the thread that writes them.
#[derive(Debug)]
struct Sink {
    level: Level,
    is_stamped: bool,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    dropped: u64,
    is_writing: bool,
    /// The thread starts with the first line; a healthy session has none.
    output: Option<Box<dyn Write + Send>>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("State")
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

impl Sink {
    fn new(level: Level, output: impl Write + Send + 'static) -> Sink {
        let state = State {
            output: Some(Box::new(output)),
            ..State::default()
        };
        let shared = Shared {
            state: Mutex::new(state),
            changed: Condvar::new(),
        };
        Sink {
            level,
            is_stamped: level == Level::Debug,
            shared: Arc::new(shared),
        }
    }

    fn put(&self, line: &[u8]) {
        let mut state = self.shared.lock();
        if state.bytes + line.len() > MAX_QUEUED {
            state.dropped += 1;
            return;
        }
        state.bytes += line.len();
        state.lines.push_back(line.to_owned());
        if let Some(output) = state.output.take() {
            let shared = Arc::clone(&self.shared);
            // Without a thread the lines stay queued until they are dropped: logging is no reason
            // to fail.
            let _ = thread::Builder::new()
                .name("log".into())
                .spawn(move || shared.write_to(output));
        }
        self.shared.changed.notify_all();
    }

    fn wait_empty(&self, deadline: Instant) {
        let mut state = self.shared.lock();
        while !state.lines.is_empty() || state.is_writing {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let waited = self.shared.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Shared {
    /// The writing thread. Errors are nobody's to hear: a log that cannot be written is dropped.
    fn write_to(&self, mut output: Box<dyn Write + Send>) {
        let mut state = self.lock();
        loop {
            while state.lines.is_empty() {
                state = self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            let mut lines: Vec<u8> = state.lines.drain(..).flatten().collect();
            let dropped = std::mem::take(&mut state.dropped);
            if dropped > 0 {
                lines.extend_from_slice(format!("… {dropped} lines dropped\n").as_bytes());
            }
            state.is_writing = true;
            drop(state);
            let _ = output.write_all(&lines).and_then(|()| output.flush());
            state = self.lock();
            state.bytes = state.lines.iter().map(Vec::len).sum();
            state.is_writing = false;
            self.changed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The time of day, UTC, in milliseconds.
pub(crate) fn clock() -> String {
    jiff::Timestamp::now().strftime("%H:%M:%S.%3f").to_string()
}
