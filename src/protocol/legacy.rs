//! The legacy era: `initialize` settles a revision, and requests carry nothing of it.

use super::params::{Meta, Params};
use super::revision::{self, Era, Revision};
use super::{Facts, Op, invalid_params, method_not_found, wire};
use crate::rpc::message::as_string;
use crate::rpc::reply::ErrorObject;

/// The client's revision if we speak it, else our newest. Never an error.
pub(super) fn negotiate(params: &Params<'_>) -> &'static Revision {
    let wanted = params.protocol_version.and_then(as_string);
    wanted
        .and_then(|date| revision::find(Era::Legacy, &date))
        .unwrap_or_else(|| revision::newest(Era::Legacy))
}

pub(super) fn understand<'a>(
    method: &str,
    params: &Params<'a>,
    meta: &Meta<'a>,
    revision: &'static Revision,
    facts: &Facts<'_>,
) -> Result<Op<'a>, ErrorObject> {
    let answer = |text: &str| Ok(Op::Answer(text.to_owned()));
    match method {
        // Any cursor is ignored: there is one page, and hosts that send one would loop on an error.
        "tools/list" => Ok(Op::Answer(wire::tools_result(revision, facts.tools))),
        "tools/call" => Ok(Op::CallTool(params.call(meta, facts.tools)?)),
        "ping" | "logging/setLevel" | "shutdown" => answer("{}"),
        // Hosts ask for these whether or not they are declared, and take an error for a failure.
        "resources/list" => answer(r#"{"resources":[]}"#),
        "resources/templates/list" => answer(r#"{"resourceTemplates":[]}"#),
        "prompts/list" => answer(r#"{"prompts":[]}"#),
        "server/discover" | "subscriptions/listen" => Err(invalid_params(format!(
            "Missing required _meta fields: {}, {}",
            super::params::PROTOCOL_VERSION,
            super::params::CLIENT_CAPABILITIES
        ))),
        _ => Err(method_not_found(method)),
    }
}
