//! Wakes the supervisor.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// A bell that is heard even if it rang just before somebody listened.
#[derive(Debug, Default)]
pub(super) struct Bell {
    rung: Mutex<bool>,
    changed: Condvar,
    /// Somebody listens who will look up by himself, but not soon.
    is_dozing: AtomicBool,
    /// Somebody listens who will not look up by himself.
    is_asleep: AtomicBool,
}

impl Bell {
    pub(super) fn ring(&self) {
        *self.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    /// Rings for a listener who would otherwise not look up at all; costs next to nothing else.
    pub(super) fn wake(&self) {
        if self.is_asleep.load(Ordering::SeqCst) && self.is_asleep.swap(false, Ordering::SeqCst) {
            self.ring();
        }
    }

    /// Rings for a listener who would otherwise not look up soon.
    pub(super) fn hurry(&self) {
        self.wake();
        if self.is_dozing.load(Ordering::SeqCst) && self.is_dozing.swap(false, Ordering::SeqCst) {
            self.ring();
        }
    }

    /// Waits for the bell, at most this long.
    pub(super) fn wait_for(&self, limit: Duration) {
        let mut rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        if !*rung {
            let waited = self.changed.wait_timeout(rung, limit);
            rung = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *rung = false;
    }

    /// The same, for a limit so long that it may have to be cut short.
    pub(super) fn doze(&self, limit: Duration) {
        self.is_dozing.store(true, Ordering::SeqCst);
        self.wait_for(limit);
        self.is_dozing.store(false, Ordering::SeqCst);
    }

    /// Waits for the bell, unless there is something to do already.
    pub(super) fn sleep_unless(&self, is_busy: impl FnOnce() -> bool) {
        self.is_asleep.store(true, Ordering::SeqCst);
        // What came in before the line above did not ring, so look after it.
        if is_busy() {
            self.is_asleep.store(false, Ordering::SeqCst);
            return;
        }
        let mut rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        while !*rung {
            rung = self
                .changed
                .wait(rung)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *rung = false;
    }
}
