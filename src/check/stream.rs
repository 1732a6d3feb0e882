//! The byte stream: one JSON message a line on stdout, in UTF-8, whole and at once.

use std::time::Duration;

use serde_json::{Value, json};

use super::Check;
use super::report::Found;
use super::side::Side;
use super::subject::Subject;
use crate::cli::LayerName;
use crate::client::{Failure, Oddity};

/// More than a pipe holds, so that one write cannot take it all.
const LARGE: usize = 100_000;

/// Beyond ASCII in every way: two, three and four bytes in UTF-8.
const BEYOND_ASCII: &str = "\"\u{e9} \u{68c0}\u{67e5} \u{1F600}\"";

pub(super) static CHECKS: [Check; 11] = [
    Check {
        layer: LayerName::Stream,
        name: "stdout",
        sent: "initialize, and a method that nobody knows",
        means: "hosts take each line of stdout for a message, and show an error or close the session \
                when it is none",
        remedy: "send logs to stderr; silence banners and colours; in Python print(..., \
                 file=sys.stderr), in Node console.error",
        look: stdout,
    },
    Check {
        layer: LayerName::Stream,
        name: "json-rpc",
        sent: "the same",
        means: "official clients drop a message that is not JSON-RPC 2.0 to the letter, and wait for another",
        remedy: "each message has \"jsonrpc\": \"2.0\"; a result is an object, an empty one too; an error has a \
                 code that is a whole number, and a message",
        look: json_rpc,
    },
    Check {
        layer: LayerName::Stream,
        name: "one-line",
        sent: "the same",
        means: "a message is broken over several lines: each line is taken for a message of its own",
        remedy: "serialise without indentation, and escape line feeds inside strings",
        look: one_line,
    },
    Check {
        layer: LayerName::Stream,
        name: "utf-8",
        sent: "a ping whose id is beyond ASCII",
        means: "the answer is not in UTF-8: text outside ASCII reaches the model garbled, or not at all",
        remedy: "force UTF-8 on stdin and stdout: PYTHONUTF8=1, sys.stdout.reconfigure, \
                 Console.OutputEncoding",
        look: utf8,
    },
    Check {
        layer: LayerName::Stream,
        name: "byte-order-mark",
        sent: "initialize",
        means: "U+FEFF before a message: most JSON parsers refuse it",
        remedy: "open stdout as UTF-8 without a byte-order mark",
        look: byte_order_mark,
    },
    Check {
        layer: LayerName::Stream,
        name: "line-ends",
        sent: "the same",
        means: "lines end in CR LF: clients must strip the CR, and simple ones do not",
        remedy: "write LF: on Windows put stdout into binary mode, or set newline=\"\\n\"",
        look: line_ends,
    },
    Check {
        layer: LayerName::Stream,
        name: "writes",
        sent: "the same",
        means: "a short message comes in several writes: clients that parse each chunk lose it, others \
                wait",
        remedy: "put message and line feed into one buffer, write it once, and flush",
        look: writes,
    },
    Check {
        layer: LayerName::Stream,
        name: "flush",
        sent: "initialize, with stdin left open",
        means: "nobody sees that an answer is there before the server ends: every host hangs",
        remedy: "end each message with a line feed, and flush stdout after it; in Python print(..., flush=True) or python -u",
        look: flush,
    },
    Check {
        layer: LayerName::Stream,
        name: "whole",
        sent: "a ping whose id has 100,000 characters, so that the answer is longer than a pipe",
        means: "a long answer does not arrive whole: it is cut at the size of a buffer, or never ends",
        remedy: "write in a loop until every byte is taken; do not exit before stdout is drained",
        look: whole,
    },
    Check {
        layer: LayerName::Stream,
        name: "size",
        sent: "the same",
        means: "a single line is larger than hosts take",
        remedy: "bound each result, and give the rest on request",
        look: size,
    },
    Check {
        layer: LayerName::Stream,
        name: "stderr",
        sent: "400 requests and notifications that nobody knows, with nobody reading stderr",
        means: "the server stops when its stderr is full: under hosts that do not read it, it hangs after \
                a while",
        remedy: "never wait for stderr: write less, or from a thread that drops what cannot be written",
        look: stderr,
    },
];

/// The first of what was odd that this kind of thing is.
fn first_of<T>(subject: &mut Subject, kind: impl Fn(&Oddity) -> Option<T>) -> Option<T> {
    subject.gather();
    subject.told = subject.odd.len();
    subject.odd.iter().find_map(kind)
}

fn count_of(subject: &Subject, kind: impl Fn(&Oddity) -> bool) -> usize {
    subject.odd.iter().filter(|it| kind(it)).count()
}

fn stdout(subject: &mut Subject) -> Found {
    // How it is answered is what other checks look at.
    subject.with(|client, _| {
        client.request("filewright/no_such_method", json!({}))?;
        Ok(Found::pass(""))
    });
    let is_noise = |it: &Oddity| matches!(it, Oddity::Noise(_));
    match first_of(subject, |it| match it {
        Oddity::Noise(line) => Some(line.clone()),
        _ => None,
    }) {
        Some(line) => match count_of(subject, is_noise) {
            1 => Found::fail(format!("one line is no message: {line}")),
            lines => Found::fail(format!("{lines} lines are no messages, the first: {line}")),
        },
        None => Found::pass("messages and nothing else"),
    }
}

