//! The MCP messages this server sends, as JSON Schemas, revision by revision.
//!
//! **Every object is closed, so a member that a revision does not know is a failure: nothing leaks into an older one.**

use std::collections::HashMap;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

/// A dated edition of MCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Revision {
    November2024,
    March2025,
    June2025,
    November2025,
    July2026,
}

use Revision::{July2026, June2025, March2025, November2024, November2025};

impl Revision {
    pub(crate) const ALL: [Self; 5] = [November2024, March2025, June2025, November2025, July2026];
    pub(crate) const LEGACY: [Self; 4] = [November2024, March2025, June2025, November2025];
    pub(crate) const NEWEST_LEGACY: Self = November2025;

    pub(crate) fn name(self) -> &'static str {
        match self {
            November2024 => "2024-11-05",
            March2025 => "2025-03-26",
            June2025 => "2025-06-18",
            November2025 => "2025-11-25",
            July2026 => "2026-07-28",
        }
    }

    pub(crate) fn is_modern(self) -> bool {
        self == July2026
    }

    /// What a server answers to this wish in `initialize`.
    pub(crate) fn negotiated(wish: Option<&str>) -> Self {
        Self::LEGACY
            .into_iter()
            .find(|it| Some(it.name()) == wish)
            .unwrap_or(Self::NEWEST_LEGACY)
    }
}

/// The `_meta` keys that make a request a modern one.
pub(crate) const MODERN_KEYS: [&str; 3] = [
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/clientInfo",
];
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// Every method that has an answer worth a schema.
const METHODS: [&str; 11] = [
    "initialize",
    "server/discover",
    "tools/list",
    "tools/call",
    "ping",
    "logging/setLevel",
    "shutdown",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
    "subscriptions/listen",
];
const NOTIFICATIONS: [&str; 2] = [
    "notifications/progress",
    "notifications/subscriptions/acknowledged",
];

/// What fits `method`'s result (or a notification's params) in `revision`, if it may exist there at all.
pub(crate) fn shape(revision: Revision, method: &str) -> Option<&'static Validator> {
    type ByRevision = HashMap<Revision, Validator>;
    static SHAPES: LazyLock<HashMap<&str, ByRevision>> = LazyLock::new(|| {
        let names = METHODS.into_iter().chain(NOTIFICATIONS);
        let by_revision = |method| {
            let revisions = Revision::ALL.into_iter();
            revisions
                .filter_map(|it| Some((it, compile(&schema(it, method)?))))
                .collect()
        };
        names.map(|method| (method, by_revision(method))).collect()
    });
    SHAPES.get(method)?.get(&revision)
}

/// What fits the `error` member of an answer.
pub(crate) fn error_shape() -> &'static Validator {
    static SHAPE: LazyLock<Validator> = LazyLock::new(|| {
        let unsupported = closed(
            &["supported", "requested"],
            json!({
                "supported": {"type": "array", "minItems": 1, "items": {"type": "string"}},
                "requested": {"type": "string"},
            }),
        );
        compile(&json!({
            "type": "object",
            "required": ["code", "message"],
            "additionalProperties": false,
            "properties": {
                "code": {"enum": [-32700, -32600, -32601, -32602, -32603, -32022]},
                "message": {"type": "string", "minLength": 1},
                "data": {},
            },
            "if": {"properties": {"code": {"const": -32022}}},
            "then": {"required": ["data"], "properties": {"data": unsupported}},
        }))
    });
    &SHAPE
}

fn compile(schema: &Value) -> Validator {
    jsonschema::draft202012::new(schema).unwrap()
}

fn schema(revision: Revision, method: &str) -> Option<Value> {
    let modern = revision.is_modern();
    let body = match method {
        "initialize" if !modern => closed(
            &["protocolVersion", "capabilities", "serverInfo"],
            json!({
                "protocolVersion": {"const": revision.name()},
                "capabilities": capabilities(),
                "serverInfo": implementation(revision),
                "instructions": {"type": "string"},
            }),
        ),
        "server/discover" if modern => cached(closed(
            &["supportedVersions", "capabilities"],
            json!({
                "supportedVersions": {"const": [July2026.name()]},
                "capabilities": capabilities(),
                "instructions": {"type": "string"},
            }),
        )),
        "tools/list" => {
            let tools = json!({"tools": {"type": "array", "minItems": 1, "items": tool(revision)}});
            let list = closed(&["tools"], tools);
            if modern { cached(list) } else { list }
        }
        "tools/call" => call_result(revision),
        "ping" | "logging/setLevel" | "shutdown" if !modern => closed(&[], json!({})),
        "resources/list" if !modern => empty_list("resources"),
        "resources/templates/list" if !modern => empty_list("resourceTemplates"),
        "prompts/list" if !modern => empty_list("prompts"),
        "subscriptions/listen" if modern => closed(&[], json!({})),
        "notifications/progress" => return Some(progress(revision)),
        "notifications/subscriptions/acknowledged" if modern => return Some(acknowledged()),
        _ => return None,
    };
    Some(if modern {
        complete(body, revision, method)
    } else {
        body
    })
}

