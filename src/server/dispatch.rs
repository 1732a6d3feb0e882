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
        for element in elements {
            let message = message::parse_element(element);
            if self.message(message, Some(&batch)).is_break() {
                return ControlFlow::Break(());
            }
        }
        // The reader's own debt: now everything that may answer has been counted.
        if let Some(line) = batch.settle(None) {
            self.server.outbox.put(Outgoing::line(line));
        }
        ControlFlow::Continue(())
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
        let received = Instant::now();
        if self.server.flights.holds(&id) {
            let text = format!("the id {} belongs to a request under way", id.text());
            return self.refuse_with(batch, code::INVALID_REQUEST, text);
        }
        if batch.is_some() && !protocol::may_be_batched(method, params) {
            let error = ErrorObject::new(
                code::INVALID_REQUEST,
                format!("{method} cannot be in a batch"),
            );
            return self.reply(id, method, received, batch, |id| {
                reply::error(Some(id), &error)
            });
        }
        let server = Arc::clone(&self.server);
        let instructions = || server.instructions();
        let facts = Facts {
            tools: &server.specs,
            instructions: &instructions,
        };
        match self.session.understand(method, params, &facts) {
            Err(error) => self.reply(id, method, received, batch, |id| {
                reply::error(Some(id), &error)
            }),
            Ok((Op::Answer(result), _)) => {
                self.reply(id, method, received, batch, |id| reply::result(id, &result));
            }
            Ok((Op::CallTool(call), revision)) => self.call(id, call, revision, received, batch),
            Ok((Op::Listen, revision)) => self.listen(id, revision, received),
        }
    }

    fn call(
        &mut self,
        id: Id,
        call: Call<'_>,
        revision: &'static Revision,
        received: Instant,
        batch: Option<&Arc<Batch>>,
    ) {
        let server = &self.server;
        let arguments = call.arguments.0.map(ToOwned::to_owned);
        let bytes = arguments.as_ref().map_or(0, |it| it.get().len()) + 512;
        if server.pool.queued_bytes() + bytes > MAX_QUEUED {
            let error = ErrorObject::new(code::INTERNAL_ERROR, "busy: too many requests wait");
            return self.reply(id, call.tool, received, batch, |id| {
                reply::error(Some(id), &error)
            });
        }
        let flight = Arc::new(Flight {
            id,
            revision,
            tool: Some(call.tool),
            progress_token: call.progress_token.map(ToOwned::to_owned),
            batch: batch.cloned(),
            stop: Stop::at(received + server.setup.call_timeout),
            received,
        });
        server.flights.start(&flight);
        batch.into_iter().for_each(|it| it.owe_one());
        let worker = Arc::clone(server);
        let tool = call.tool;
        server.pool.submit(bytes, move || {
            worker.run(&flight, tool, arguments.as_deref())
        });
        server.bell.ring_if_awaited();
    }

    fn listen(&mut self, id: Id, revision: &'static Revision, received: Instant) {
        let server = &self.server;
        if server.flights.listeners().len() >= MAX_LISTENERS {
            let text = format!("busy: {MAX_LISTENERS} listeners are open");
            let error = ErrorObject::new(code::INTERNAL_ERROR, text);
            let method = "subscriptions/listen";
            return self.reply(id, method, received, None, |id| {
                reply::error(Some(id), &error)
            });
        }
        let mut outgoing = Outgoing::line(protocol::listen_acknowledged(&id));
        outgoing.label = Some("acknowledged".to_owned());
        let flight = Arc::new(Flight {
            id,
            revision,
            tool: None,
            progress_token: None,
            batch: None,
            stop: Stop::at(received),
            received,
        });
        server.flights.start(&flight);
        server.outbox.put(outgoing);
    }

    /// Answers at once.
    fn reply(
        &self,
        id: Id,
        label: &str,
        received: Instant,
        batch: Option<&Arc<Batch>>,
        line: impl FnOnce(&Id) -> Vec<u8>,
    ) {
        let mut outgoing = Outgoing::line(line(&id));
        outgoing.answers = Some(id);
        outgoing.label = Some(label.to_owned());
        outgoing.received = Some(received);
        self.put(outgoing, batch);
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
