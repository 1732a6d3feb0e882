//! Gathers the answers to one batch into one line (JSON-RPC 2.0, §6).

use std::sync::{Mutex, PoisonError};

/// The answers given so far, and how many are still owed.
#[derive(Debug)]
pub(crate) struct Batch {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    answers: Vec<u8>,
    owed: usize,
}

impl Batch {
    /// One answer is owed from the start: the reader's own, so that nothing goes out early.
    pub(crate) fn open() -> Batch {
        let state = State {
            answers: Vec::new(),
            owed: 1,
        };
        Batch {
            state: Mutex::new(state),
        }
    }

    pub(crate) fn owe_one(&self) {
        self.lock().owed += 1;
    }

    /// Takes one owed answer (a line), or the news that none will come. Returns the whole line to
    /// write with the last of them, or nothing if there is nothing to answer.
    pub(crate) fn settle(&self, answer: Option<&[u8]>) -> Option<Vec<u8>> {
        let mut state = self.lock();
        if let Some(answer) = answer {
            let separator = if state.answers.is_empty() { b'[' } else { b',' };
            state.answers.push(separator);
            state.answers.extend_from_slice(answer.trim_ascii_end());
        }
        state.owed -= 1;
        if state.owed > 0 || state.answers.is_empty() {
            return None;
        }
        let mut line = std::mem::take(&mut state.answers);
        line.extend_from_slice(b"]\n");
        Some(line)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
