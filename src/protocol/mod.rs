//! The Model Context Protocol: what a request asks, in which revision, and how its answer is dressed.
//!
//! **Pure**: no clock, no threads, no files. **Knows no tool**, only the list of their
//! descriptions. A request's revision is decided once, in [`Session::understand`].

mod legacy;
mod modern;
mod params;
mod revision;
mod wire;

use serde_json::value::RawValue;

use crate::rpc::Id;
use crate::rpc::message::as_string;
use crate::rpc::reply::{ErrorObject, code};
use crate::tools::Spec;
use crate::words::clipped;
pub(crate) use params::{Arguments, CLIENT_CAPABILITIES, CLIENT_INFO, PROTOCOL_VERSION, Params};
pub(crate) use revision::{Era, Revision};
pub(crate) use wire::{SERVER_INFO, call_result, listen_acknowledged, listen_result, progress};

/// What a request asks for, whatever revision it came in.
#[derive(Debug)]
pub(crate) enum Op<'a> {
    /// Everything is known: the result, as JSON text.
    Answer(String),
    CallTool(Call<'a>),
    /// Hold the request open until it is cancelled or the input ends.
    Listen,
}

/// One tool call.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    /// The name as the list of tools has it.
    pub(crate) tool: &'static str,
    pub(crate) arguments: Arguments<'a>,
    /// JSON text of a string or an integer; progress is reported only where there is one.
    pub(crate) progress_token: Option<&'a RawValue>,
}

/// What a notification asks for.
#[derive(Debug, PartialEq)]
pub(crate) enum Notice {
    Cancel(Id),
    /// The client says that it is done; as good as the end of the input.
    Exit,
    Nothing,
}

/// What the protocol tells clients of this server.
pub(crate) struct Facts<'a> {
    pub(crate) tools: &'a [Spec],
    /// Written when asked for: the state of the roots is in it.
    pub(crate) instructions: &'a dyn Fn() -> String,
}

/// What is remembered between requests: the revision that `initialize` settled, and nothing else.
#[derive(Debug, Default)]
pub(crate) struct Session {
    legacy: Option<&'static Revision>,
}

impl Session {
    /// Decides a request's revision and what it asks for.
    pub(crate) fn understand<'a>(
        &mut self,
        method: &str,
        params: Option<&'a RawValue>,
        facts: &Facts<'_>,
    ) -> Result<(Op<'a>, &'static Revision), ErrorObject> {
        let params = Params::read(params)?;
        let meta = params.meta()?;
        if meta.claims_modern() {
            let revision = modern::revision_of(&meta)?;
            let op = modern::understand(method, &params, &meta, revision, facts)?;
            return Ok((op, revision));
        }
        if method == "initialize" {
            let revision = legacy::negotiate(&params);
            self.legacy = Some(revision);
            return Ok((
                Op::Answer(wire::initialize_result(revision, facts)),
                revision,
            ));
        }
        // A line typed by hand works without a handshake, in the newest revision that has one.
        let revision = self.legacy.unwrap_or_else(|| revision::newest(Era::Legacy));
        let op = legacy::understand(method, &params, &meta, revision, facts)?;
        Ok((op, revision))
    }

    /// Whether an array of messages is served on this connection as it is now.
    pub(crate) fn takes_batches(&self) -> bool {
        self.legacy.is_some_and(|it| it.has_batches)
    }
}

/// The dates of an era's revisions, oldest first.
pub(crate) fn dates(era: Era) -> impl Iterator<Item = &'static str> {
    revision::of(era).map(|it| it.date)
}

/// The date of an era's newest revision.
pub(crate) fn newest_date(era: Era) -> &'static str {
    revision::newest(era).date
}

/// Whether this request may stand inside a batch: a handshake and a modern claim may not.
pub(crate) fn may_be_batched(method: &str, params: Option<&RawValue>) -> bool {
    let claims = || {
        let params = Params::read(params).ok()?;
        Some(params.meta().ok()?.claims_modern())
    };
    method != "initialize" && !claims().unwrap_or(false)
}

/// Understands a notification. Nothing about one is ever answered.
pub(crate) fn notice(method: &str, params: Option<&RawValue>) -> Notice {
    match method {
        "exit" => Notice::Exit,
        "notifications/cancelled" => {
            let params = Params::read(params).ok();
            let id = params.and_then(|it| it.request_id).and_then(Id::from_raw);
            id.map_or(Notice::Nothing, Notice::Cancel)
        }
        _ => Notice::Nothing,
    }
}

/// What a log calls a request: its method, and for a tool call the tool.
pub(crate) fn label(method: &str, params: Option<&RawValue>) -> String {
    let tool = (method == "tools/call").then(|| {
        let name = Params::read(params).ok()?.name.and_then(as_string)?;
        Some(format!("{method} {}", clipped(&name, 100)))
    });
    tool.flatten()
        .unwrap_or_else(|| clipped(method, 100).into_owned())
}

fn method_not_found(method: &str) -> ErrorObject {
    ErrorObject::new(
        code::METHOD_NOT_FOUND,
        format!("Method not found: {}", clipped(method, 100)),
    )
}

fn invalid_params(message: impl Into<String>) -> ErrorObject {
    ErrorObject::new(code::INVALID_PARAMS, message)
}
