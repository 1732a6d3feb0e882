//! The text of a host's file, whatever its language, with its byte-order mark set aside.

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::entry::{Entry, is_ours};
use super::hosts::{Format, Host};
use super::json::Json;
use super::toml::Toml;

const MARK: &str = "\u{feff}";

/// Which entry in whose file, and the program it may start.
#[derive(Debug)]
pub(super) struct Slot<'a> {
    pub(super) host: &'a Host,
    pub(super) name: &'a str,
    /// The path of this program.
    pub(super) program: &'a str,
}

/// The text in the bytes of a file.
pub(super) fn text_of(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).context("it is not UTF-8 text")
}

impl Slot<'_> {
    /// What the host would start, read from its file.
    pub(super) fn read(&self, text: &str) -> Result<Option<Entry>> {
        Ok(self.value(text)?.as_ref().and_then(Entry::from_value))
    }

    /// The text with the entry in it; the very text if it is there already.
    pub(super) fn written(&self, text: &str, entry: &Entry) -> Result<String> {
        self.refuse_foreign(text)?;
        let (mark, body) = split_mark(text);
        let changed = match self.host.format {
            Format::Json { servers, loose } => {
                let fields = entry.fields(self.host);
                let body = if body.trim().is_empty() { "{}\n" } else { body };
                Json { servers, loose }.with(body, self.name, &fields)?
            }
            Format::Toml { servers } => Toml { servers }.with(body, self.name, entry)?,
        };
        let changed = format!("{mark}{changed}");
        match self.read(&changed)? {
            Some(found) if found == *entry => Ok(changed),
            _ => bail!("the entry could not be put into it; it is not changed"),
        }
    }

    /// The text without the entry; the very text if there is none.
    pub(super) fn removed(&self, text: &str) -> Result<String> {
        self.refuse_foreign(text)?;
        let (mark, body) = split_mark(text);
        if body.trim().is_empty() || self.value(text)?.is_none() {
            return Ok(text.to_owned());
        }
        let changed = match self.host.format {
            Format::Json { servers, loose } => Json { servers, loose }.without(body, self.name)?,
            Format::Toml { servers } => Toml { servers }.without(body, self.name)?,
        };
        Ok(format!("{mark}{changed}"))
    }

    fn value(&self, text: &str) -> Result<Option<Value>> {
        let (_, body) = split_mark(text);
        match self.host.format {
            Format::Json { servers, loose } => Json { servers, loose }.entry(body, self.name),
            Format::Toml { servers } => Toml { servers }.entry(body, self.name),
        }
    }

    /// An entry of that name which starts something else is somebody's own.
    fn refuse_foreign(&self, text: &str) -> Result<()> {
        let Some(value) = self.value(text)? else {
            return Ok(());
        };
        let name = self.name;
        match value.get("command").and_then(Value::as_str) {
            Some(command) if is_ours(command, self.program) => Ok(()),
            Some(command) => bail!(
                "its entry {name} starts {command}, not filewright; choose another name with --name"
            ),
            None => bail!(
                "its entry {name} does not start a program by its path; choose another name with --name"
            ),
        }
    }
}

/// Editors on Windows begin a file with a byte-order mark.
fn split_mark(text: &str) -> (&str, &str) {
    match text.strip_prefix(MARK) {
        Some(body) => (MARK, body),
        None => ("", text),
    }
}
