//! Finds out what a file's bytes are: text in which encoding, or no text at all.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, GB18030, GBK, SHIFT_JIS, WINDOWS_1252};
use infer::MatcherType;

use super::{Charset, detect_cyrillic as cyrillic, detect_latin as latin, detect_wide as wide};

/// How much of a file is looked at.
pub(super) const HEAD_SIZE: usize = 64 * 1024;

/// More than this is not worth the detector's time; its answers do not change.
const GUESS_SIZE: usize = 16 * 1024;

const CERTIFICATE: &str = "application/x-x509-ca-cert";

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
    /// A guess with so little to go by that it may well be wrong.
    WeakGuess,
    Caller,
}

impl Evidence {
    pub(crate) fn is_guess(self) -> bool {
        matches!(self, Evidence::Guess | Evidence::WeakGuess)
    }
}

#[derive(Debug, PartialEq)]
pub(super) enum Verdict {
    Text(Charset, Evidence),
    /// No text; what it is, if that is known.
    Binary(Option<&'static str>),
}

/// Looks at the head of a file, or at a stretch of it that begins at a character. `whole` says that
/// nothing follows.
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
    let is_plain = is_utf8 && controls == 0;
    if !is_plain && let Some(verdict) = not_plain(head, controls) {
        return verdict;
    }
    let has_escapes = head.contains(&0x1B);
    if is_utf8 && !has_escapes {
        return Verdict::Text(Charset::UTF8, Evidence::Valid);
    }
    let sequences = wide::Sequences::of(head);
    if !is_utf8 && sequences.are_mostly_whole() {
        return Verdict::Text(Charset::UTF8, weighed(head));
    }
    let guess = guess(head, whole);
    if is_utf8 && !guess.is_stateful() {
        return Verdict::Text(Charset::UTF8, Evidence::Valid);
    }
    if guess.is_stateful() {
        return Verdict::Text(guess, Evidence::Guess);
    }
    if !is_multi_byte(guess) && sequences.are_no_accident() {
        return Verdict::Text(Charset::UTF8, weighed(head));
    }
    Verdict::Text(tie_broken(guess, head, fallback), weighed(head))
}

/// What a guess is worth: with fewer than ten bytes that are not ASCII no detector is right often enough.
fn weighed(head: &[u8]) -> Evidence {
    const ENOUGH: usize = 10;
    if high_bytes(head, ENOUGH) < ENOUGH {
        Evidence::WeakGuess
    } else {
        Evidence::Guess
    }
}

/// How many bytes are not ASCII; counting ends at `most`.
fn high_bytes(head: &[u8], most: usize) -> usize {
    head.iter().filter(|it| !it.is_ascii()).take(most).count()
}

