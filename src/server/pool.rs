//! The threads that run tool calls: a few, and more only while none of them comes free.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Threads that stay. More of them would only take turns on the same cores.
const BASE: usize = 4;

/// Threads at most; a thread stuck in the kernel costs one of these.
const MOST: usize = 64;

/// How long a thread above [`BASE`] waits for work before it ends.
const IDLE_LIMIT: Duration = Duration::from_secs(10);

/// A unit of work, with the bytes of the request it holds on to.
struct Job {
    bytes: usize,
    run: Box<dyn FnOnce() + Send>,
}

#[derive(Default)]
pub(super) struct Pool {
    state: Mutex<State>,
    work: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Job>,
    queued_bytes: usize,
    threads: usize,
    idle: usize,
    /// Jobs taken from the queue so far; standing still means that no thread comes free.
    taken: u64,
    taken_before: u64,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Pool")
            .field("threads", &self.lock().threads)
            .finish_non_exhaustive()
    }
}

impl Pool {
    /// Queues work. `bytes` is how much memory its request holds. True if it has to wait because no
    /// thread is free.
    pub(super) fn submit(
        self: &Arc<Self>,
        bytes: usize,
        run: impl FnOnce() + Send + 'static,
    ) -> bool {
        let run = Box::new(run);
        let mut state = self.lock();
        state.queue.push_back(Job { bytes, run });
        state.queued_bytes += bytes;
        let is_taken = state.idle >= state.queue.len();
        if !is_taken && state.threads < BASE {
            self.add_thread(state);
            return false;
        }
        drop(state);
        self.work.notify_one();
        !is_taken
    }

    /// Bytes of the requests that wait.
    pub(super) fn queued_bytes(&self) -> usize {
        self.lock().queued_bytes
    }

    /// To be called every few milliseconds while work waits: adds a thread if none came free since.
    pub(super) fn grow_if_stuck(self: &Arc<Self>) -> bool {
        let mut state = self.lock();
        let is_stuck = state.taken == state.taken_before && state.idle == 0;
        state.taken_before = state.taken;
        let waits = !state.queue.is_empty();
        if waits && is_stuck && state.threads < MOST {
            self.add_thread(state);
        }
        waits
    }

    fn add_thread(self: &Arc<Self>, mut state: MutexGuard<'_, State>) {
        state.threads += 1;
        drop(state);
        let pool = Arc::clone(self);
        let spawned = thread::Builder::new()
            .name("worker".into())
            .spawn(move || pool.work());
        if spawned.is_err() {
            // The work waits for a thread that is there already.
            self.lock().threads -= 1;
        }
    }

    fn work(&self) {
        while let Some(job) = self.next() {
            (job.run)();
        }
    }

    /// The next job, or nothing when this thread is not needed any more.
    fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.queue.pop_front() {
                state.queued_bytes -= job.bytes;
                state.taken += 1;
                return Some(job);
            }
            state.idle += 1;
            let may_end = state.threads > BASE;
            let (next, timed_out) = self.wait(state, may_end);
            state = next;
            state.idle -= 1;
            if timed_out && state.queue.is_empty() && state.threads > BASE {
                state.threads -= 1;
                return None;
            }
        }
    }

    /// Waits for work; a thread that may end, only so long. An idle server uses no time at all.
    fn wait<'a>(
        &self,
        state: MutexGuard<'a, State>,
        may_end: bool,
    ) -> (MutexGuard<'a, State>, bool) {
        let is_idle = |it: &mut State| it.queue.is_empty();
        if may_end {
            let waited = self.work.wait_timeout_while(state, IDLE_LIMIT, is_idle);
            let (state, outcome) = waited.unwrap_or_else(PoisonError::into_inner);
            (state, outcome.timed_out())
        } else {
            let waited = self.work.wait_while(state, is_idle);
            (waited.unwrap_or_else(PoisonError::into_inner), false)
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
