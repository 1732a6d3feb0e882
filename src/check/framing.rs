//! How a server finds the messages in what it reads: bad lines, pieces, several at once, long ones.

use std::time::Duration;

use serde_json::{Value, json};

use super::protocol::{NO_TOOL, strays};
use super::report::Found;
use super::subject::Subject;
use crate::client::Oddity;

const LARGE: usize = 300 * 1024;

/// Between the pieces of one message: longer than any buffer gathers.
const PAUSE: Duration = Duration::from_millis(40);

pub(super) fn parse_error(subject: &mut Subject) -> Found {
    let method = subject.probe();
    subject.with(|client, seen| {
        let half = b"{\"jsonrpc\":\"2.0\",\"id\":4242,\"method\":\n".to_vec();
        client.send(vec![half], Duration::ZERO);
        client.request(method, json!({}))?;
        // An answer on the id that can still be read, or on null, is what the standard wants.
        let odd = client.oddities();
        let answered = !strays(&odd).is_empty();
        seen.extend(
            odd.into_iter()
                .filter(|it| !matches!(it, Oddity::Stray { .. })),
        );
        let how = if answered { "an error" } else { "nothing" };
        Ok(Found::pass(format!(
            "{how} for the line, and the session goes on"
        )))
    })
}

pub(super) fn pieces(subject: &mut Subject) -> Found {
    let method = subject.probe();
    subject.with(|client, _| {
        let id = "\"in pieces\"";
        let pending = client.expect(id, method);
        let params = json!({"_meta": {"filewright.check/text": "\u{e9}"}});
        let line = client.request_line(id, method, params).into_bytes();
        // One cut is inside a character, where the line may have one.
        let inside = line
            .iter()
            .position(|it| *it == 0xC3)
            .unwrap_or(line.len() / 2)
            + 1;
        let pieces = [&line[..inside], &line[inside..line.len() - 1], b"\n"];
        client.send(pieces.map(<[u8]>::to_vec).to_vec(), PAUSE);
        client.answer(pending)?;
        Ok(Found::pass("answered"))
    })
}

pub(super) fn one_write(subject: &mut Subject) -> Found {
    let method = subject.probe();
    subject.with(|client, _| {
        let ids = ["\"first of two\"", "\"second of two\""];
        let both = ids.map(|id| client.expect(id, method));
        let lines = ids.map(|id| client.request_line(id, method, Value::Null));
        client.send(vec![lines.concat().into_bytes()], Duration::ZERO);
        for pending in both {
            client.answer(pending)?;
        }
        Ok(Found::pass("both answered"))
    })
}

pub(super) fn large_argument(subject: &mut Subject) -> Found {
    subject.with(|client, _| {
        let call = json!({"name": NO_TOOL, "arguments": {"text": "x".repeat(LARGE)}});
        client.request("tools/call", call)?;
        Ok(Found::pass("answered"))
    })
}
