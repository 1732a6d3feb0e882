//! What the reader does with each line: answers at once what can be, and hands out the rest.

use std::io::Read;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use serde_json::value::RawValue;

use super::Server;
use super::flights::Flight;
use crate::fs::Stop;
use crate::protocol::{self, Call, Facts, Notice, Op, Revision, Session};
use crate::rpc::Id;
use crate::rpc::batch::Batch;
use crate::rpc::frame::{Frame, FrameReader};
use crate::rpc::message::{self, Message, Refusal};
use crate::rpc::outbox::Outgoing;
use crate::rpc::reply::{self, ErrorObject, code};

/// Over this much of waiting requests, a new one is refused.
const MAX_QUEUED: usize = 64 * 1024 * 1024;

/// Over this much unwritten, nothing more is read.
const MAX_UNWRITTEN: usize = 128 * 1024 * 1024;

/// Lines that are no JSON are answered up to this many in a row: two peers that echo each other's
/// complaints must not go on for ever.
const MAX_GARBAGE: u32 = 10;

const MAX_LISTENERS: usize = 1024;
const MAX_BATCH: usize = 1000;

/// What a waiting request costs besides its arguments, in bytes.
const REQUEST_SIZE: usize = 512;

/// A request, as far as its answer is concerned.
struct Asked<'a> {
    id: Id,
    /// What a log calls it.
    label: &'a str,
    received: Instant,
    batch: Option<&'a Arc<Batch>>,
}

/// The reader's own state.
pub(super) struct Dispatcher {
    server: Arc<Server>,
    session: Session,
    garbage: u32,
}

impl Dispatcher {
    pub(super) fn new(server: Arc<Server>) -> Dispatcher {
        Dispatcher {
            server,
            session: Session::default(),
            garbage: 0,
        }
    }

    /// The reader's thread.
    pub(super) fn read_from(mut self, input: impl Read) {
        let max_line = self.server.setup.max_line;
        let mut frames = FrameReader::new(input, max_line);
        loop {
            self.server.outbox.wait_below(MAX_UNWRITTEN);
            match frames.next() {
                Ok(Frame::Line(line)) => {
                    self.server.setup.tap.received(line);
                    if self.line(line).is_break() {
                        break;
                    }
                }
                Ok(Frame::TooLong { head, bytes }) => {
                    self.server.setup.tap.received(head);
                    self.refuse(message::too_long(head, bytes, max_line), None);
                }
                Ok(Frame::End) => break,
                Err(error) => {
                    let reason = crate::fs::plain_words(&error);
                    self.server
                        .setup
                        .tap
                        .log
                        .warn(&format!("cannot read the input: {reason}"));
                    break;
                }
            }
        }
        self.server.input_ended.store(true, Ordering::SeqCst);
        self.server.bell.ring();
    }

    fn line(&mut self, line: &[u8]) -> ControlFlow<()> {
        let message = message::parse(line);
        let Message::Batch(elements) = message else {
            return self.message(message, None);
        };
        if !self.session.takes_batches() || elements.is_empty() || elements.len() > MAX_BATCH {
            let text = match elements.len() {
                0 => "the batch is empty".to_owned(),
                _ if !self.session.takes_batches() => {
                    "send one message a line, no arrays".to_owned()
                }
                count => format!("a batch of {count} messages; the limit is {MAX_BATCH}"),
            };
            self.refuse_with(None, code::INVALID_REQUEST, text);
            return ControlFlow::Continue(());
        }
        self.garbage = 0;
        let batch = Arc::new(Batch::open());
        let mut elements = elements.into_iter().map(message::parse_element);
        let flow = elements.try_for_each(|it| self.message(it, Some(&batch)));
        // The reader's own debt: now everything that may answer has been counted.
        if let Some(line) = batch.settle(None) {
            self.server.outbox.put(Outgoing::line(line));
        }
        flow
    }

    fn message(&mut self, message: Message<'_>, batch: Option<&Arc<Batch>>) -> ControlFlow<()> {
        match message {
            Message::Refused(refusal) => {
                self.refuse(refusal, batch);
                return ControlFlow::Continue(());
            }
            Message::Request { id, method, params } => self.request(id, &method, params, batch),
            Message::Notification { method, params } => match protocol::notice(&method, params) {
                Notice::Cancel(id) => self.server.cancel(&id),
                Notice::Exit => return ControlFlow::Break(()),
                Notice::Nothing => {}
            },
            Message::Ignored(_) => return ControlFlow::Continue(()),
            Message::Batch(_) => {
                self.refuse_with(batch, code::INVALID_REQUEST, "an array in a batch")
            }
        }
        self.garbage = 0;
        ControlFlow::Continue(())
    }

