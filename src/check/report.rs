//! What was found, for a person and for a script.

use std::io::Write;

use serde_json::json;

use super::Check;
use crate::cli::LayerName;
use crate::words::on_one_line;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    Pass,
    /// Clients must bear it, and some do not; or it is merely worth knowing.
    Note,
    Fail,
    /// There was nothing to look at.
    Skip,
}

/// What one check came to.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) verdict: Verdict,
    /// What came, on one line.
    pub(super) came: String,
}

impl Found {
    pub(super) fn pass(came: impl Into<String>) -> Found {
        Found::new(Verdict::Pass, came)
    }

    pub(super) fn note(came: impl Into<String>) -> Found {
        Found::new(Verdict::Note, came)
    }

    pub(super) fn fail(came: impl Into<String>) -> Found {
        Found::new(Verdict::Fail, came)
    }

    pub(super) fn skip(came: impl Into<String>) -> Found {
        Found::new(Verdict::Skip, came)
    }

    fn new(verdict: Verdict, came: impl Into<String>) -> Found {
        let came = came.into();
        Found { verdict, came }
    }
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Note => "note",
            Verdict::Fail => "FAIL",
            Verdict::Skip => "skip",
        }
    }
}

/// Writes what is found as it is found.
pub(super) struct Report<W> {
    output: W,
    is_json: bool,
    counts: [usize; 4],
    first_failed: Option<LayerName>,
}

impl<W: Write> Report<W> {
    pub(super) fn new(output: W, is_json: bool) -> Report<W> {
        Report {
            output,
            is_json,
            counts: [0; 4],
            first_failed: None,
        }
    }

    pub(super) fn add(&mut self, check: &Check, found: &Found) {
        self.counts[found.verdict as usize] += 1;
        if found.verdict == Verdict::Fail {
            let first = self.first_failed.get_or_insert(check.layer);
            *first = check.layer.min(*first);
        }
        let layer = layer_name(check.layer);
        let text = if self.is_json {
            let line = json!({
                "layer": layer,
                "check": check.name,
                "verdict": found.verdict.word().to_lowercase(),
                "sent": check.sent,
                "came": found.came,
                "means": check.means,
                "do": check.remedy,
            });
            format!("{line}\n")
        } else {
            let name = format!("{layer}/{}", check.name);
            let came = on_one_line(&found.came);
            let mut text = format!("{}  {name:<26} {came}\n", found.verdict.word());
            if matches!(found.verdict, Verdict::Fail | Verdict::Note) {
                text += &format!("      sent:  {}\n", check.sent);
                text += &format!("      means: {}\n", check.means);
                text += &format!("      do:    {}\n", check.remedy);
            }
            text
        };
        self.write(&text);
    }

    /// The last line. True if nothing failed.
    pub(super) fn finish(mut self, command: &str) -> bool {
        let [passed, noted, failed, skipped] = self.counts;
        if !self.is_json {
            let counts =
                format!("{passed} passed, {noted} noted, {failed} failed, {skipped} skipped");
            let verdict = match self.first_failed {
                Some(layer) => format!("the first layer that fails is {}", layer_name(layer)),
                None => "no layer fails".to_owned(),
            };
            self.write(&format!("{command}: {verdict} ({counts})\n"));
        }
        failed == 0
    }

    fn write(&mut self, text: &str) {
        // A reader that has seen enough is content.
        let _ = self.output.write_all(text.as_bytes());
        let _ = self.output.flush();
    }
}

pub(super) fn layer_name(layer: LayerName) -> &'static str {
    match layer {
        LayerName::Start => "start",
        LayerName::Stream => "stream",
        LayerName::Handshake => "handshake",
        LayerName::Protocol => "protocol",
        LayerName::Tools => "tools",
        LayerName::End => "end",
    }
}
