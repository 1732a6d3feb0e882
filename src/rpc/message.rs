//! Tells what one line is: a request, a notification, an answer, a batch, or nothing usable.
//!
//! Only the envelope is parsed. `id` and `params` stay raw text, so that whatever is wrong inside
//! `params` can still be answered on the right id.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::Id;
use super::recover::{Remains, remains};
use super::reply::code;

/// One line, understood as far as JSON-RPC 2.0 goes.
#[derive(Debug)]
pub(crate) enum Message<'a> {
    Request {
        id: Id,
        method: Cow<'a, str>,
        /// A JSON object; absent and `null` are the same.
        params: Option<&'a RawValue>,
    },
    Notification {
        method: Cow<'a, str>,
        params: Option<&'a RawValue>,
    },
    Batch(Vec<&'a RawValue>),
    /// Never answered, and why: an answer to nothing, a header line.
    Ignored(&'static str),
    Refused(Refusal),
}

/// A line that is answered with an error.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// The id to answer on; `null` goes out where there is none.
    pub(crate) id: Option<Id>,
    pub(crate) code: i32,
    pub(crate) message: String,
    /// The line was not JSON at all. Many such lines in a row are not worth an answer each.
    pub(crate) is_garbage: bool,
}

/// Understands one line.
pub(crate) fn parse(line: &[u8]) -> Message<'_> {
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => return not_utf8(line, error.valid_up_to()),
    };
    match line.first() {
        Some(b'{') => parse_object(text),
        Some(b'[') => match serde_json::from_str::<Vec<&RawValue>>(text) {
            Ok(elements) => Message::Batch(elements),
            Err(error) => not_json(text, &error),
        },
        _ if is_content_header(text) => Message::Ignored("a header line"),
        _ => match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => refused(None, code::INVALID_REQUEST, not_an_object(text)),
            Err(error) => not_json(text, &error),
        },
    }
}

/// Understands one element of a batch.
pub(crate) fn parse_element(element: &RawValue) -> Message<'_> {
    match element.get().as_bytes().first() {
        Some(b'{') => parse_object(element.get()),
        _ => refused(None, code::INVALID_REQUEST, not_an_object(element.get())),
    }
}

/// A line over the cap is answered on its id, if that can be read from how it began.
pub(crate) fn too_long(head: &[u8], bytes: u64, max_line: usize) -> Refusal {
    Refusal {
        id: remains(head).id,
        code: code::INVALID_REQUEST,
        message: format!("the message has {bytes} bytes and the limit is {max_line} bytes a line"),
        is_garbage: false,
    }
}

fn parse_object(text: &str) -> Message<'_> {
    let envelope: Envelope<'_> = match serde_json::from_str(text) {
        Ok(envelope) => envelope,
        Err(error) => return not_json(text, &error),
    };
    if let Some(name) = envelope.repeated {
        let message = format!("the member {name} occurs twice");
        return refused(None, code::INVALID_REQUEST, message);
    }
    if envelope.method.is_none() && envelope.has_outcome {
        return Message::Ignored("an answer to no request of ours");
    }
    let id = envelope.id.map(Id::from_raw);
    let usable_id = id.clone().flatten();
    let Some(method) = envelope.method.map(as_string) else {
        return refused(usable_id, code::INVALID_REQUEST, "method is missing".into());
    };
    let Some(method) = method else {
        return refused(
            usable_id,
            code::INVALID_REQUEST,
            "method must be a string".into(),
        );
    };
    let version = envelope.jsonrpc.and_then(as_string);
    let params = envelope.params.filter(|it| it.get() != "null");
    let params_fit = params.is_none_or(|it| it.get().starts_with('{'));
    match id {
        None if params_fit => Message::Notification { method, params },
        None => Message::Ignored("a notification whose params are no object"),
        Some(None) => {
            let message = "id must be a string or an integer".into();
            refused(None, code::INVALID_REQUEST, message)
        }
        Some(id) if version.as_deref() != Some("2.0") => {
            refused(id, code::INVALID_REQUEST, "jsonrpc must be \"2.0\"".into())
        }
        Some(id) if !params_fit => {
            refused(id, code::INVALID_PARAMS, "params must be an object".into())
        }
        Some(Some(id)) => Message::Request { id, method, params },
    }
}

fn refused(id: Option<Id>, code: i32, message: String) -> Message<'static> {
    Message::Refused(Refusal {
        id,
        code,
        message,
        is_garbage: false,
    })
}