    fn request(
        &mut self,
        id: Id,
        method: &str,
        params: Option<&RawValue>,
        batch: Option<&Arc<Batch>>,
    ) {
        if self.server.flights.holds(&id) {
            let text = format!("the id {} belongs to a request under way", id.text());
            return self.refuse_with(batch, code::INVALID_REQUEST, text);
        }
        let asked = Asked {
            id,
            label: method,
            received: Instant::now(),
            batch,
        };
        if batch.is_some() && !protocol::may_be_batched(method, params) {
            let text = format!("{method} cannot be in a batch");
            let error = ErrorObject::new(code::INVALID_REQUEST, text);
            return self.reply_error(asked, &error);
        }
        let server = Arc::clone(&self.server);
        let instructions = || server.instructions();
        let facts = Facts {
            tools: &server.specs,
            instructions: &instructions,
        };
        match self.session.understand(method, params, &facts) {
            Err(error) => self.reply_error(asked, &error),
            Ok((Op::Answer(result), _)) => {
                let line = reply::result(&asked.id, &result);
                self.reply(asked, line);
            }
            Ok((Op::CallTool(call), revision)) => self.call(asked, call, revision),
            Ok((Op::Listen, revision)) => self.listen(asked, revision),
        }
    }

    fn call(&mut self, asked: Asked<'_>, call: Call<'_>, revision: &'static Revision) {
        let server = &self.server;
        let arguments = call.arguments.0.map(ToOwned::to_owned);
        let bytes = arguments.as_ref().map_or(0, |it| it.get().len()) + REQUEST_SIZE;
        if server.pool.queued_bytes() + bytes > MAX_QUEUED {
            let error = ErrorObject::new(code::INTERNAL_ERROR, "busy: too many requests wait");
            return self.reply_error(asked, &error);
        }
        let flight = Arc::new(Flight {
            id: asked.id,
            revision,
            tool: Some(call.tool),
            label: format!("{} {}", asked.label, call.tool),
            progress_token: call.progress_token.map(ToOwned::to_owned),
            batch: asked.batch.cloned(),
            stop: Stop::at(asked.received + server.setup.call_timeout),
            received: asked.received,
        });
        server.flights.start(&flight);
        asked.batch.into_iter().for_each(|it| it.owe_one());
        let worker = Arc::clone(server);
        let tool = call.tool;
        let run = move || worker.run(&flight, tool, arguments.as_deref());
        if server.pool.submit(bytes, run) {
            server.bell.hurry();
        } else {
            server.bell.wake();
        }
    }

    fn listen(&mut self, asked: Asked<'_>, revision: &'static Revision) {
        let server = &self.server;
        if server.flights.listeners().len() >= MAX_LISTENERS {
            let text = format!("busy: {MAX_LISTENERS} listeners are open");
            let error = ErrorObject::new(code::INTERNAL_ERROR, text);
            return self.reply_error(asked, &error);
        }
        let mut outgoing = Outgoing::line(protocol::listen_acknowledged(&asked.id));
        outgoing.label = Some("acknowledged".to_owned());
        let flight = Arc::new(Flight {
            id: asked.id,
            revision,
            tool: None,
            label: asked.label.to_owned(),
            progress_token: None,
            batch: None,
            stop: Stop::at(asked.received),
            received: asked.received,
        });
        server.flights.start(&flight);
        server.outbox.put(outgoing);
    }

    fn reply_error(&self, asked: Asked<'_>, error: &ErrorObject) {
        let line = reply::error(Some(&asked.id), error);
        self.reply(asked, line);
    }

    /// Answers at once.
    fn reply(&self, asked: Asked<'_>, line: Vec<u8>) {
        let mut outgoing = Outgoing::line(line);
        outgoing.answers = Some(asked.id);
        outgoing.label = Some(asked.label.to_owned());
        outgoing.received = Some(asked.received);
        self.put(outgoing, asked.batch);
    }

    fn refuse(&mut self, refusal: Refusal, batch: Option<&Arc<Batch>>) {
        if refusal.is_garbage {
            self.garbage += 1;
            if self.garbage > MAX_GARBAGE {
                return;
            }
        }
        // An id that is under way is that request's own.
        let id = refusal.id.filter(|it| !self.server.flights.holds(it));
        let error = ErrorObject::new(refusal.code, refusal.message);
        let mut outgoing = Outgoing::line(reply::error(id.as_ref(), &error));
        outgoing.answers = id;
        self.put(outgoing, batch);
    }

    fn refuse_with(&self, batch: Option<&Arc<Batch>>, code: i32, text: impl Into<String>) {
        let error = ErrorObject::new(code, text);
        self.put(Outgoing::line(reply::error(None, &error)), batch);
    }

    fn put(&self, outgoing: Outgoing, batch: Option<&Arc<Batch>>) {
        batch.into_iter().for_each(|it| it.owe_one());
        self.server.send(outgoing, batch.map(|it| it.as_ref()));
    }
}
