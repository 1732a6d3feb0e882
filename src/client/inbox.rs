//! What comes from a server: answers to those who wait, and whatever is odd.

use std::collections::{HashMap, HashSet};
use std::process::ExitStatus;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::oddity::{Oddity, shown, undressed};
use super::process::status_text;
use super::raw_line::RawLine;
use super::writer::{Job, Outgoing};
use crate::rpc::Id;
use crate::rpc::answer::{Fault, Heard, Message, Outcome, hear};

/// More than hosts may be thought to take on one line, in bytes.
const LONG_LINE: u64 = 16 * 1024 * 1024;

/// A message broken over more lines than this is taken for so many lines of noise.
const MAX_BROKEN: usize = 2_000;

/// The bytes of such a message.
const MAX_BROKEN_BYTES: usize = 16 * 1024 * 1024;

/// Oddities and notifications that are kept until somebody asks; of a flood no more need be known.
const MOST_KEPT: usize = 1_000;

/// A server's own requests that are answered in one session.
const MOST_REPLIES: usize = 1_000;

/// Requests that a second answer is recognised for; a session of weeks has more.
const MOST_ANSWERED: usize = 10_000;

/// How long the end of the process may follow the end of its stdout, and the other way round.
pub(super) const SETTLING: Duration = Duration::from_millis(500);

/// Hears every line in either direction: `->` to the server, `<-` from it.
pub(crate) type Listener = Arc<dyn Fn(&str, &[u8]) + Send + Sync>;

/// What the threads tell each other.
pub(super) struct Shared {
    pub(super) state: Mutex<State>,
    pub(super) changed: Condvar,
    pub(super) listener: Option<Listener>,
}

#[derive(Default)]
pub(super) struct State {
    /// Requests under way, and answers not fetched yet.
    pub(super) pending: HashMap<Id, Waiting>,
    pub(super) answered: HashSet<Id>,
    /// Requests that were given up.
    pub(super) expired: HashSet<Id>,
    pub(super) oddities: Vec<Oddity>,
    pub(super) notifications: Vec<(String, Value)>,
    pub(super) stdout_ended: Option<Instant>,
    pub(super) exited: Option<(Instant, Option<ExitStatus>)>,
}

/// A request that is waited for.
pub(super) struct Waiting {
    pub(super) method: String,
    pub(super) outcome: Option<Outcome>,
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    pub(super) fn wait<'a>(
        &self,
        state: MutexGuard<'a, State>,
        limit: Duration,
    ) -> MutexGuard<'a, State> {
        let waited = self.changed.wait_timeout(state, limit);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    pub(super) fn hear(&self, direction: &str, line: &[u8]) {
        if let Some(listener) = &self.listener {
            listener(direction, line);
        }
    }
}

impl State {
    /// An end is seen by both signs, the end of stdout and that of the process. One of them may be
    /// missing: another process may hold the pipe open, and a server may close it and go on.
    pub(super) fn end(&self) -> Option<String> {
        let settled = |since: Instant| since.elapsed() >= SETTLING;
        match (self.stdout_ended, &self.exited) {
            (Some(_), Some((_, status))) => Some(status.map_or_else(String::new, status_text)),
            (None, Some((since, status))) if settled(*since) => {
                Some(status.map_or_else(String::new, status_text))
            }
            (Some(since), None) if settled(since) => {
                Some("the server closed its stdout, and goes on".to_owned())
            }
            _ => None,
        }
    }
}

/// Sorts what comes in.
pub(super) struct Reader<'a> {
    pub(super) shared: &'a Shared,
    pub(super) replies: Outgoing,
    /// Lines that may be parts of one message.
    pub(super) broken: Vec<Vec<u8>>,
    /// Requests of the server that were answered.
    pub(super) replied: usize,
    /// It has given back a request of ours, as a terminal or `cat` does.
    pub(super) is_echo: bool,
}

