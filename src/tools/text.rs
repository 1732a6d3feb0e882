//! What the tools that read text share: opening it, and the notices about it.

use crate::fs::{Evidence, Requested, TextFile};

use super::Context;
use super::error::ToolError;
use crate::words::{grouped, plural};

/// Opens a file as text, in the encoding that the caller named or that its bytes show.
pub(super) fn open(
    context: &Context<'_>,
    path: &str,
    requested: Requested,
) -> Result<TextFile, ToolError> {
    let opened = context.roots.open_file(path, context.watch);
    opened
        .and_then(|it| TextFile::open(it, requested, context.settings.fallback))
        .map_err(ToolError::file(path))
}

/// Whether the `encoding` argument asks for the bytes instead of text.
pub(super) fn is_hex(label: Option<&str>) -> bool {
    label.is_some_and(|it| it.trim().eq_ignore_ascii_case("hex"))
}

/// Understands the `encoding` argument where it is about text.
pub(super) fn requested(label: Option<&str>) -> Result<Requested, ToolError> {
    if is_hex(label) {
        let wanted = "a text encoding here; read_file takes hex";
        return Err(ToolError::wrong("encoding", "\"hex\"", wanted));
    }
    Requested::from_label(label).ok_or_else(|| {
        let value = format!("\"{}\"", label.unwrap_or_default().escape_default());
        let wanted =
            "a name such as utf-8, gb18030, shift_jis, big5, euc-kr, utf-16le, windows-1252";
        ToolError::wrong("encoding", value, wanted)
    })
}

/// The end of a continuation: the encoding that the caller named, named again.
pub(super) fn encoding_argument(encoding: Option<&String>) -> String {
    encoding
        .map(|it| format!(" encoding={}", it.trim()))
        .unwrap_or_default()
}

/// Says in which encoding a file was read, where that is not plain UTF-8.
pub(super) fn encoding_notice(file: &TextFile) -> Option<String> {
    let guessed = match file.evidence {
        Evidence::Guess => " (guessed)",
        Evidence::WeakGuess => " (guessed from few bytes; if it looks wrong, pass encoding)",
        _ => "",
    };
    (!file.charset.is_utf8()).then(|| format!("decoded from {}{guessed}", file.charset.name()))
}

/// How large a file is; some of the system's own say 0 and have text all the same.
pub(super) fn size_words(size: u64) -> String {
    match size {
        0 => "size unknown".to_owned(),
        size => format!("{} bytes in all", grouped(size)),
    }
}

/// Says how many bytes stood for nothing, and how many characters were made visible.
pub(super) fn damage_notices(invalid: u64, escaped: u64) -> Vec<String> {
    let mut notices = Vec::new();
    if invalid > 0 {
        let sequences = plural(invalid, "invalid byte sequence");
        notices.push(format!(
            "{sequences}, each shown as U+FFFD; if the text looks wrong, pass encoding"
        ));
    }
    if escaped > 0 {
        notices.push(format!(
            "{} shown as \\xNN",
            plural(escaped, "control character")
        ));
    }
    notices
}
