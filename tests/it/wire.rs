//! The referee: sees every line of a session and fails on the first that breaks a rule of its revision.
//!
//! **A request's revision is decided here as the design says, from what was sent, never from what came back.**

use std::collections::{HashMap, VecDeque};
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use jsonschema::Validator;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::shapes::{MODERN_KEYS, Revision, error_shape, shape};

/// The keywords that every host and model API accepts in an input schema.
pub(crate) const PLAIN_KEYWORDS: [&str; 9] = [
    "type",
    "properties",
    "required",
    "description",
    "enum",
    "items",
    "minimum",
    "maximum",
    "default",
];

/// What is known about a session from its lines.
#[derive(Debug, Default)]
pub(crate) struct Wire {
    negotiated: Option<Revision>,
    unfinished: Vec<u8>,
    open: HashMap<String, VecDeque<Asked>>,
    /// Lines that are no request we can read; each may be answered once, with an id of the server's finding.
    unreadable: usize,
}

#[derive(Debug)]
struct Asked {
    method: String,
    tool: Option<String>,
    revision: Revision,
    cancelled: bool,
    token: Option<Value>,
    progress: f64,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    jsonrpc: Option<String>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// Tells a member that is null from one that is absent.
fn present<'de, D: Deserializer<'de>>(source: D) -> Result<Option<&'de RawValue>, D::Error> {
    Deserialize::deserialize(source).map(Some)
}

impl Wire {
    /// Takes note of bytes on their way to the server.
    pub(crate) fn sent(&mut self, bytes: &[u8]) {
        self.unfinished.extend_from_slice(bytes);
        if let Some(end) = self.unfinished.iter().rposition(|it| *it == b'\n') {
            let rest = self.unfinished.split_off(end + 1);
            let lines = std::mem::replace(&mut self.unfinished, rest);
            lines
                .split(|it| *it == b'\n')
                .for_each(|it| self.sent_line(it));
        }
    }

    /// The end of input ends the last line too.
    pub(crate) fn sent_end(&mut self) {
        let line = std::mem::take(&mut self.unfinished);
        self.sent_line(&line);
    }

    fn sent_line(&mut self, line: &[u8]) {
        let line = line.trim_ascii();
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        if line.is_empty() {
            return;
        }
        let batch = self.negotiated == Some(Revision::March2025) && line.starts_with(b"[");
        match serde_json::from_slice::<Vec<&RawValue>>(line) {
            Ok(elements) if batch && !elements.is_empty() => {
                for element in elements {
                    self.sent_message(element.get().as_bytes());
                }
                // An `initialize` among them is refused.
                self.negotiated = Some(Revision::March2025);
            }
            _ => self.sent_message(line),
        }
    }

    fn sent_message(&mut self, text: &[u8]) {
        // An array would be read as the members in order.
        let object = text.starts_with(b"{");
        let envelope = serde_json::from_slice::<Envelope>(text).ok();
        let Some(envelope) = envelope.filter(|_| object) else {
            self.unreadable += 1;
            return;
        };
        let params = envelope.params.map_or(Value::Null, |it| {
            serde_json::from_str(it.get()).unwrap_or(Value::Null)
        });
        let answers = envelope.result.is_some() || envelope.error.is_some();
        match (envelope.id, envelope.method) {
            (None, Some(method)) => self.sent_notification(&method, &params),
            (Some(id), method) if is_id(id.get()) && (method.is_some() || !answers) => {
                let asked = self.ask(method.unwrap_or_default(), &params);
                self.open
                    .entry(id.get().into())
                    .or_default()
                    .push_back(asked);
            }
            _ => self.unreadable += 1,
        }
    }

    fn ask(&mut self, method: String, params: &Value) -> Asked {
        let meta = &params["_meta"];
        let modern = MODERN_KEYS.iter().any(|key| meta.get(key).is_some());
        let bootstrap = method == "server/discover" || method == "subscriptions/listen";
        if method == "initialize" && !modern && (params.is_object() || params.is_null()) {
            self.negotiated = Some(Revision::negotiated(params["protocolVersion"].as_str()));
        }
        let revision = if modern || bootstrap {
            Revision::July2026
        } else {
            self.negotiated.unwrap_or(Revision::NEWEST_LEGACY)
        };
        Asked {
            tool: params["name"].as_str().map(str::to_owned),
            token: meta.get("progressToken").cloned(),
            progress: f64::MIN,
            cancelled: false,
            method,
            revision,
        }
    }