fn json_rpc(subject: &mut Subject) -> Found {
    // A ping is what is most often answered in a way of one's own. Whether it is, another check tells.
    let _ = subject.ping();
    match first_of(subject, |it| match it {
        Oddity::Malformed(what) => Some(what.clone()),
        _ => None,
    }) {
        Some(what) => Found::fail(what),
        None => Found::pass("every message is"),
    }
}

fn one_line(subject: &mut Subject) -> Found {
    match first_of(subject, |it| match it {
        Oddity::Broken { lines } => Some(*lines),
        _ => None,
    }) {
        Some(lines) => Found::fail(format!("one message on {lines} lines")),
        None => Found::pass("one message a line"),
    }
}

fn utf8(subject: &mut Subject) -> Found {
    let method = subject.probe();
    let found = subject.with(|client, seen| {
        let pending = client.ask_as(BEYOND_ASCII, method, Value::Null);
        let answer = client.answer(pending);
        seen.extend(client.oddities());
        let is_garbled = |it: &Oddity| matches!(it, Oddity::NotUtf8(_) | Oddity::Stray { .. });
        match answer {
            Ok(_) => Ok(Found::pass("the id came back as it was sent")),
            Err(Failure::TimedOut(_)) if seen.iter().any(is_garbled) => {
                Ok(Found::fail("another id came back"))
            }
            Err(failure) => Err(failure),
        }
    });
    match first_of(subject, |it| match it {
        Oddity::NotUtf8(line) => Some(line.clone()),
        _ => None,
    }) {
        Some(line) => Found::fail(format!("not UTF-8: {line}")),
        None => found,
    }
}

fn byte_order_mark(subject: &mut Subject) -> Found {
    match first_of(subject, |it| (*it == Oddity::ByteOrderMark).then_some(())) {
        Some(()) => Found::fail("a byte-order mark before a message"),
        None => Found::pass("none"),
    }
}

fn line_ends(subject: &mut Subject) -> Found {
    match first_of(subject, |it| (*it == Oddity::CarriageReturn).then_some(())) {
        Some(()) => Found::note("CR LF"),
        None => Found::pass("LF"),
    }
}

fn writes(subject: &mut Subject) -> Found {
    match first_of(subject, |it| (*it == Oddity::Split).then_some(())) {
        Some(()) => Found::note("a message of less than 4096 bytes came in pieces"),
        None => Found::pass("a message in one piece"),
    }
}

fn flush(subject: &mut Subject) -> Found {
    match subject.first.as_ref().map(|it| &it.outcome) {
        Some(Ok(_)) => Found::pass("answers come while stdin is open"),
        _ if subject
            .odd
            .iter()
            .any(|it| matches!(it, Oddity::Late { .. })) =>
        {
            // What ends with the stream and not with a line feed was written in time.
            match subject
                .odd
                .iter()
                .any(|it| matches!(it, Oddity::Cut { .. }))
            {
                true => Found::fail("the answer has no line feed at its end"),
                false => Found::fail("answers come only once stdin is closed"),
            }
        }
        _ => Found::skip("it did not answer"),
    }
}

fn whole(subject: &mut Subject) -> Found {
    let method = subject.probe();
    subject.with(|client, seen| {
        let id = format!("\"{}\"", "x".repeat(LARGE));
        let pending = client.ask_as(&id, method, Value::Null);
        match client.answer(pending) {
            Ok(_) => Ok(Found::pass(format!("an answer of more than {LARGE} bytes"))),
            Err(failure) => {
                client.close();
                client.listen(Duration::from_secs(1));
                seen.extend(client.oddities());
                let cut = seen.iter().find_map(|it| match it {
                    Oddity::Cut { bytes } => Some(format!("cut after {bytes} bytes")),
                    Oddity::Noise(line) if line.contains("xxx") => {
                        Some(format!("only a part of it: {line}"))
                    }
                    _ => None,
                });
                match cut {
                    // The session is spoilt, which the failure below would tell too.
                    Some(cut) => Ok(Found::fail(cut)),
                    None => Err(failure),
                }
            }
        }
    })
}

fn size(subject: &mut Subject) -> Found {
    match first_of(subject, |it| match it {
        Oddity::TooLong { bytes } => Some(*bytes),
        _ => None,
    }) {
        Some(bytes) => Found::fail(format!("a line of {bytes} bytes")),
        None => Found::pass("no line over 16 MiB"),
    }
}

fn stderr(subject: &mut Subject) -> Found {
    match subject.side().and_then(Side::unread) {
        Ok(Ok(())) => Found::pass("it goes on with its stderr unread"),
        Ok(Err(failure)) => Found::fail(failure.to_string()),
        Err(error) => Found::skip(error),
    }
}
