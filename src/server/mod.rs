//! One reader, a few workers, one writer, and a supervisor that ends it all.
//!
//! **The reader never writes and never runs a tool**, so that a client may send everything before it
//! reads anything. **Only this directory has threads** of the session's own. The streams may be any
//! pair of bytes in and out; nothing here knows that they are stdin and stdout.

mod bell;
mod calls;
mod dispatch;
mod flights;
mod pool;
#[cfg(test)]
mod tests;

use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::debug::Tap;
use crate::fs::{RootState, Roots};
use crate::protocol;
use crate::rpc::Id;
use crate::rpc::batch::Batch;
use crate::rpc::outbox::{Outbox, Outgoing};
use crate::tools::{Settings, Spec, Toolbox};
use bell::Bell;
use dispatch::Dispatcher;
use flights::{Flight, Flights};
use pool::Pool;

/// How often the supervisor looks at calls under way, and at whether stdout is still read.
const TICK: Duration = Duration::from_millis(100);

/// How often it looks while work waits for a thread.
const BUSY_TICK: Duration = Duration::from_millis(5);

/// After this many looks at nothing the supervisor sleeps until it is woken: an idle server uses no
/// time at all, and a busy one need not wake it for every call.
const IDLE_TICKS: u32 = 5;

/// A call this much over its time is stuck where it cannot see that; it is answered for it.
const GRACE: Duration = Duration::from_secs(1);

/// How long `initialize` waits for directories that are still being opened.
const ROOTS_WAIT: Duration = Duration::from_millis(50);

/// How long the end waits for them, where it does.
const OPENING_WAIT: Duration = Duration::from_millis(200);

/// What a server is made of.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) roots: Roots,
    pub(crate) toolbox: Toolbox,
    pub(crate) settings: Settings,
    pub(crate) call_timeout: Duration,
    /// Bytes of one message.
    pub(crate) max_line: usize,
    pub(crate) tap: Arc<Tap>,
    /// Whether the output's other end has been closed, where that can be known without writing.
    pub(crate) output_is_gone: fn() -> bool,
}

/// What the threads of a session share.
#[derive(Debug)]
struct Server {
    setup: Setup,
    specs: Vec<Spec>,
    outbox: Outbox,
    flights: Flights,
    pool: Arc<Pool>,
    bell: Bell,
    input_ended: AtomicBool,
    output_gone: AtomicBool,
}