    fn sent_notification(&mut self, method: &str, params: &Value) {
        if method != "notifications/cancelled" {
            return;
        }
        for (id, asked) in &mut self.open {
            if serde_json::from_str::<Value>(id).is_ok_and(|it| it == params["requestId"]) {
                asked.iter_mut().for_each(|it| it.cancelled = true);
            }
        }
    }

    /// Requests that still have to be answered.
    pub(crate) fn unanswered(&self) -> Vec<&str> {
        let waiting = |it: &Asked| !it.cancelled && it.method != "subscriptions/listen";
        let ids = self.open.iter();
        ids.filter(|(_, asked)| asked.iter().any(waiting))
            .map(|(id, _)| id.as_str())
            .collect()
    }

    /// Checks a line from the server and says what it is.
    pub(crate) fn received(&mut self, line: &[u8]) -> Value {
        let line = line
            .strip_suffix(b"\n")
            .expect("a line ends with a line feed");
        let line = std::str::from_utf8(line).expect("a line is UTF-8");
        assert!(!line.contains('\r'), "no raw carriage return in a line");
        if line.starts_with('[') {
            assert_eq!(
                self.negotiated,
                Some(Revision::March2025),
                "an array came back"
            );
            let elements: Vec<&RawValue> =
                serde_json::from_str(line).expect("an array of messages");
            elements
                .into_iter()
                .for_each(|it| self.received_message(it.get()));
        } else {
            self.received_message(line);
        }
        serde_json::from_str(line).expect("a line is JSON")
    }

    fn received_message(&mut self, text: &str) {
        let envelope: Envelope = serde_json::from_str(text).expect("a line is a JSON-RPC message");
        let members: serde_json::Map<String, Value> = serde_json::from_str(text).unwrap();
        assert_eq!(envelope.jsonrpc.as_deref(), Some("2.0"), "jsonrpc is 2.0");
        match envelope {
            Envelope {
                id: None,
                method: Some(method),
                params: Some(params),
                ..
            } => {
                assert_eq!(members.len(), 3, "a notification has three members");
                self.notification(&method, &parse(params));
            }
            Envelope {
                id: Some(id),
                method: None,
                result: Some(result),
                ..
            } => {
                assert_eq!(members.len(), 3, "an answer has three members");
                self.result(id.get(), &parse(result));
            }
            Envelope {
                id: Some(id),
                method: None,
                error: Some(error),
                ..
            } => {
                assert_eq!(members.len(), 3, "an error answer has three members");
                self.error(id.get(), &parse(error));
            }
            _ => panic!("neither an answer nor a notification"),
        }
    }

    fn notification(&mut self, method: &str, params: &Value) {
        let asked = match method {
            "notifications/progress" => self.progress(params),
            _ => {
                let id = &params["_meta"]["io.modelcontextprotocol/subscriptionId"];
                let asked = self.open.get(&id.to_string()).and_then(VecDeque::front);
                asked
                    .expect("an acknowledgement names an open listen")
                    .revision
            }
        };
        require(asked, method, params);
    }

    fn progress(&mut self, params: &Value) -> Revision {
        let asked = self.open.values_mut().flatten();
        let asked = asked.filter(|it| it.token.as_ref() == Some(&params["progressToken"]));
        let now = params["progress"].as_f64().unwrap_or(f64::MIN);
        let mut revision = None;
        for it in asked {
            assert!(now > it.progress, "progress does not increase: {now}");
            it.progress = now;
            revision = Some(it.revision);
        }
        revision.expect("progress carries the token of an open request")
    }

    fn error(&mut self, id: &str, error: &Value) {
        if let Err(fault) = error_shape().validate(error) {
            panic!("this error is against the rules: {fault}");
        }
        // Of two requests with one id it is the later one that is refused; its id is not its own, so it may be null.
        let mut known = self.open.get_mut(id).and_then(VecDeque::pop_back);
        if known.is_none() && id == "null" && self.unreadable == 0 {
            let doubled = self.open.values_mut().find(|it| it.len() > 1);
            known = doubled.and_then(VecDeque::pop_back);
        }
        if known.is_none() {
            assert!(
                self.unreadable > 0,
                "an error that nothing asked for, id {id}"
            );
            self.unreadable -= 1;
        }
    }

