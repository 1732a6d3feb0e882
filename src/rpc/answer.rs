//! What a line from the other side is, seen by a client: an answer, a request, a notification.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::Id;

/// One line, understood as far as a client has to.
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
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(default)]
    params: Value,
    result: Option<Value>,
    error: Option<Value>,
}

/// Understands one line; nothing when it is no message of JSON-RPC.
pub(crate) fn hear(line: &[u8]) -> Option<Heard> {
    let envelope: Envelope<'_> = serde_json::from_slice(line).ok()?;
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
}