/// A JSON string as text, or nothing for any other value and for lone surrogates.
pub(crate) fn as_string(value: &RawValue) -> Option<Cow<'_, str>> {
    let inner = value.get().strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        serde_json::from_str(value.get()).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}

fn not_json(text: &str, error: &serde_json::Error) -> Message<'static> {
    garbage(
        text.as_bytes(),
        format!("not JSON: {}", complaint(text, error)),
    )
}

fn not_utf8(line: &[u8], offset: usize) -> Message<'static> {
    let message = if line.contains(&0) {
        "not UTF-8: it looks like UTF-16; send UTF-8".to_owned()
    } else {
        format!("not UTF-8: byte {:#04x} at offset {offset}", line[offset])
    };
    garbage(line, message)
}

fn garbage(line: &[u8], message: String) -> Message<'static> {
    let Remains {
        id,
        has_method,
        has_outcome,
    } = remains(line);
    if has_outcome && !has_method {
        return Message::Ignored("a damaged answer to no request of ours");
    }
    Message::Refused(Refusal {
        is_garbage: id.is_none(),
        id,
        code: code::PARSE_ERROR,
        message,
    })
}

/// What is wrong with a line, in words for somebody who typed it by hand.
fn complaint(text: &str, error: &serde_json::Error) -> String {
    const QUOTES: &str = "see the README for how to quote in your shell";
    let unquoted_name = text.strip_prefix('{').is_some_and(|rest| {
        rest.trim_start()
            .starts_with(|it: char| it.is_ascii_alphabetic() || it == '\\')
    });
    if text.starts_with(['\'', '"']) {
        format!(
            "the line starts with {}, so the shell passed the quotes on; {QUOTES}",
            &text[..1]
        )
    } else if unquoted_name {
        format!("the names are not in double quotes, so the shell took them away; {QUOTES}")
    } else if is_header(text) {
        "this is a header line; send one JSON object a line, without headers".to_owned()
    } else if error.is_eof() && text.starts_with(['{', '[']) {
        "the message is cut off; a whole message goes on one line".to_owned()
    } else {
        let reason = error.to_string();
        let reason = reason.split(" at line ").next().unwrap_or_default();
        // serde_json's word for `true`, `false` and `null`.
        let reason = reason.replace("expected ident", "expected a JSON value");
        format!("{reason} at column {}", error.column())
    }
}

fn not_an_object(text: &str) -> String {
    if text.starts_with('"') && text.contains("jsonrpc") {
        "the message is a string, so the shell passed the quotes on; see the README".to_owned()
    } else {
        "a message must be a JSON object".to_owned()
    }
}

/// `Content-Length: 40` and its like, from clients that speak the framing of LSP.
fn is_content_header(text: &str) -> bool {
    is_header(text)
        && text
            .get(..8)
            .is_some_and(|it| it.eq_ignore_ascii_case("content-"))
}

fn is_header(text: &str) -> bool {
    text.split_once(':').is_some_and(|(name, _)| {
        !name.is_empty()
            && name
                .bytes()
                .all(|it| it.is_ascii_alphanumeric() || it == b'-')
    })
}

/// The members of the outermost object that JSON-RPC knows, as raw text.
#[derive(Default)]
struct Envelope<'a> {
    jsonrpc: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    has_outcome: bool,
    /// A member that occurs twice: whichever counted, somebody would be surprised.
    repeated: Option<&'static str>,
}

impl<'de: 'a, 'a> de::Deserialize<'de> for Envelope<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Envelope<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut envelope = Envelope::default();
                while let Some(Name(name)) = map.next_key()? {
                    let (slot, name) = match name.as_ref() {
                        "jsonrpc" => (&mut envelope.jsonrpc, "jsonrpc"),
                        "id" => (&mut envelope.id, "id"),
                        "method" => (&mut envelope.method, "method"),
                        "params" => (&mut envelope.params, "params"),
                        other => {
                            envelope.has_outcome |= matches!(other, "result" | "error");
                            map.next_value::<IgnoredAny>()?;
                            continue;
                        }
                    };
                    if slot.replace(map.next_value()?).is_some() {
                        envelope.repeated = Some(name);
                    }
                }
                Ok(envelope)
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// A member's name, borrowed where it has no escapes (serde's own `Cow` always copies).
struct Name<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> de::Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Name<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a member's name")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}