    fn result(&mut self, id: &str, result: &Value) {
        let open = self.open.get_mut(id);
        // An answer and its cancellation may cross, but whoever reused the id is the likelier one to be answered.
        let asked = open.and_then(|it| {
            let place = it.iter().position(|it| !it.cancelled).unwrap_or(0);
            it.remove(place)
        });
        let asked = asked.unwrap_or_else(|| panic!("nothing open has the id {id}"));
        require(asked.revision, &asked.method, result);
        match asked.method.as_str() {
            "tools/list" => check_tools(result),
            "tools/call" => check_call(&asked, result),
            _ => {}
        }
    }
}

fn is_id(text: &str) -> bool {
    serde_json::from_str::<String>(text).is_ok()
        || text.bytes().all(|it| it == b'-' || it.is_ascii_digit())
}

fn parse(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap()
}

fn require(revision: Revision, method: &str, value: &Value) {
    let Some(shape) = shape(revision, method) else {
        panic!("{method} has no result in {}", revision.name());
    };
    if let Err(fault) = shape.validate(value) {
        let (place, name) = (fault.instance_path().to_string(), revision.name());
        panic!("{method} of {name} does not fit its schema at {place:?}: {fault}");
    }
}

fn check_tools(result: &Value) {
    for tool in result["tools"].as_array().unwrap() {
        check_plain(&tool["inputSchema"]);
        for schema in ["inputSchema", "outputSchema"] {
            if let Some(schema) = tool.get(schema) {
                jsonschema::draft202012::meta::validate(schema).expect("a valid schema");
            }
        }
    }
}

/// Some hosts drop a tool, or all of them, for any other keyword.
fn check_plain(schema: &Value) {
    let schema = schema.as_object().expect("a schema is an object");
    for (keyword, value) in schema {
        assert!(
            PLAIN_KEYWORDS.contains(&keyword.as_str()),
            "{keyword} is no plain keyword"
        );
        match keyword.as_str() {
            "type" => assert!(value.is_string(), "type is one string, not {value}"),
            "items" => check_plain(value),
            "properties" => value.as_object().unwrap().values().for_each(check_plain),
            _ => {}
        }
    }
    let array = schema.get("type").is_some_and(|it| it == "array");
    assert!(
        !array || schema.contains_key("items"),
        "an array says what is in it"
    );
}

/// Structured content is there exactly when it is promised, keeps its promise and is the text once more.
fn check_call(asked: &Asked, result: &Value) {
    let tool = asked.tool.as_deref().unwrap_or_default();
    let structured = result.get("structuredContent");
    let Some(promise) = output_schemas().get(tool) else {
        assert_eq!(structured, None, "{tool} promises no structured content");
        return;
    };
    if result["isError"] == true {
        assert_eq!(structured, None, "an error carries no structured content");
        return;
    }
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap())
        .expect("the text of a tool with an output schema is JSON");
    if let Err(fault) = promise.validate(&text) {
        panic!("{tool} breaks its output schema: {fault}");
    }
    if asked.revision >= Revision::June2025 {
        assert_eq!(
            structured,
            Some(&text),
            "text and structured content of {tool} differ"
        );
    }
}

/// The output schemas of the program's tools, asked for once.
fn output_schemas() -> &'static HashMap<String, Validator> {
    static SCHEMAS: LazyLock<HashMap<String, Validator>> = LazyLock::new(|| {
        let mut server = Command::new(crate::launch::program())
            .arg(".")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let request = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n";
        server.stdin.take().unwrap().write_all(request).unwrap();
        let output = server.wait_with_output().unwrap().stdout;
        let answer: Value = serde_json::from_slice(&output).expect("tools/list is answered");
        let tools = answer["result"]["tools"].as_array().unwrap();
        tools.iter().filter_map(output_schema).collect()
    });
    &SCHEMAS
}

fn output_schema(tool: &Value) -> Option<(String, Validator)> {
    let name = tool["name"].as_str()?.to_owned();
    let schema = jsonschema::draft202012::new(tool.get("outputSchema")?);
    Some((name, schema.unwrap()))
}
