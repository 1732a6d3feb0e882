//! The modern era: every request carries its revision and its client's capabilities in `_meta`.

use serde_json::json;
use serde_json::value::RawValue;

use super::params::{CLIENT_CAPABILITIES, LOG_LEVEL, Meta, PROTOCOL_VERSION, Params};
use super::revision::{self, Era, Revision};
use super::{Facts, Op, invalid_params, method_not_found, wire};
use crate::rpc::message::as_string;
use crate::rpc::reply::ErrorObject;

/// `UnsupportedProtocolVersion` of revision 2026-07-28.
const UNSUPPORTED_PROTOCOL_VERSION: i32 = -32022;

const LOG_LEVELS: [&str; 8] = [
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
];

/// The revision that a request claims. An unknown one is reported before anything that is missing,
/// since only then can the client recover.
pub(super) fn revision_of(meta: &Meta<'_>) -> Result<&'static Revision, ErrorObject> {
    let claimed = meta
        .get(PROTOCOL_VERSION)
        .ok_or_else(|| missing(PROTOCOL_VERSION))?;
    let claimed = as_string(claimed)
        .ok_or_else(|| invalid_params(format!("{PROTOCOL_VERSION} must be a string")))?;
    let revision = revision::find(Era::Modern, &claimed).ok_or_else(|| {
        let data = json!({"supported": wire::modern_dates(), "requested": claimed});
        ErrorObject {
            code: UNSUPPORTED_PROTOCOL_VERSION,
            message: "Unsupported protocol version".to_owned(),
            data: Some(data.to_string()),
        }
    })?;
    let capabilities = meta
        .get(CLIENT_CAPABILITIES)
        .ok_or_else(|| missing(CLIENT_CAPABILITIES))?;
    if !is_object(capabilities) {
        return Err(invalid_params(format!(
            "{CLIENT_CAPABILITIES} must be an object"
        )));
    }
    let level = meta.get(LOG_LEVEL);
    let known = |it| as_string(it).is_some_and(|level| LOG_LEVELS.contains(&level.as_ref()));
    if level.is_some_and(|it| !known(it)) {
        let levels = LOG_LEVELS.join(", ");
        return Err(invalid_params(format!(
            "{LOG_LEVEL} must be one of {levels}"
        )));
    }
    Ok(revision)
}

pub(super) fn understand<'a>(
    method: &str,
    params: &Params<'a>,
    meta: &Meta<'a>,
    revision: &'static Revision,
    facts: &Facts<'_>,
) -> Result<Op<'a>, ErrorObject> {
    match method {
        "server/discover" => Ok(Op::Answer(wire::discover_result(revision, facts))),
        "tools/list" if params.cursor.is_some() => {
            Err(invalid_params("Invalid cursor: there is only one page"))
        }
        "tools/list" => Ok(Op::Answer(wire::tools_result(revision, facts.tools))),
        "tools/call" => Ok(Op::CallTool(params.call(meta, facts.tools)?)),
        "subscriptions/listen" if !params.notifications.is_some_and(is_object) => Err(
            invalid_params("notifications is missing: an object of the kinds to listen for"),
        ),
        "subscriptions/listen" => Ok(Op::Listen),
        _ => Err(method_not_found(method)),
    }
}

fn missing(key: &str) -> ErrorObject {
    invalid_params(format!("Missing required _meta field: {key}"))
}

fn is_object(value: &RawValue) -> bool {
    value.get().starts_with('{')
}
