//! `--record FILE`: every frame, verbatim, with its direction and time, one JSON line each.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde_json::json;

/// The file that frames are recorded in.
#[derive(Debug)]
pub(crate) struct Recording {
    file: Mutex<File>,
}

impl Recording {
    /// Begins a new file; one that is there is replaced.
    pub(crate) fn create(path: &Path) -> io::Result<Recording> {
        let file = Mutex::new(File::create(path)?);
        Ok(Recording { file })
    }

    /// A frame that is not UTF-8 is recorded as `hex` instead of `frame`.
    pub(crate) fn add(&self, direction: &str, frame: &[u8]) {
        let time = jiff::Timestamp::now().to_string();
        let mut line = match std::str::from_utf8(frame) {
            Ok(text) => json!({"time": time, "direction": direction, "frame": text}),
            Err(_) => json!({"time": time, "direction": direction, "hex": hex(frame)}),
        }
        .to_string();
        line.push('\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // A full disk must not end the session that is being recorded.
        let _ = file.write_all(line.as_bytes());
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
