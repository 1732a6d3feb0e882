//! Requests and answers: who waits for what, and what became of it.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Launch;
use super::Oddity;
use super::inbox::{Listener, Reader, SETTLING, Shared, State, Waiting, lock};
use super::process::{Death, Ending, Process, spawn};
use super::raw_line::read_lines;
use super::writer::{Job, Outgoing, write};
use crate::rpc::Id;
use crate::rpc::answer::Outcome;

/// The longest line that is understood, in bytes.
const MAX_LINE: usize = 256 * 1024 * 1024;

/// How often a wait looks up for what no thread tells.
const LOOK: Duration = Duration::from_millis(50);

/// How long answers are waited for, method by method.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    pub(crate) usual: Duration,
    pub(crate) methods: HashMap<String, Duration>,
}

impl Default for Limits {
    fn default() -> Limits {
        let calls = ("tools/call".to_owned(), Duration::from_secs(5 * 60));
        Limits {
            usual: Duration::from_secs(30),
            methods: HashMap::from([calls]),
        }
    }
}

impl Limits {
    pub(crate) fn of(&self, method: &str) -> Duration {
        self.methods.get(method).copied().unwrap_or(self.usual)
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    /// None came within this.
    TimedOut(Duration),
    Died(Death),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::TimedOut(limit) => {
                write!(formatter, "no answer within {} s", limit.as_secs_f64())
            }
            Failure::Died(death) => write!(formatter, "{death}"),
        }
    }
}

/// One running server.
pub(crate) struct Client {
    process: Process,
    shared: Arc<Shared>,
    outgoing: Outgoing,
    limits: Limits,
    next_id: AtomicU64,
    /// The members of `_meta` that every request carries, in the modern era.
    claim: Mutex<Option<Value>>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let process = &self.process;
        formatter
            .debug_struct("Client")
            .field("process", process)
            .finish_non_exhaustive()
    }
}

/// A request whose answer is still to come.
#[derive(Debug)]
#[must_use]
pub(crate) struct Pending {
    id: Id,
    method: String,
    pub(crate) limit: Duration,
    asked: Instant,
}

impl Pending {
    /// Counts the time from now on.
    pub(crate) fn restart(&mut self) {
        self.asked = Instant::now();
    }
}

