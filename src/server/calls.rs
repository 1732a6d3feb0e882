//! Runs one tool call on a worker, and makes sure that it ends in exactly one answer or in none.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use serde_json::value::RawValue;

use super::flights::Flight;
use super::{GRACE, Server};
use crate::fs::{Stopped, Watch};
use crate::protocol;
use crate::rpc::outbox::Outgoing;
use crate::rpc::reply::{self, ErrorObject, code};
use crate::tools::{Context, Outcome};

/// Over this much unwritten, no further call is started.
const MAX_UNWRITTEN: usize = 8 * 1024 * 1024;

impl Server {
    /// A worker's work.
    pub(super) fn run(&self, flight: &Arc<Flight>, tool: &str, arguments: Option<&RawValue>) {
        if self.outbox.unwritten() > MAX_UNWRITTEN {
            // The client does not read; that time is its own.
            self.outbox.wait_below(MAX_UNWRITTEN);
            flight
                .stop
                .extend_to(Instant::now() + self.setup.call_timeout);
        }
        if flight.stop.is_cancelled() {
            return;
        }
        let report = |done: u64, total: Option<u64>| self.report(flight, done, total);
        let report = flight
            .progress_token
            .as_ref()
            .map(|_| &report as &dyn Fn(u64, Option<u64>));
        let watch = Watch::new(&flight.stop, report);
        let context = Context {
            roots: &self.setup.roots,
            settings: self.setup.settings,
            watch: &watch,
        };
        let called = guarded(|| self.setup.toolbox.call(tool, arguments, &context));
        let outcome = match called {
            Ok(Ok(Err(Stopped::Cancelled))) => return,
            Ok(Ok(Err(Stopped::OutOfTime))) => Outcome::failed(out_of_time(tool)),
            Ok(Ok(Ok(outcome))) => outcome,
            Ok(Err(refused)) => {
                let error = ErrorObject::new(code::INVALID_PARAMS, refused.0);
                return self.answer(flight, |it| reply::error(Some(&it.id), &error));
            }
            Err(cause) => Outcome::failed(format!(
                "{tool} failed by a fault of its own: {cause}; try other arguments, and ask the \
                 user to report it"
            )),
        };
        self.answer(flight, |it| {
            protocol::call_result(&it.id, &outcome, it.revision)
        });
        let log = &self.setup.tap.log;
        log.debug(|| {
            let milliseconds = flight.received.elapsed().as_secs_f64() * 1000.0;
            let verdict = if outcome.is_error { "failed" } else { "done" };
            format!(
                "call {tool} id={} {verdict}, {milliseconds:.1} ms",
                flight.id.text()
            )
        });
    }

    /// Tells the client how far a call is, while it is still owed an answer.
    fn report(&self, flight: &Flight, done: u64, total: Option<u64>) {
        let Some(token) = &flight.progress_token else {
            return;
        };
        let line = protocol::progress(token, done, total, flight.revision);
        let mut outgoing = Outgoing::line(line);
        outgoing.label = Some("progress".to_owned());
        self.flights
            .while_flying(&flight.id, || self.outbox.put(outgoing));
    }

    /// Answers the calls that are stuck where they cannot see that their time is up: waiting for a
    /// thread, or in the kernel.
    pub(super) fn answer_overdue(&self) {
        let Some(limit) = Instant::now().checked_sub(GRACE) else {
            return;
        };
        if self.outbox.unwritten() > MAX_UNWRITTEN {
            return;
        }
        for flight in self.flights.overdue(limit) {
            let tool = flight.tool.unwrap_or_default();
            let text = format!(
                "{tool} is still waiting for the file system, which does not answer; the file may be \
                 on a network or in a cloud; try again later"
            );
            let outcome = Outcome::failed(text);
            self.answer(&flight, |it| {
                protocol::call_result(&it.id, &outcome, it.revision)
            });
            flight.stop.cancel();
        }
    }
}

fn out_of_time(tool: &str) -> String {
    format!("{tool} ran out of time; ask for less")
}

/// Runs something that may panic; a panic becomes its cause, on one line. The whole of it is logged
/// by the panic hook.
fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| cause(payload.as_ref()))
}

fn cause(payload: &(dyn Any + Send)) -> String {
    const LONGEST: usize = 200;
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("unknown");
    text.chars()
        .take(LONGEST)
        .map(|it| if it.is_control() { ' ' } else { it })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_cause_on_one_line() {
        let index = std::hint::black_box(7);
        let caught = guarded(|| [1, 2, 3][index]);
        assert_eq!(
            caught,
            Err("index out of bounds: the len is 3 but the index is 7".to_owned())
        );
        assert_eq!(
            guarded(|| -> u8 { panic!("two\nlines") }),
            Err("two lines".to_owned())
        );
    }
}
