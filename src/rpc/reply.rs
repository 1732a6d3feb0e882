//! Lines that go out: results, errors and notifications, each JSON and LF in one buffer.

use serde::Serialize;

use super::Id;

/// Error codes of JSON-RPC 2.0, §5.1.
pub(crate) mod code {
    pub(crate) const PARSE_ERROR: i32 = -32700;
    pub(crate) const INVALID_REQUEST: i32 = -32600;
    pub(crate) const METHOD_NOT_FOUND: i32 = -32601;
    pub(crate) const INVALID_PARAMS: i32 = -32602;
    pub(crate) const INTERNAL_ERROR: i32 = -32603;
}

/// `data` is the JSON text of the error's `data` member.
#[derive(Debug)]
pub(crate) struct ErrorObject {
    pub(crate) code: i32,
    pub(crate) message: String,
    pub(crate) data: Option<String>,
}

impl ErrorObject {
    pub(crate) fn new(code: i32, message: impl Into<String>) -> Self {
        ErrorObject {
            code,
            message: message.into(),
            data: None,
        }
    }
}

/// An answer with a result, given as JSON text.
pub(crate) fn result(id: &Id, result: &str) -> Vec<u8> {
    let mut line = open(Some(id), result.len());
    line.extend_from_slice(b"\"result\":");
    line.extend_from_slice(result.as_bytes());
    line.extend_from_slice(b"}\n");
    line
}

/// An answer with an error; the id is `null` where none could be read (JSON-RPC 2.0, §5).
pub(crate) fn error(id: Option<&Id>, error: &ErrorObject) -> Vec<u8> {
    let mut line = open(id, error.message.len());
    line.extend_from_slice(b"\"error\":{\"code\":");
    line.extend_from_slice(error.code.to_string().as_bytes());
    line.extend_from_slice(b",\"message\":");
    append_json(&mut line, &error.message);
    if let Some(data) = &error.data {
        line.extend_from_slice(b",\"data\":");
        line.extend_from_slice(data.as_bytes());
    }
    line.extend_from_slice(b"}}\n");
    line
}

/// A notification; `params` is JSON text.
pub(crate) fn notification(method: &str, params: &str) -> Vec<u8> {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{params}}}\n").into_bytes()
}

/// The beginning of an answer, up to its `result` or `error` member.
pub(crate) fn open(id: Option<&Id>, expected_bytes: usize) -> Vec<u8> {
    let id = id.map_or("null", Id::text);
    let mut line = Vec::with_capacity(64 + id.len() + expected_bytes);
    line.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    line.extend_from_slice(id.as_bytes());
    line.push(b',');
    line
}

/// Appends a value as compact JSON.
pub(crate) fn append_json(line: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    // Writing into memory cannot fail, and all our values have string keys.
    serde_json::to_writer(line, value).unwrap_or_default();
}