impl Reader<'_> {
    /// Who waits for something odd sees all that is odd of a line, or nothing yet.
    pub(super) fn take(&mut self, line: &RawLine) {
        self.shared.hear("<-", &line.bytes);
        let (odd, message) = undressed(line);
        let is_readable = !odd.iter().any(|it| matches!(it, Oddity::NotUtf8(_)));
        let bytes = line.length;
        let long = (bytes > LONG_LINE).then_some(Oddity::TooLong { bytes });
        let mut state = self.shared.lock();
        state.note(odd.into_iter().chain(long));
        if !line.is_ended && hear(message).is_none() {
            // That it was cut is all there is to say of it.
            self.broken.clear();
        } else if is_readable {
            self.understand(&mut state, message);
        } else {
            // Whatever the text is, the answer in it may count.
            self.understand(&mut state, String::from_utf8_lossy(message).as_bytes());
        }
        drop(state);
        self.shared.changed.notify_all();
    }

    /// No more comes. Lines that did not become a message were none.
    pub(super) fn end(&mut self) {
        let mut state = self.shared.lock();
        self.give_up(&mut state);
        state.stdout_ended = Some(Instant::now());
        drop(state);
        self.shared.changed.notify_all();
    }

    fn understand(&mut self, state: &mut State, message: &[u8]) {
        if message.trim_ascii().is_empty() {
            return;
        }
        if let Some(heard) = hear(message) {
            self.give_up(state);
            return self.settle(state, heard, message);
        }
        let begins = message.trim_ascii_start().starts_with(b"{");
        let bytes: usize = self.broken.iter().map(Vec::len).sum();
        let is_much = self.broken.len() == MAX_BROKEN || bytes + message.len() > MAX_BROKEN_BYTES;
        if self.broken.is_empty() && !begins || is_much {
            self.give_up(state);
            return state.note([Oddity::Noise(shown(message))]);
        }
        self.broken.push(message.to_owned());
        if !message.trim_ascii_end().ends_with(b"}") {
            return;
        }
        if let Some(heard) = hear(&self.broken.join(&b'\n')) {
            let lines = self.broken.len();
            let message = self.broken.concat();
            self.broken.clear();
            state.note([Oddity::Broken { lines }]);
            self.settle(state, heard, &message);
        }
    }

    fn give_up(&mut self, state: &mut State) {
        state.note(self.broken.drain(..).map(|it| Oddity::Noise(shown(&it))));
    }

    fn settle(&mut self, state: &mut State, message: Message, line: &[u8]) {
        let Message { heard, fault } = message;
        if let Some(fault) = fault {
            let is_awaited = match &heard {
                Heard::Answer { id: Some(id), .. } => state.pending.contains_key(id),
                _ => false,
            };
            if fault == Fault::NoVersion && !is_awaited {
                // Logs in JSON have members of these names too.
                return state.note([Oddity::Noise(shown(line))]);
            }
            let malformed = Oddity::Malformed(format!("{fault}: {}", shown(line)));
            state.note([malformed]);
        }
        match heard {
            Heard::Answer { id, outcome } => state.settle(id, outcome),
            Heard::Notification { method, params } => {
                if state.notifications.len() < MOST_KEPT {
                    state.notifications.push((method, params));
                }
            }
            Heard::Request { id, method } if self.is_ours(state, &id, &method) => {
                self.is_echo = true;
                let echo = Oddity::Noise(format!("our own request for {method}, given back"));
                state.note([echo]);
            }
            Heard::Request { id, method } => self.reply(&id, &method),
        }
    }

    /// Whether this is a request of ours that comes back. The ids of either side are its own, so that a
    /// server may ping with one of ours; an echo has given back something else before.
    fn is_ours(&self, state: &State, id: &Id, method: &str) -> bool {
        let is_same = state.pending.get(id).is_some_and(|it| it.method == method);
        is_same && (self.is_echo || method != "ping")
    }

    /// A server may ask too. We have nothing to offer but that we are there.
    fn reply(&mut self, id: &Id, method: &str) {
        let outcome = match method {
            "ping" => "\"result\":{}",
            _ => "\"error\":{\"code\":-32601,\"message\":\"Method not found\"}",
        };
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},{outcome}}}\n", id.text());
        self.shared.hear("->", line.as_bytes());
        self.replied += 1;
        if self.replied > MOST_REPLIES {
            return;
        }
        if let Some(outgoing) = &*lock(&self.replies) {
            // A writer that is gone has met a closed pipe, and the waiter tells of that.
            let _ = outgoing.send(Job::Write(line.into_bytes()));
        }
    }
}

impl State {
    fn note(&mut self, odd: impl IntoIterator<Item = Oddity>) {
        let room = MOST_KEPT.saturating_sub(self.oddities.len());
        self.oddities.extend(odd.into_iter().take(room));
    }

    fn settle(&mut self, id: Option<Id>, outcome: Outcome) {
        let Some(id) = id else {
            let id = "null".to_owned();
            return self.note([Oddity::Stray { id }]);
        };
        let text = || shown(id.text().as_bytes());
        match self.pending.get_mut(&id) {
            Some(waiting) if waiting.outcome.is_none() => {
                waiting.outcome = Some(outcome);
                if self.answered.len() == MOST_ANSWERED {
                    self.answered.clear();
                }
                self.answered.insert(id);
            }
            _ if self.answered.contains(&id) => {
                let id = text();
                self.note([Oddity::Duplicate { id }]);
            }
            _ if self.expired.contains(&id) => {
                let id = text();
                self.note([Oddity::Late { id }])
            }
            _ => {
                let id = text();
                self.note([Oddity::Stray { id }])
            }
        }
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
