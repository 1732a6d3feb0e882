//! Results and notifications as JSON text, projected to the revision they go out in.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::Facts;
use super::revision::{self, Era, Revision};
use crate::rpc::{Id, reply};
use crate::tools::{Outcome, Spec};

/// How long a client may keep what cannot change while the process lives, in milliseconds.
const TIME_TO_LIVE: u64 = 3_600_000;

pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

pub(super) fn initialize_result(revision: &Revision, facts: &Facts<'_>) -> String {
    let result = json!({
        "protocolVersion": revision.date,
        "capabilities": {"tools": {}},
        "serverInfo": server_info(revision),
        "instructions": (facts.instructions)(),
    });
    result.to_string()
}

pub(super) fn discover_result(revision: &Revision, facts: &Facts<'_>) -> String {
    let result = json!({
        "supportedVersions": modern_dates(),
        "capabilities": {"tools": {}},
        "instructions": (facts.instructions)(),
    });
    dressed(result, revision, Some(TIME_TO_LIVE))
}

pub(super) fn tools_result(revision: &Revision, tools: &[Spec]) -> String {
    let tools: Vec<Value> = tools.iter().map(|it| tool_entry(it, revision)).collect();
    dressed(json!({ "tools": tools }), revision, Some(TIME_TO_LIVE))
}

/// The whole answer to a tool call, as a line.
pub(crate) fn call_result(id: &Id, outcome: &Outcome, revision: &Revision) -> Vec<u8> {
    // Text that needs escaping grows; an eighth more saves most of a second allocation.
    let mut line = reply::open(Some(id), outcome.text.len() + outcome.text.len() / 8 + 256);
    line.extend_from_slice(b"\"result\":{");
    if revision.era == Era::Modern {
        line.extend_from_slice(b"\"resultType\":\"complete\",");
    }
    line.extend_from_slice(b"\"content\":[{\"type\":\"text\",\"text\":");
    reply::append_json(&mut line, &outcome.text);
    line.extend_from_slice(b"}]");
    if let Some(structured) = outcome
        .structured
        .as_ref()
        .filter(|_| revision.has_structured_content)
    {
        line.extend_from_slice(b",\"structuredContent\":");
        reply::append_json(&mut line, structured);
    }
    line.extend_from_slice(b",\"isError\":");
    line.extend_from_slice(if outcome.is_error { b"true" } else { b"false" });
    if revision.era == Era::Modern {
        line.extend_from_slice(b",\"_meta\":");
        reply::append_json(&mut line, &json!({ SERVER_INFO: server_info(revision) }));
    }
    line.extend_from_slice(b"}}\n");
    line
}

/// Says which kinds of news a listener will get: none, since the tools never change.
pub(crate) fn listen_acknowledged(id: &Id) -> Vec<u8> {
    let params = format!(
        r#"{{"notifications":{{}},"_meta":{{"{SUBSCRIPTION_ID}":{}}}}}"#,
        id.text()
    );
    reply::notification("notifications/subscriptions/acknowledged", &params)
}

/// Ends a listener from our side.
pub(crate) fn listen_result(id: &Id, revision: &Revision) -> Vec<u8> {
    let server = server_info(revision);
    let result = format!(
        r#"{{"resultType":"complete","_meta":{{"{SUBSCRIPTION_ID}":{},"{SERVER_INFO}":{server}}}}}"#,
        id.text()
    );
    reply::result(id, &result)
}

/// One report of how far a call is.
pub(crate) fn progress(
    token: &RawValue,
    done: u64,
    total: Option<u64>,
    revision: &Revision,
) -> Vec<u8> {
    let mut params = format!(r#"{{"progressToken":{},"progress":{done}"#, token.get());
    if let Some(total) = total {
        params += &format!(r#","total":{total}"#);
    }
    if revision.has_progress_message {
        params += &match total {
            Some(total) => format!(r#","message":"{done} of {total} bytes""#),
            // Bytes or entries.
            None => format!(r#","message":"{done} so far""#),
        };
    }
    params.push('}');
    reply::notification("notifications/progress", &params)
}

pub(super) fn modern_dates() -> Vec<&'static str> {
    revision::of(Era::Modern).map(|it| it.date).collect()
}

fn server_info(revision: &Revision) -> Value {
    let mut info = json!({"name": "filewright", "version": env!("CARGO_PKG_VERSION")});
    if revision.has_structured_content {
        info["title"] = "filewright".into();
    }
    if revision.has_server_description {
        info["description"] = env!("CARGO_PKG_DESCRIPTION").into();
    }
    info
}

fn tool_entry(tool: &Spec, revision: &Revision) -> Value {
    let mut entry = Map::new();
    entry.insert("name".into(), tool.name.into());
    if revision.has_structured_content {
        entry.insert("title".into(), tool.title.into());
    }
    entry.insert("description".into(), tool.description.into());
    entry.insert("inputSchema".into(), tool.input_schema.clone());
    if revision.has_structured_content
        && let Some(schema) = &tool.output_schema
    {
        entry.insert("outputSchema".into(), schema.clone());
    }
    if revision.has_annotations {
        entry.insert("annotations".into(), tool.annotations.clone());
    }
    if revision.has_structured_content
        && let Some(meta) = &tool.meta
    {
        entry.insert("_meta".into(), meta.clone());
    }
    entry.into()
}

/// Adds what the modern era wants on a result: its type, cache hints, and who answered.
fn dressed(mut result: Value, revision: &Revision, time_to_live: Option<u64>) -> String {
    if revision.era == Era::Modern {
        result["resultType"] = "complete".into();
        if let Some(time_to_live) = time_to_live {
            result["ttlMs"] = time_to_live.into();
            // Instructions and descriptions may name local directories.
            result["cacheScope"] = "private".into();
        }
        result["_meta"] = json!({ SERVER_INFO: server_info(revision) });
    }
    result.to_string()
}
