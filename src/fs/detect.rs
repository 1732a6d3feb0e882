//! Finds out what a file's bytes are: text in which encoding, or no text at all.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{GB18030, GBK};
use infer::MatcherType;

use super::Charset;

/// How much of a file is looked at.
pub(super) const HEAD_SIZE: usize = 64 * 1024;

/// More than this is not worth the detector's time; its answers do not change.
const GUESS_SIZE: usize = 16 * 1024;

/// Byte-order marks, the longer ones first: one is the beginning of another.
const MARKED: [Charset; 5] = [
    Charset::Utf32 { big_endian: false },
    Charset::Utf32 { big_endian: true },
    Charset::UTF8,
    Charset::Whatwg(encoding_rs::UTF_16LE),
    Charset::Whatwg(encoding_rs::UTF_16BE),
];

/// Why we think that a file is in an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    ByteOrderMark,
    /// Every byte fits UTF-8, which other text hardly ever does.
    Valid,
    Guess,
    Caller,
}

#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    Text(Charset, Evidence),
    /// No text; what it is, if that is known.
    Binary(Option<&'static str>),
}

/// Looks at the head of a file. `whole` says that nothing follows it.
pub(super) fn detect(head: &[u8], whole: bool, fallback: Option<Charset>) -> Verdict {
    let marked = MARKED
        .into_iter()
        .find(|it| head.starts_with(it.byte_order_mark()));
    if let Some(charset) = marked {
        return Verdict::Text(charset, Evidence::ByteOrderMark);
    }
    // A PDF may be plain ASCII all through and is no text for that.
    if head.starts_with(b"%PDF-") {
        return Verdict::Binary(Some("application/pdf"));
    }
    let is_utf8 = match std::str::from_utf8(head) {
        Ok(_) => true,
        // A character cut by the end of the head is none of the file's faults.
        Err(error) => error.error_len().is_none() && !whole,
    };
    let controls = head.iter().filter(|it| is_suspicious(**it)).count();
    if !is_utf8 || controls > 0 {
        if let Some(kind) = magic(head) {
            return Verdict::Binary(Some(kind));
        }
        let many_controls = controls * 1000 >= head.len() * 3 && controls > 1;
        if many_controls || memchr::memmem::find(head, b"\0\0").is_some() {
            return Verdict::Binary(None);
        }
    }
    let has_escapes = head.contains(&0x1B);
    if is_utf8 && !has_escapes {
        return Verdict::Text(Charset::UTF8, Evidence::Valid);
    }
    let guess = guess(&head[..head.len().min(GUESS_SIZE)], whole);
    if is_utf8 && !guess.is_stateful() {
        return Verdict::Text(Charset::UTF8, Evidence::Valid);
    }
    Verdict::Text(tie_broken(guess, head, fallback), Evidence::Guess)
}

/// Control bytes that text does not have; ESC, FF, VT and BS occur in logs and listings.
fn is_suspicious(byte: u8) -> bool {
    byte < 0x20 && !matches!(byte, 8..=13 | 0x1B) || byte == 0x7F
}

/// Whether decoded text shows that its file is none: two NULs in a row.
pub(super) fn is_binary(text: &str) -> bool {
    // Most text has no NUL at all, which is found out faster.
    memchr::memchr(0, text.as_bytes()).is_some() && text.contains("\0\0")
}

/// What kind of file begins like this, unless it is a kind of text.
fn magic(head: &[u8]) -> Option<&'static str> {
    let kind = infer::get(head)?;
    (kind.matcher_type() != MatcherType::Text).then(|| kind.mime_type())
}

fn guess(head: &[u8], whole: bool) -> Charset {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(head, whole);
    let encoding = detector.guess(None, Utf8Detection::Allow);
    // GB18030 holds all of GBK, and the detector does not tell them apart.
    Charset::Whatwg(if encoding == GBK { GB18030 } else { encoding })
}

/// With very little to go by, the user's own encoding wins over a guess of its own kind.
fn tie_broken(guess: Charset, head: &[u8], fallback: Option<Charset>) -> Charset {
    const LITTLE: usize = 8;
    let high_bytes = head
        .iter()
        .filter(|it| !it.is_ascii())
        .take(LITTLE + 1)
        .count();
    match fallback {
        Some(fallback)
            if high_bytes <= LITTLE && is_multi_byte(guess) == is_multi_byte(fallback) =>
        {
            fallback
        }
        _ => guess,
    }
}

fn is_multi_byte(charset: Charset) -> bool {
    match charset {
        Charset::Whatwg(encoding) => !encoding.is_single_byte(),
        Charset::Utf32 { .. } => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(head: &[u8], expected: &str) {
        let verdict = match detect(head, true, None) {
            Verdict::Text(charset, evidence) => format!("{} {evidence:?}", charset.name()),
            Verdict::Binary(kind) => format!("binary {}", kind.unwrap_or("data")),
        };
        assert_eq!(verdict, expected);
    }

    #[test]
    fn text_is_told_by_its_mark_its_bytes_or_a_guess() {
        check(b"", "utf-8 Valid");
        check("h\u{e9}\n".as_bytes(), "utf-8 Valid");
        check(b"\xEF\xBB\xBFa", "utf-8 ByteOrderMark");
        check(b"\xFF\xFEa\0", "utf-16le ByteOrderMark");
        check(b"\xFF\xFE\0\0a\0\0\0", "utf-32le ByteOrderMark");
        check(
            b"\xC4\xE3\xBA\xC3\xA3\xAC\xCA\xC0\xBD\xE7\n",
            "gb18030 Guess",
        );
        check(b"one\0nul and text around it\n", "utf-8 Valid");
    }

    #[test]
    fn binary_files_are_named_where_they_are_known() {
        check(b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR", "binary image/png");
        check(b"%PDF-1.4\n1 0 obj\n", "binary application/pdf");
        check(b"abc\0\0\0", "binary data");
        check(&[1, 2, 3, 4, 200, 201], "binary data");
    }

    #[test]
    fn plain_text_that_begins_like_a_magic_number_is_text() {
        for text in [
            "BM in 2024\n",
            "MZ\n",
            "ID3 tags\n",
            "#!/bin/sh\n",
            "<?xml version=\"1.0\"?>",
        ] {
            check(text.as_bytes(), "utf-8 Valid");
        }
    }

    #[test]
    fn the_fallback_only_breaks_ties() {
        let few = b"// \xC4\xE3\xBA\xC3\xCA\xC0\xBD\xE7\n";
        let big5 = Charset::Whatwg(encoding_rs::BIG5);
        let verdict = |fallback| detect(few, true, Some(fallback));
        assert_eq!(verdict(big5), Verdict::Text(big5, Evidence::Guess));
        assert_eq!(
            detect(b"ascii", true, Some(big5)),
            Verdict::Text(Charset::UTF8, Evidence::Valid)
        );
    }
}
