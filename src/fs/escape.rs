//! Visible spellings for what must not reach a client raw: control characters, odd file names.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt::Write as _;

/// Text with its control characters (all but TAB, LF and CR) made visible, and how many there were.
///
/// U+0000–001F and U+007F become `\x1B`, U+0080–009F become `\u{9B}`.
pub(crate) fn escape_controls(text: &str) -> (Cow<'_, str>, u64) {
    let is_shown = |it: char| !it.is_control() || matches!(it, '\t' | '\n' | '\r');
    if !may_have_controls(text.as_bytes()) {
        return (Cow::Borrowed(text), 0);
    }
    let mut escaped = String::with_capacity(text.len() + 64);
    let mut count = 0;
    for character in text.chars() {
        if is_shown(character) {
            escaped.push(character);
        } else {
            count += 1;
            push_escape(&mut escaped, character);
        }
    }
    (Cow::Owned(escaped), count)
}

/// Whether there are bytes that control characters are made of. Most text has none, and without an
/// early exit inside the chunks the compiler looks at many bytes at once.
fn may_have_controls(bytes: &[u8]) -> bool {
    const CHUNK: usize = 256;
    let is_suspicious = |byte: u8| {
        byte < 0x20 && byte != b'\t' && byte != b'\n' && byte != b'\r'
            || byte == 0x7F
            || byte == 0xC2
    };
    bytes.chunks(CHUNK).any(|chunk| {
        chunk
            .iter()
            .fold(false, |found, it| found | is_suspicious(*it))
    })
}

/// A file's name on one line: control characters escaped, bytes that are not UTF-8 as `\xE9`.
pub(crate) fn escape_name(name: &OsStr) -> String {
    let mut escaped = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\n' => escaped.push_str("\\n"),
                '\t' => escaped.push_str("\\t"),
                '\r' => escaped.push_str("\\r"),
                it if it.is_control() => push_escape(&mut escaped, it),
                it => escaped.push(it),
            }
        }
        for byte in chunk.invalid() {
            push_byte(&mut escaped, u32::from(*byte));
        }
    }
    escaped
}

fn push_escape(escaped: &mut String, character: char) {
    let code = u32::from(character);
    if code < 0x80 {
        push_byte(escaped, code);
    } else {
        // Writing into a String cannot fail.
        let _ = write!(escaped, "\\u{{{code:X}}}");
    }
}

fn push_byte(escaped: &mut String, byte: u32) {
    let _ = write!(escaped, "\\x{byte:02X}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_visible_and_are_counted() {
        let (text, count) = escape_controls("a\0b \x1B[31m\u{9B}\u{e9}\t\r\n");
        assert_eq!(text, "a\\x00b \\x1B[31m\\u{9B}\u{e9}\t\r\n");
        assert_eq!(count, 3);
        assert_eq!(escape_controls("clean\n"), (Cow::Borrowed("clean\n"), 0));
    }

    #[cfg(unix)]
    #[test]
    fn a_name_is_one_line_whatever_it_holds() {
        use std::os::unix::ffi::OsStrExt;
        let name = OsStr::from_bytes(b"a\nb\xE9\x07\xC3\xA9");
        assert_eq!(escape_name(name), "a\\nb\\xE9\\x07\u{e9}");
    }
}