/// Bytes that are not plain text in one-byte units: text in wider ones, a known kind of file, or data.
fn not_plain(head: &[u8], controls: usize) -> Option<Verdict> {
    // Letters alone are no magic number where nothing but letters follows: "BM" may begin a text.
    let may_be_magic = controls > 0 || !head.first().is_some_and(u8::is_ascii);
    let kind = magic(head).filter(|_| may_be_magic);
    // A certificate begins with two bytes only, which are a common kana in UTF-16.
    if let Some(kind) = kind.filter(|it| *it != CERTIFICATE) {
        return Some(Verdict::Binary(Some(kind)));
    }
    if let Some(charset) = wide::units(head) {
        let few = head.len() < 8 * charset.unit();
        let evidence = if few {
            Evidence::WeakGuess
        } else {
            Evidence::Guess
        };
        return Some(Verdict::Text(charset, evidence));
    }
    if kind.is_some() {
        return Some(Verdict::Binary(kind));
    }
    // A single control byte in a short text is a slip; a share of them is not, nor erased flash.
    let many_controls = controls * 1000 >= head.len() * 3 && controls > 1;
    let holds = |bytes: &[u8]| memchr::memmem::find(head, bytes).is_some();
    let is_data = many_controls || holds(b"\0\0") || holds(b"\xFF\xFF\xFF\xFF\xFF\xFF");
    is_data.then_some(Verdict::Binary(None))
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

/// Asks the detector, from the first byte on that is worth its time.
fn guess(head: &[u8], whole: bool) -> Charset {
    let start = head
        .iter()
        .position(|it| !it.is_ascii() || *it == 0x1B)
        .unwrap_or(0);
    let sample = &head[start..];
    let is_end = whole && sample.len() <= GUESS_SIZE;
    let sample = &sample[..sample.len().min(GUESS_SIZE)];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(sample, is_end);
    let encoding = detector.guess(None, Utf8Detection::Allow);
    // The letters around the first byte that is not ASCII belong to its word.
    let words = &head[start.saturating_sub(1)..start + sample.len()];
    Charset::Whatwg(match encoding {
        // GB18030 holds all of GBK, and the detector does not tell them apart.
        it if it == GBK => GB18030,
        it if it.is_single_byte() && wide::is_kana(sample) => SHIFT_JIS,
        it if it.is_single_byte() => mended(it, words),
        // One pair of bytes in a word of ASCII is more likely a letter with an accent.
        _ if high_bytes(sample, 2) == 1 && latin::is_western(words) => WINDOWS_1252,
        it => it,
    })
}

/// A guess of an encoding with one byte a character, checked against the words that it makes.
fn mended(guess: &'static Encoding, words: &[u8]) -> &'static Encoding {
    // The first few kilobytes are enough to go by, and in more there are words of other languages.
    const ENOUGH: usize = 4096;
    let words = &words[..words.len().min(ENOUGH)];
    let better = latin::mended(guess, words);
    if better != guess {
        return better;
    }
    cyrillic::mended(guess, latin::is_latin(guess), words)
}

/// With very little to go by, the user's own encoding wins over a guess of its own kind: among those
/// of several bytes a character. Between single-byte ones it would be wrong far too often.
fn tie_broken(guess: Charset, head: &[u8], fallback: Option<Charset>) -> Charset {
    const LITTLE: usize = 8;
    let has_little = high_bytes(head, LITTLE + 1) <= LITTLE;
    match fallback {
        Some(fallback) if has_little && is_multi_byte(guess) && is_multi_byte(fallback) => fallback,
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

    fn encoded(label: &str, text: &str) -> Vec<u8> {
        match Charset::from_label(label).unwrap() {
            Charset::Whatwg(it) if it == encoding_rs::UTF_16LE => {
                text.encode_utf16().flat_map(u16::to_le_bytes).collect()
            }
            Charset::Whatwg(it) if it == encoding_rs::UTF_16BE => {
                text.encode_utf16().flat_map(u16::to_be_bytes).collect()
            }
            Charset::Utf32 { big_endian: true } => text
                .chars()
                .flat_map(|it| u32::from(it).to_be_bytes())
                .collect(),
            Charset::Utf32 { .. } => text
                .chars()
                .flat_map(|it| u32::from(it).to_le_bytes())
                .collect(),
            Charset::Whatwg(encoding) => encoding.encode(text).0.into_owned(),
        }
    }

    const CHINESE: &str = "\u{6211}\u{4eec}\u{5728}\u{8fd9}\u{91cc}\u{8bfb}\u{4e66}\u{ff0c}\u{5199}\u{5b57}\u{ff0c}\u{4e5f}\u{6253}\u{7b97}\u{660e}\u{5929}\u{518d}\u{6765}\u{3002}\n";
    const JAPANESE: &str = "\u{79c1}\u{306f}\u{6bce}\u{65e5}\u{672c}\u{3092}\u{8aad}\u{3093}\u{3067}\u{3044}\u{307e}\u{3059}\u{3002}\u{4eca}\u{65e5}\u{306f}\u{96e8}\u{3067}\u{3059}\u{3002}\n";
    const RUSSIAN: &str = "\u{41c}\u{44b} \u{447}\u{438}\u{442}\u{430}\u{435}\u{43c} \u{43a}\u{43d}\u{438}\u{433}\u{443} \u{432} \u{441}\u{430}\u{434}\u{443}, \u{430} \u{437}\u{430}\u{432}\u{442}\u{440}\u{430} \u{431}\u{443}\u{434}\u{435}\u{442} \u{434}\u{43e}\u{436}\u{434}\u{44c}.\n";
    const KOREAN: &str = "\u{c6b0}\u{b9ac}\u{b294} \u{b9e4}\u{c77c} \u{cc45}\u{c744} \u{c77d}\u{ace0} \u{ae00}\u{c744} \u{c501}\u{b2c8}\u{b2e4}. \u{b0b4}\u{c77c}\u{b3c4} \u{c624}\u{c138}\u{c694}.\n";
    const FRENCH: &str = "Le ch\u{e2}teau \u{e9}tait d\u{e9}j\u{e0} ferm\u{e9} \u{e0} cause de la gr\u{ea}le; l'\u{e9}t\u{e9} prochain, peut-\u{ea}tre.\n";

    #[test]
    fn a_sentence_shows_its_encoding() {
        for (label, text) in [
            ("gb18030", CHINESE),
            ("shift_jis", JAPANESE),
            ("euc-jp", JAPANESE),
            ("iso-2022-jp", JAPANESE),
            ("euc-kr", KOREAN),
            ("koi8-r", RUSSIAN),
            ("windows-1251", RUSSIAN),
            ("windows-1252", FRENCH),
            ("utf-16le", CHINESE),
            ("utf-16be", CHINESE),
            ("utf-16le", JAPANESE),
            ("utf-16be", RUSSIAN),
            ("utf-16le", FRENCH),
            ("utf-16be", "plain words\r\nand more of them\r\n"),
            ("utf-32le", FRENCH),
            ("utf-32be", CHINESE),
        ] {
            check(&encoded(label, text), &format!("{label} Guess"));
        }
    }

    #[test]
    fn broken_utf8_is_still_utf8() {
        for text in [CHINESE, RUSSIAN, FRENCH] {
            let mut raw = text.repeat(2).into_bytes();
            let middle = raw.len() / 2;
            raw[middle] = 0xFF;
            check(&raw, "utf-8 Guess");
        }
    }

    #[test]
    fn a_single_whole_character_is_enough_where_the_rest_would_be_latin() {
        check(b"P\xFF\xC3\xA1draig Brady and others\n", "utf-8 WeakGuess");
    }

    #[test]
    fn kana_are_told_from_cyrillic() {
        check(
            b"uuidgen\n\x82\xCD Andreas \x82\xC9\x82\xE6\x82\xC1\x82\xC4\n",
            "shift_jis Guess",
        );
    }

    #[test]
    fn a_letter_in_a_german_word_is_no_chinese_one() {
        check(
            b"(das hei\xDFt, asynchron).\nDATEIEN\n",
            "windows-1252 WeakGuess",
        );
    }

    #[test]
    fn a_kana_in_front_is_no_certificate() {
        let text =
            "\u{3082}\u{3057}\u{3001}\u{3053}\u{308c}\u{304c}\u{305d}\u{3046}\u{306a}\u{3089}\n";
        check(&encoded("utf-16be", text), "utf-16be Guess");
        check(
            b"\x30\x82\x03\x01\x02\x03\x04\0\0\0\0\0",
            &format!("binary {CERTIFICATE}"),
        );
    }

    #[test]
    fn names_with_a_nul_after_each_are_no_chinese() {
        check(
            &b"get_text\0set_name\0open\0closed\0".repeat(20),
            "binary data",
        );
    }

    #[test]
    fn small_numbers_are_no_text() {
        let numbers: Vec<u8> = (1..200_u32).flat_map(|it| (it % 7).to_le_bytes()).collect();
        check(&numbers, "binary data");
        let shorts: Vec<u8> = (1..200_u16).flat_map(|it| (it % 9).to_le_bytes()).collect();
        check(&shorts, "binary data");
        check(&[b"head".as_slice(), &[0xFF; 64]].concat(), "binary data");
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
        assert_eq!(verdict(big5), Verdict::Text(big5, Evidence::WeakGuess));
        assert_eq!(
            detect(b"ascii", true, Some(big5)),
            Verdict::Text(Charset::UTF8, Evidence::Valid)
        );
    }
}
