//! Whether a call may go on, asked in every loop over bytes, lines and entries.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Progress is first reported after this, and then at most four times a second.
const FIRST_REPORT: Duration = Duration::from_secs(1);
const REPORT_INTERVAL: Duration = Duration::from_millis(250);

/// Why a call must end early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// Nobody waits for the answer any more.
    Cancelled,
    /// The call's time budget is used up.
    OutOfTime,
}

/// The stop signal of one call, shared between those who give it and the loop that obeys.
#[derive(Debug)]
pub(crate) struct Stop {
    cancelled: AtomicBool,
    deadline: Mutex<Instant>,
}

impl Stop {
    pub(crate) fn at(deadline: Instant) -> Stop {
        Stop {
            cancelled: AtomicBool::new(false),
            deadline: Mutex::new(deadline),
        }
    }

    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    pub(crate) fn deadline(&self) -> Instant {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the call a new deadline, for time that it had to wait through no fault of its own.
    pub(crate) fn extend_to(&self, deadline: Instant) {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
    }
}

/// Hears how far a call is: what is done, and of how much, in bytes or entries.
pub(crate) type Report<'a> = &'a dyn Fn(u64, Option<u64>);

/// One call's view of its stop signal, with its progress reports.
pub(crate) struct Watch<'a> {
    stop: &'a Stop,
    report: Option<Report<'a>>,
    next_report: Cell<Instant>,
    reported: Cell<u64>,
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Watch")
            .field("stop", self.stop)
            .finish_non_exhaustive()
    }
}

impl<'a> Watch<'a> {
    pub(crate) fn new(stop: &'a Stop, report: Option<Report<'a>>) -> Watch<'a> {
        Watch {
            stop,
            report,
            next_report: Cell::new(Instant::now() + FIRST_REPORT),
            reported: Cell::new(0),
        }
    }

    /// To be called at least every few hundred kilobytes or thousand entries.
    pub(crate) fn step(&self, done: u64, total: Option<u64>) -> Result<(), Stopped> {
        if self.stop.is_cancelled() {
            return Err(Stopped::Cancelled);
        }
        let now = Instant::now();
        if now >= self.stop.deadline() {
            return Err(Stopped::OutOfTime);
        }
        if let Some(report) = self.report
            && now >= self.next_report.get()
            && done > self.reported.get()
        {
            self.next_report.set(now + REPORT_INTERVAL);
            self.reported.set(done);
            report(done, total);
        }
        Ok(())
    }
}
