//! What a line from the other side is, seen by a client: an answer, a request, a notification.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::Id;

/// A message, understood as far as a client has to.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) heard: Heard,
    /// Why an official client drops it: they hold messages to the letter of JSON-RPC and MCP.
    pub(crate) fault: Option<Fault>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
    NoVersion,
    Error,
    Result,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Fault::NoVersion => "no \"jsonrpc\":\"2.0\"",
            Fault::Error => "an error without a whole number as code and a text as message",
            Fault::Result => "a result that is no object",
        })
    }
}

#[derive(Debug)]
pub(crate) enum Heard {
    Answer {
        /// Nothing where it is `null`, missing, or nothing that an id can be.
        id: Option<Id>,
        outcome: Outcome,
    },
    Request {
        id: Id,
        method: String,
    },
    Notification {
        method: String,
        params: Value,
    },
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    Result(Value),
    Error { code: i64, message: String },
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(default)]
    params: Value,
    result: Option<Value>,
    error: Option<Value>,
}

/// Understands one line; nothing when it is no message of JSON-RPC.
pub(crate) fn hear(line: &[u8]) -> Option<Message> {
    let envelope: Envelope<'_> = serde_json::from_slice(line).ok()?;
    let has_version = envelope.jsonrpc.is_some_and(|it| it.get() == "\"2.0\"");
    let fault = match (&envelope.method, &envelope.result, &envelope.error) {
        _ if !has_version => Some(Fault::NoVersion),
        (Some(_), ..) => None,
        (None, _, Some(error)) if !(error["code"].is_i64() && error["message"].is_string()) => {
            Some(Fault::Error)
        }
        (None, result, None) if !result.as_ref().is_some_and(Value::is_object) => {
            Some(Fault::Result)
        }
        _ => None,
    };
    let heard = heard(envelope, line)?;
    Some(Message { heard, fault })
}

fn heard(envelope: Envelope<'_>, line: &[u8]) -> Option<Heard> {
    let id = envelope.id.and_then(Id::from_raw);
    if let Some(method) = envelope.method {
        let method = method.into_owned();
        return Some(match id {
            Some(id) => Heard::Request { id, method },
            None => {
                let params = envelope.params;
                Heard::Notification { method, params }
            }
        });
    }
    let outcome = match (envelope.result, envelope.error) {
        (_, Some(error)) => Outcome::Error {
            code: error["code"].as_i64().unwrap_or_default(),
            message: error["message"].as_str().unwrap_or_default().to_owned(),
        },
        (Some(result), None) => Outcome::Result(result),
        // A result of null is a result to serde's mind only when it is asked for by name.
        (None, None) if line.windows(8).any(|it| it == b"\"result\"") => {
            Outcome::Result(Value::Null)
        }
        (None, None) => return None,
    };
    Some(Heard::Answer { id, outcome })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_answer_a_request_or_a_notification() {
        let id = |text: &str| Id::from_text(text);
        let hear = |line: &[u8]| super::hear(line).map(|it| it.heard);
        let answer = |line: &str| match hear(line.as_bytes()) {
            Some(Heard::Answer { id, outcome }) => (id, outcome),
            other => panic!("{other:?}"),
        };
        let (got, outcome) = answer(r#"{"jsonrpc":"2.0","id":9007199254740993,"result":{}}"#);
        assert_eq!(got, id("9007199254740993"));
        assert_eq!(outcome, Outcome::Result(Value::Object(Default::default())));
        let (got, outcome) = answer(r#"{"id":null,"error":{"code":-32700,"message":"m"}}"#);
        let message = "m".to_owned();
        let code = -32700;
        assert_eq!((got, outcome), (None, Outcome::Error { code, message }));
        assert_eq!(answer(r#"{"id":"1","result":null}"#).0, id("\"1\""));
        assert!(matches!(
            hear(br#"{"id":1,"method":"ping"}"#),
            Some(Heard::Request { method, .. }) if method == "ping"
        ));
        assert!(matches!(
            hear(br#"{"method":"n","params":{"a":1}}"#),
            Some(Heard::Notification { params, .. }) if params["a"] == 1
        ));
        for line in ["", "hello", "[]", "{}", "7", r#"{"id":1}"#, "{\"id\":1,"] {
            assert!(hear(line.as_bytes()).is_none(), "{line}");
        }
    }

    #[test]
    fn what_official_clients_drop_is_a_fault() {
        let fault = |line: &str| hear(line.as_bytes()).unwrap().fault;
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","method":"n"}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":""}}"#,
        ] {
            assert_eq!(fault(line), None, "{line}");
        }
        for line in [
            r#"{"id":1,"result":{}}"#,
            r#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":2.0,"method":"n"}"#,
        ] {
            assert_eq!(fault(line), Some(Fault::NoVersion), "{line}");
        }
        for outcome in [
            r#""result":null"#,
            r#""result":"pong""#,
            r#""error":"text""#,
            r#""error":{"code":"1","message":"m"}"#,
            r#""error":{"code":1}"#,
        ] {
            let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,{outcome}}}");
            assert!(fault(&line).is_some(), "{line}");
        }
    }
}
