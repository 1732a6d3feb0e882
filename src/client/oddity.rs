//! What a server does on its stdout that clients stumble over.

use super::raw_line::RawLine;
use crate::words::{clipped, on_one_line};

/// Characters of a line that are repeated.
const SHOWN: usize = 120;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Oddity {
    /// No message at all: a log line, a banner, an escape sequence.
    Noise(String),
    /// A message broken over so many lines.
    Broken {
        lines: usize,
    },
    NotUtf8(String),
    CarriageReturn,
    ByteOrderMark,
    /// A short message that came in more than one write.
    Split,
    /// The last line had no line end: the message was cut, in bytes.
    Cut {
        bytes: u64,
    },
    /// A line that hosts refuse, in bytes.
    TooLong {
        bytes: u64,
    },
    /// A message that official clients drop; why, and the line.
    Malformed(String),
    /// An answer to nothing that was asked; the id as it was written.
    Stray {
        id: String,
    },
    /// A second answer to the same request.
    Duplicate {
        id: String,
    },
    /// An answer to a request that nobody waited for any more.
    Late {
        id: String,
    },
}

impl std::fmt::Display for Oddity {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Oddity::Noise(line) => write!(formatter, "a line that is no message: {line}"),
            Oddity::Broken { lines } => write!(formatter, "a message on {lines} lines"),
            Oddity::NotUtf8(line) => write!(formatter, "a line that is not UTF-8: {line}"),
            Oddity::CarriageReturn => write!(formatter, "lines that end in CR LF"),
            Oddity::ByteOrderMark => write!(formatter, "a byte-order mark before a message"),
            Oddity::Split => write!(formatter, "a short message in several writes"),
            Oddity::Cut { bytes } => write!(formatter, "a message cut after {bytes} bytes"),
            Oddity::TooLong { bytes } => write!(formatter, "a line of {bytes} bytes"),
            Oddity::Malformed(what) => write!(formatter, "a malformed message: {what}"),
            Oddity::Stray { id } => write!(formatter, "an answer to nothing, with the id {id}"),
            Oddity::Duplicate { id } => write!(formatter, "a second answer to the request {id}"),
            Oddity::Late { id } => write!(formatter, "a late answer to the request {id}"),
        }
    }
}

/// What is odd about a line as such, and the message on it.
pub(super) fn undressed(line: &RawLine) -> (Vec<Oddity>, &[u8]) {
    let mut odd = Vec::new();
    let mut message = &line.bytes[..];
    if let Some(rest) = message.strip_prefix(b"\xEF\xBB\xBF") {
        odd.push(Oddity::ByteOrderMark);
        message = rest;
    }
    if let Some(rest) = message.strip_suffix(b"\r") {
        odd.push(Oddity::CarriageReturn);
        message = rest;
    }
    if line.is_split {
        odd.push(Oddity::Split);
    }
    let is_whole = line.length == line.bytes.len() as u64;
    if is_whole && std::str::from_utf8(message).is_err() {
        odd.push(Oddity::NotUtf8(shown(message)));
    }
    if !line.is_ended {
        let bytes = line.length;
        odd.push(Oddity::Cut { bytes });
    }
    (odd, message)
}

/// A line as it may be repeated on a terminal.
pub(super) fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    on_one_line(&clipped(&text, SHOWN))
}
