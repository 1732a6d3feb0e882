//! Frames made visible: `--mcp-debug` on stderr, `--record` in a file.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::log::{Log, clock};
use crate::protocol;
use crate::record::Recording;
use crate::rpc::message::{self, Message};
use crate::rpc::outbox::Outgoing;

/// Bytes of a frame that are echoed.
const MAX_ECHOED: usize = 4 * 1024;

/// How `--mcp-debug` shows frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Echo {
    Off,
    /// As they went over the wire.
    Plain,
    /// Indented.
    Pretty,
}

/// Sees every frame, before it is understood and before it goes out.
#[derive(Debug)]
pub(crate) struct Tap {
    pub(crate) log: Arc<Log>,
    pub(crate) echo: Echo,
    pub(crate) recording: Option<Recording>,
}

impl Tap {
    pub(crate) fn received(&self, frame: &[u8]) {
        if let Some(recording) = &self.recording {
            recording.add("received", frame);
        }
        if self.echo != Echo::Off {
            let about = match message::parse(frame) {
                Message::Request { id, method, params } => {
                    format!("id={} {}", id.text(), protocol::label(&method, params))
                }
                Message::Notification { method, .. } => format!("notification {method}"),
                Message::Batch(elements) => format!("batch of {}", elements.len()),
                Message::Ignored(what) => format!("ignored: {what}"),
                Message::Refused(refusal) => format!("refused: {}", refusal.message),
            };
            self.show("<-", &about, frame);
        }
    }

    pub(crate) fn sent(&self, outgoing: &Outgoing) {
        let frame = outgoing.line.trim_ascii_end();
        if let Some(recording) = &self.recording {
            recording.add("sent", frame);
        }
        if self.echo == Echo::Off {
            return;
        }
        let mut about = match &outgoing.answers {
            Some(id) => format!("id={}", id.text()),
            None => "no id".to_owned(),
        };
        if let Some(label) = &outgoing.label {
            about += &format!(" {label}");
        }
        if let Some(received) = outgoing.received {
            let milliseconds = received.elapsed().as_secs_f64() * 1000.0;
            about += &format!(" {milliseconds:.1} ms");
        }
        self.show("->", &about, frame);
    }

    /// Whether anybody hears of the session itself.
    pub(crate) fn hears_notes(&self) -> bool {
        self.echo != Echo::Off || self.log.hears_info()
    }

    /// A line about the session itself.
    pub(crate) fn note(&self, text: &str) {
        self.log.info(text);
        if self.echo != Echo::Off {
            self.log.show(&format!("{} -- {text}\n", clock()));
        }
    }

    fn show(&self, direction: &str, about: &str, frame: &[u8]) {
        let bytes = frame.len();
        let mut text = format!("{} {direction} {about} ({bytes} bytes)\n", clock());
        let pretty = match self.echo {
            Echo::Pretty => serde_json::from_slice::<serde_json::Value>(frame).ok(),
            _ => None,
        };
        let body = match pretty {
            Some(value) => format!("{value:#}"),
            None => String::from_utf8_lossy(frame).into_owned(),
        };
        let cut = body.floor_char_boundary(MAX_ECHOED);
        text.push_str(&body[..cut]);
        if cut < body.len() {
            // Writing into a String cannot fail.
            let _ = write!(text, "… ({bytes} bytes in all)");
        }
        text.push('\n');
        self.log.show(&text);
    }
}