/// An object with these members and no others.
fn closed(required: &[&str], properties: Value) -> Value {
    json!({"type": "object", "required": required, "properties": properties, "additionalProperties": false})
}

/// Adds members to a closed object; those listed become required.
fn widen(mut schema: Value, required: &[&str], properties: Value) -> Value {
    let Value::Object(more) = properties else {
        unreachable!("properties are an object")
    };
    schema["properties"].as_object_mut().unwrap().extend(more);
    let names = schema["required"].as_array_mut().unwrap();
    names.extend(required.iter().map(|it| json!(it)));
    schema
}

fn cached(schema: Value) -> Value {
    let hints = json!({
        "ttlMs": {"type": "integer", "minimum": 0},
        "cacheScope": {"enum": ["public", "private"]},
    });
    widen(schema, &["ttlMs", "cacheScope"], hints)
}

/// The envelope of every modern result: what it is, and who says so.
fn complete(schema: Value, revision: Revision, method: &str) -> Value {
    let mut meta = Map::new();
    meta.insert(SERVER_INFO.into(), implementation(revision));
    let mut required = vec![SERVER_INFO];
    if method == "subscriptions/listen" {
        meta.insert(SUBSCRIPTION.into(), json!({"type": ["string", "integer"]}));
        required.push(SUBSCRIPTION);
    }
    let members = json!({
        "resultType": {"const": "complete"},
        "_meta": closed(&required, Value::Object(meta)),
    });
    widen(schema, &["resultType", "_meta"], members)
}

fn implementation(revision: Revision) -> Value {
    let text = json!({"type": "string", "minLength": 1});
    let mut members = json!({"name": text, "version": text});
    if revision >= June2025 {
        members["title"] = text.clone();
    }
    if revision >= November2025 {
        members["description"] = text.clone();
        members["websiteUrl"] = text;
    }
    closed(&["name", "version"], members)
}

fn capabilities() -> Value {
    closed(&["tools"], json!({"tools": closed(&[], json!({}))}))
}

fn tool(revision: Revision) -> Value {
    let input = json!({
        "type": "object",
        "required": ["type", "properties"],
        "properties": {
            "type": {"const": "object"},
            "properties": {"type": "object", "additionalProperties": {"type": "object"}},
            "required": {"type": "array", "items": {"type": "string"}},
        },
    });
    let mut members = json!({
        "name": {"type": "string", "pattern": "^[a-z][a-z0-9_]{2,23}$"},
        "description": {"type": "string", "minLength": 1},
        "inputSchema": input,
    });
    if revision >= March2025 {
        let hint = json!({"type": "boolean"});
        let hints = json!({
            "title": {"type": "string"},
            "readOnlyHint": hint, "destructiveHint": hint, "idempotentHint": hint, "openWorldHint": hint,
        });
        members["annotations"] = closed(&[], hints);
    }
    if revision >= June2025 {
        members["title"] = json!({"type": "string", "minLength": 1});
        members["outputSchema"] = json!({
            "type": "object", "required": ["type"], "properties": {"type": {"const": "object"}},
        });
        members["_meta"] = json!({"type": "object"});
    }
    closed(&["name", "description", "inputSchema"], members)
}

fn call_result(revision: Revision) -> Value {
    let text = closed(
        &["type", "text"],
        json!({"type": {"const": "text"}, "text": {"type": "string"}}),
    );
    let media = |kind: &str| {
        let members = json!({"type": {"const": kind}, "data": {"type": "string"}, "mimeType": {"type": "string"}});
        closed(&["type", "data", "mimeType"], members)
    };
    let mut blocks = vec![text, media("image")];
    if revision >= March2025 {
        blocks.push(media("audio"));
    }
    let mut members = json!({
        "content": {"type": "array", "minItems": 1, "items": {"oneOf": blocks}},
        "isError": {"type": "boolean"},
    });
    if revision >= June2025 {
        members["structuredContent"] = json!({"type": "object"});
    }
    closed(&["content", "isError"], members)
}

fn empty_list(name: &str) -> Value {
    let mut members = Map::new();
    members.insert(name.into(), json!({"type": "array", "maxItems": 0}));
    closed(&[name], Value::Object(members))
}

fn progress(revision: Revision) -> Value {
    let mut members = json!({
        "progressToken": {"type": ["string", "integer"]},
        "progress": {"type": "number"},
        "total": {"type": "number"},
    });
    if revision >= March2025 {
        members["message"] = json!({"type": "string"});
    }
    closed(&["progressToken", "progress"], members)
}

/// We have nothing to notify about, so the honoured subset is always empty.
fn acknowledged() -> Value {
    let mut meta = Map::new();
    meta.insert(SUBSCRIPTION.into(), json!({"type": ["string", "integer"]}));
    let members = json!({
        "notifications": closed(&[], json!({})),
        "_meta": closed(&[SUBSCRIPTION], Value::Object(meta)),
    });
    closed(&["notifications", "_meta"], members)
}
