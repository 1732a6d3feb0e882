//! The queue of lines to write, and the loop of the one thread that writes them.
//!
//! **Putting a line in never waits.** Whoever reads or works goes on; what bounds the queue is that
//! the reader and the workers look at [`Outbox::unwritten`] before they take on more.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::Id;

/// Lines are gathered into one write up to about this many bytes.
const WRITE_SIZE: usize = 64 * 1024;

/// One line to write, with what a log wants to know of it.
#[derive(Debug)]
pub(crate) struct Outgoing {
    /// JSON and LF.
    pub(crate) line: Vec<u8>,
    /// The request that this answers.
    pub(crate) answers: Option<Id>,
    /// The method, and for a tool call the tool.
    pub(crate) label: Option<String>,
    /// When the request had been read.
    pub(crate) received: Option<Instant>,
}

impl Outgoing {
    /// A line that answers no request.
    pub(crate) fn line(line: Vec<u8>) -> Self {
        Outgoing {
            line,
            answers: None,
            label: None,
            received: None,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Outbox {
    state: Mutex<State>,
    /// Bytes put in and not yet taken by the operating system.
    unwritten: AtomicUsize,
    filled: Condvar,
    drained: Condvar,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<Outgoing>,
    /// The writer waits for a line, so putting one in has to wake it.
    idle: bool,
    closed: bool,
}

impl Outbox {
    pub(crate) fn put(&self, outgoing: Outgoing) {
        self.unwritten
            .fetch_add(outgoing.line.len(), Ordering::SeqCst);
        let mut state = self.lock();
        state.queue.push_back(outgoing);
        if std::mem::take(&mut state.idle) {
            drop(state);
            self.filled.notify_one();
        }
    }

    /// Takes back the answer to a request, if it has not begun to go out.
    pub(crate) fn withdraw(&self, id: &Id) {
        let mut state = self.lock();
        let found = state
            .queue
            .iter()
            .position(|it| it.answers.as_ref() == Some(id));
        let taken = found.and_then(|position| state.queue.remove(position));
        drop(state);
        if let Some(outgoing) = taken {
            self.forget(outgoing.line.len());
        }
    }

    /// Bytes put in and not yet taken by the operating system.
    pub(crate) fn unwritten(&self) -> usize {
        self.unwritten.load(Ordering::SeqCst)
    }

    /// Waits until no more than `bytes` are unwritten, or nothing will be written any more.
    pub(crate) fn wait_below(&self, bytes: usize) {
        if self.unwritten() <= bytes {
            return;
        }
        let mut state = self.lock();
        while self.unwritten() > bytes && !state.closed {
            state = self
                .drained
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Nothing will be written any more; whoever waits goes on.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.filled.notify_all();
        self.drained.notify_all();
    }

    /// Writes lines as they come, until closed or until the other end is gone.
    ///
    /// `written` hears of every line just before it goes out, `drained` of every time that nothing
    /// is left to write.
    pub(crate) fn write_all_to(
        &self,
        mut output: impl Write,
        mut written: impl FnMut(&Outgoing),
        mut drained: impl FnMut(),
    ) -> io::Result<()> {
        let mut gathered = Vec::new();
        while self.gather(&mut gathered, &mut written) {
            output.write_all(&gathered)?;
            output.flush()?;
            self.forget(gathered.len());
            gathered.clear();
            gathered.shrink_to(WRITE_SIZE * 2);
            if self.unwritten() == 0 {
                drained();
            }
        }
        Ok(())
    }

    /// Moves whole lines from the queue into `gathered`; waits for the first. False when closed.
    fn gather(&self, gathered: &mut Vec<u8>, written: &mut impl FnMut(&Outgoing)) -> bool {
        let mut state = self.lock();
        while state.queue.is_empty() {
            if state.closed {
                return false;
            }
            state.idle = true;
            state = self
                .filled
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let mut lines = Vec::new();
        let mut bytes = 0;
        while let Some(next) = state.queue.front() {
            if bytes > 0 && bytes + next.line.len() > WRITE_SIZE {
                break;
            }
            bytes += next.line.len();
            lines.extend(state.queue.pop_front());
        }
        drop(state);
        for outgoing in lines {
            written(&outgoing);
            if gathered.is_empty() {
                *gathered = outgoing.line;
            } else {
                gathered.extend_from_slice(&outgoing.line);
            }
        }
        true
    }

    fn forget(&self, bytes: usize) {
        self.unwritten.fetch_sub(bytes, Ordering::SeqCst);
        // The lock orders this with a waiter that has just looked and is about to sleep.
        drop(self.lock());
        self.drained.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