/// Serves until the input ends or the output's other end is gone.
///
/// Returns then, whatever its threads do: one that is stuck in the kernel holds nothing up.
pub(crate) fn serve(
    setup: Setup,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> std::io::Result<()> {
    let server = Arc::new(Server::new(setup));
    spawn(&server, "writer", move |it| it.write_to(output))?;
    let reader = spawn(&server, "reader", move |it| {
        Dispatcher::new(Arc::clone(it)).read_from(input)
    })?;
    server.supervise();
    // Under Wine one process in a hundred hangs that ends while a thread opens a directory, and one in a
    // thousand crashes that ends while a thread does.
    if cfg!(windows) {
        server.setup.roots.settle(OPENING_WAIT);
        if server.input_ended.load(Ordering::SeqCst) {
            let _ = reader.join();
        }
    }
    Ok(())
}

/// Starts one of the session's threads. Should it fail, the session ends rather than hang.
fn spawn(
    server: &Arc<Server>,
    name: &str,
    run: impl FnOnce(&Arc<Server>) + Send + 'static,
) -> std::io::Result<JoinHandle<()>> {
    let server = Arc::clone(server);
    let body = move || {
        if catch_unwind(AssertUnwindSafe(|| run(&server))).is_err() {
            server.output_gone.store(true, Ordering::SeqCst);
            server.bell.ring();
        }
    };
    thread::Builder::new().name(name.to_owned()).spawn(body)
}

impl Server {
    fn new(setup: Setup) -> Server {
        Server {
            specs: setup.toolbox.specs(),
            setup,
            outbox: Outbox::default(),
            flights: Flights::default(),
            pool: Arc::default(),
            bell: Bell::default(),
            input_ended: AtomicBool::new(false),
            output_gone: AtomicBool::new(false),
        }
    }

    /// The writer's thread.
    fn write_to(&self, output: impl Write) {
        let written = |outgoing: &Outgoing| self.setup.tap.sent(outgoing);
        let drained = || {
            if self.input_ended.load(Ordering::SeqCst) {
                self.bell.ring();
            }
        };
        if self.outbox.write_all_to(output, written, drained).is_err() {
            self.output_gone.store(true, Ordering::SeqCst);
            self.outbox.close();
            self.bell.ring();
        }
    }

    /// Watches over the session until it has ended.
    fn supervise(&self) {
        let mut next_look = Instant::now();
        let mut idle_ticks = 0;
        let mut is_draining = false;
        let mut left_to_write = (0, Instant::now());
        loop {
            if self.output_gone.load(Ordering::SeqCst) {
                self.setup.tap.note("the output is closed");
                return;
            }
            if self.input_ended.load(Ordering::SeqCst) {
                if !is_draining {
                    self.setup.tap.note("the input has ended");
                    self.end_listeners();
                    is_draining = true;
                }
                if self.flights.are_all_answered() && self.outbox.unwritten() == 0 {
                    return;
                }
                if (self.setup.output_is_gone)() {
                    return;
                }
                // A client that closed our input and takes nothing any more waits for us to leave.
                let unwritten = self.outbox.unwritten();
                if unwritten == 0 || unwritten != left_to_write.0 {
                    left_to_write = (unwritten, Instant::now());
                } else if left_to_write.1.elapsed() > self.setup.call_timeout {
                    return;
                }
            }
            let work_waits = self.pool.grow_if_stuck();
            if Instant::now() >= next_look {
                next_look = Instant::now() + TICK;
                self.answer_overdue();
            }
            let is_idle = !is_draining && self.flights.are_all_answered();
            idle_ticks = if is_idle { idle_ticks + 1 } else { 0 };
            if work_waits {
                self.bell.wait_for(BUSY_TICK);
            } else if idle_ticks < IDLE_TICKS {
                self.bell.doze(TICK);
            } else {
                let is_busy =
                    || !self.flights.are_all_answered() || self.input_ended.load(Ordering::SeqCst);
                self.bell.sleep_unless(is_busy);
            }
        }
    }

    /// Open listeners get their result when the session ends.
    fn end_listeners(&self) {
        for flight in self.flights.listeners() {
            self.answer(&flight, |it| protocol::listen_result(&it.id, it.revision));
        }
    }

    /// Sends the answer to a request under way, if it is still owed.
    fn answer(&self, flight: &Arc<Flight>, line: impl FnOnce(&Flight) -> Vec<u8>) {
        let Some(landing) = self.flights.land(flight) else {
            return;
        };
        let mut outgoing = Outgoing::line(line(flight));
        outgoing.answers = Some(flight.id.clone());
        outgoing.label = Some(flight.label.clone());
        outgoing.received = Some(flight.received);
        self.send(outgoing, flight.batch.as_deref());
        drop(landing);
        if self.input_ended.load(Ordering::SeqCst) {
            self.bell.ring();
        }
    }

    fn send(&self, mut outgoing: Outgoing, batch: Option<&Batch>) {
        match batch {
            None => self.outbox.put(outgoing),
            Some(batch) => {
                if let Some(line) = batch.settle(Some(&outgoing.line)) {
                    outgoing = Outgoing::line(line);
                    self.outbox.put(outgoing);
                }
            }
        }
    }

    /// A client does not wait for this request any more: its work stops, and nothing is said.
    fn cancel(&self, id: &Id) {
        match self.flights.cancel(id) {
            None => self.outbox.withdraw(id),
            Some((flight, _landing)) => {
                let line = flight.batch.as_ref().and_then(|it| it.settle(None));
                line.into_iter()
                    .for_each(|it| self.outbox.put(Outgoing::line(it)));
            }
        }
    }

    /// What clients are told to know across tools: the directories, and how results talk.
    fn instructions(&self) -> String {
        const LONGEST: usize = 300;
        self.setup.roots.wait(ROOTS_WAIT);
        let root = |(given, state): (std::path::PathBuf, RootState)| match state {
            RootState::Ready { path, .. } => path.display().to_string(),
            RootState::Opening => format!("{} (still being opened)", given.display()),
            RootState::Unusable(reason) => format!("{} (unusable: {reason})", given.display()),
        };
        let roots: Vec<String> = self.setup.roots.states().into_iter().map(root).collect();
        let mut shown = roots.join(", ");
        if shown.len() > LONGEST {
            shown.truncate(shown.floor_char_boundary(LONGEST));
            shown.push_str("… and more");
        }
        let place = if roots.is_empty() {
            "No directory was given to this server; ask the user to add one to its arguments."
                .to_owned()
        } else {
            format!("Files below: {shown}. Relative paths start there.")
        };
        format!(
            "{place} Text in any encoding is decoded. Lines in [brackets] around a text are notices: \
             what was cut, guessed or skipped, and the arguments that continue."
        )
    }
}