impl Client {
    pub(crate) fn start(
        launch: &Launch,
        limits: Limits,
        listener: Option<Listener>,
    ) -> io::Result<Client> {
        let (process, streams) = Process::start(launch)?;
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
            listener,
        });
        let (sender, jobs) = mpsc::channel();
        spawn("writer", move || write(streams.stdin, &jobs))?;
        let outgoing: Outgoing = Arc::new(Mutex::new(Some(sender)));
        let (reading, replies) = (Arc::clone(&shared), Arc::clone(&outgoing));
        spawn("reader", move || {
            let mut reader = Reader {
                shared: &reading,
                replies,
                broken: Vec::new(),
                replied: 0,
                is_echo: false,
            };
            // A pipe that cannot be read is as good as one that has ended.
            let _ = read_lines(streams.stdout, MAX_LINE, |line| reader.take(&line));
            reader.end();
        })?;
        let (waiting, wait) = (Arc::clone(&shared), process.waiter());
        spawn("waiter", move || {
            let status = wait();
            waiting.lock().exited = Some((Instant::now(), status));
            waiting.changed.notify_all();
        })?;
        Ok(Client {
            process,
            shared,
            outgoing,
            limits,
            next_id: AtomicU64::new(1),
            claim: Mutex::new(None),
        })
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// From now on every request carries these members in its `_meta`.
    pub(super) fn claim(&self, meta: Value) {
        *lock(&self.claim) = Some(meta);
    }

    /// Sends a request. Ids are numbers from 1 on, none of them used twice.
    pub(crate) fn ask(&self, method: &str, params: Value) -> Pending {
        self.ask_within(method, params, None)
    }

    /// The same with a limit of its own.
    pub(crate) fn ask_within(
        &self,
        method: &str,
        params: Value,
        limit: Option<Duration>,
    ) -> Pending {
        let id = self.next_id.fetch_add(1, Ordering::SeqCst).to_string();
        let mut pending = self.ask_as(&id, method, params);
        pending.limit = limit.unwrap_or(pending.limit);
        pending
    }

    /// Sends a request with an id given as JSON text.
    pub(crate) fn ask_as(&self, id: &str, method: &str, params: Value) -> Pending {
        let pending = self.expect(id, method);
        let line = self.request_line(id, method, params);
        self.send(vec![line.into_bytes()], Duration::ZERO);
        pending
    }

    /// Asks and waits, as long as the method may take.
    pub(crate) fn request(&self, method: &str, params: Value) -> Result<Outcome, Failure> {
        self.answer(self.ask(method, params))
    }

    /// The line of a request with an id given as JSON text.
    pub(crate) fn request_line(&self, id: &str, method: &str, mut params: Value) -> String {
        if let Some(claim) = &*lock(&self.claim) {
            params["_meta"] = claim.clone();
        }
        let params = match params {
            Value::Null => String::new(),
            params => format!(",\"params\":{params}"),
        };
        let method = json!(method);
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":{method}{params}}}\n")
    }

    /// Waits for answers to this id from now on; to be called before its request is sent.
    pub(crate) fn expect(&self, id: &str, method: &str) -> Pending {
        // What is no id is never answered, and that is then the finding.
        let id = Id::from_text(id).or_else(|| Id::from_text("\"\""));
        let pending = Pending {
            id: id.unwrap_or_else(|| unreachable!("an empty string is an id")),
            method: method.to_owned(),
            limit: self.limits.of(method),
            asked: Instant::now(),
        };
        let waiting = Waiting {
            method: method.to_owned(),
            outcome: None,
        };
        let mut state = self.shared.lock();
        state.pending.insert(pending.id.clone(), waiting);
        drop(state);
        pending
    }

    pub(crate) fn notify(&self, method: &str, params: Value) {
        let mut message = json!({"jsonrpc": "2.0", "method": method});
        if !params.is_null() {
            message["params"] = params;
        }
        self.send(vec![format!("{message}\n").into_bytes()], Duration::ZERO);
    }

    /// Writes pieces, with a pause between each and the next.
    pub(crate) fn send(&self, pieces: Vec<Vec<u8>>, pause: Duration) {
        self.shared.hear("->", &pieces.concat());
        if let Some(outgoing) = &*lock(&self.outgoing) {
            for (number, piece) in pieces.into_iter().enumerate() {
                // A writer that is gone has met a closed pipe, and the waiter tells of that.
                if number > 0 && !pause.is_zero() {
                    let _ = outgoing.send(Job::Pause(pause));
                }
                let _ = outgoing.send(Job::Write(piece));
            }
        }
    }

    /// Waits for the answer. On expiry the server is told, and an answer that comes later is dropped.
    pub(crate) fn answer(&self, pending: Pending) -> Result<Outcome, Failure> {
        let deadline = pending.asked + pending.limit;
        let mut state = self.shared.lock();
        loop {
            let waiting = state.pending.get_mut(&pending.id);
            if let Some(outcome) = waiting.and_then(|it| it.outcome.take()) {
                state.pending.remove(&pending.id);
                return Ok(outcome);
            }
            if let Some(status) = state.end() {
                state.pending.remove(&pending.id);
                drop(state);
                return Err(Failure::Died(self.death(status)));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                state.pending.remove(&pending.id);
                state.expired.insert(pending.id.clone());
                drop(state);
                // What opens a session must not be cancelled (MCP, cancellation).
                if pending.method != "initialize" {
                    let id: Value = serde_json::from_str(pending.id.text()).unwrap_or_default();
                    let params = json!({"requestId": id, "reason": "no answer in time"});
                    self.notify("notifications/cancelled", params);
                }
                return Err(Failure::TimedOut(pending.limit));
            }
            state = self.shared.wait(state, left.min(LOOK));
        }
    }

    /// Whether the answer is there already.
    pub(crate) fn is_answered(&self, pending: &Pending) -> bool {
        let state = self.shared.lock();
        let waiting = state.pending.get(&pending.id);
        waiting.is_some_and(|it| it.outcome.is_some())
    }

    /// Waits for it no longer.
    pub(crate) fn forget(&self, pending: Pending) {
        let mut state = self.shared.lock();
        state.pending.remove(&pending.id);
        state.expired.insert(pending.id);
    }

    /// Waits this long for something odd, or for the end.
    pub(crate) fn listen(&self, limit: Duration) {
        self.wait_until(limit, |it| !it.oddities.is_empty() || it.end().is_some());
    }

    /// Waits this long, or until the server ends.
    pub(super) fn listen_for_end(&self, limit: Duration) {
        self.wait_until(limit, |it| it.end().is_some());
    }

    /// Waits for something, at most this long. Whether it has come.
    fn wait_until(&self, limit: Duration, has_come: impl Fn(&State) -> bool) -> bool {
        let deadline = Instant::now() + limit;
        let mut state = self.shared.lock();
        while !has_come(&state) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.shared.wait(state, left.min(LOOK));
        }
        true
    }

    /// What was odd since this was last asked.
    pub(crate) fn oddities(&self) -> Vec<Oddity> {
        std::mem::take(&mut self.shared.lock().oddities)
    }

    /// The notifications that came since this was last asked: method and params.
    pub(crate) fn notifications(&self) -> Vec<(String, Value)> {
        std::mem::take(&mut self.shared.lock().notifications)
    }

    /// How the server ended, if it has.
    pub(crate) fn dead(&self) -> Option<Death> {
        let status = self.shared.lock().end()?;
        Some(self.death(status))
    }

    /// The last lines on stderr.
    pub(crate) fn stderr(&self) -> Vec<String> {
        self.process.stderr()
    }

    /// Closes the server's stdin: no more is said to it.
    pub(crate) fn close(&self) {
        lock(&self.outgoing).take();
    }

    /// Closes stdin and sees what it takes to end the server.
    pub(crate) fn end(&self) -> Ending {
        if self.shared.lock().exited.is_some() {
            return Ending::Before;
        }
        self.close();
        self.process.end()
    }

    /// Ends the server at once.
    pub(crate) fn kill(&self) {
        self.process.kill();
    }

    /// Whether its stdout has ended; some other process may hold it open.
    pub(crate) fn has_ended_stdout(&self) -> bool {
        self.wait_until(SETTLING, |it| it.stdout_ended.is_some())
    }

    /// Whether processes that it started are still there; to be called after its end.
    pub(crate) fn leaves_orphans(&self) -> bool {
        self.process.leaves_orphans()
    }

    fn death(&self, status: String) -> Death {
        let stderr = self.process.last_words();
        Death { status, stderr }
    }
}
