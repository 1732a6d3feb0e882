//! Character starts in raw bytes: where a page may begin, and where one may be cut.

use super::Charset;
use super::decode::{TextDecoder, decode_all};

/// No character of any encoding here is longer; also enough for a pair of surrogates.
const LONGEST: usize = 8;

/// Whether `raw` ends between two characters.
fn ends_whole(charset: Charset, raw: &[u8]) -> bool {
    let mut text = String::new();
    let mut decoder = TextDecoder::new(charset);
    decoder.decode(raw, false, &mut text);
    let before = text.len();
    decoder.decode(&[], true, &mut text);
    text.len() == before
}

/// The last character start at or before `position`, in text that begins at a character start.
pub(super) fn floor(charset: Charset, raw: &[u8], position: usize) -> usize {
    let position = position.min(raw.len());
    let position = position - position % charset.unit();
    let lowest = position.saturating_sub(LONGEST);
    let sure = anchor(charset, &raw[..lowest]).unwrap_or(0);
    let found = (lowest..=position)
        .rev()
        .find(|it| ends_whole(charset, &raw[sure..*it]));
    let start = found.unwrap_or(position);
    // CR and LF stay together.
    let unit = charset.unit();
    let is = |at: usize, wanted| unit_at(charset, raw, at) == Some(wanted);
    if start >= unit && is(start - unit, b'\r') && is(start, b'\n') {
        start - unit
    } else {
        start
    }
}

/// The ASCII character whose unit begins at `position`.
fn unit_at(charset: Charset, raw: &[u8], position: usize) -> Option<u8> {
    let unit = raw.get(position..position + charset.unit())?;
    let significant = if charset.is_big_endian() {
        unit.len() - 1
    } else {
        0
    };
    let only = unit
        .iter()
        .enumerate()
        .all(|(at, byte)| at == significant || *byte == 0);
    (only && unit[significant].is_ascii()).then_some(unit[significant])
}

/// The longest beginning of `raw`, in bytes, that ends between two characters and whose text fits.
/// `fits` must hold for the empty text and, once it fails, fail for all longer ones.
pub(super) fn longest(charset: Charset, raw: &[u8], fits: impl Fn(&str) -> bool) -> usize {
    let mut low = 0;
    let mut high = raw.len();
    // Invariant: the text of `raw[..low]` fits, and nothing is known of more than `high`.
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if fits(&decode_all(charset, &raw[..middle]).0) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    floor(charset, raw, low)
}

/// Where to begin decoding so as to know for sure whether `offset` is a character start, by the
/// bytes before it; `before` ends at `offset`. Nothing when it is not in these bytes.
pub(super) fn anchor(charset: Charset, before: &[u8]) -> Option<usize> {
    let whole_text = |start: usize| Some(start);
    match charset {
        Charset::Utf32 { .. } => whole_text(before.len() - before.len() % 4),
        _ if charset.unit() == 2 => {
            // One unit back is enough: it may be the first of a surrogate pair.
            whole_text((before.len() - before.len() % 2).saturating_sub(2))
        }
        Charset::Whatwg(encoding) if encoding.is_single_byte() => whole_text(before.len()),
        _ if charset.is_utf8() => {
            let back = before
                .iter()
                .rev()
                .take(3)
                .take_while(|it| (**it as i8) < -64)
                .count();
            whole_text(before.len().saturating_sub(back + 1))
        }
        _ if charset.is_stateful() => {
            let line = memchr::memrchr(b'\n', before).map(|it| it + 1);
            line.max(last_escape(before))
        }
        // Bytes below 0x30 are never the second, third or fourth of a character.
        _ => before.iter().rposition(|it| *it < 0x30).map(|it| it + 1),
    }
}

/// Where the last escape sequence of ISO-2022-JP begins.
pub(super) fn last_escape(raw: &[u8]) -> Option<usize> {
    let is_escape = |it: &[u8]| {
        matches!(
            it,
            [0x1B, b'(', b'B' | b'J' | b'I'] | [0x1B, b'$', b'@' | b'B']
        )
    };
    raw.windows(ESCAPE).rposition(is_escape)
}

/// Bytes of an escape sequence of ISO-2022-JP.
pub(super) const ESCAPE: usize = 3;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn encode(label: &str, text: &str) -> (Charset, Vec<u8>) {
        let charset = Charset::from_label(label).unwrap();
        let bytes = match (label, charset) {
            ("utf-16le", _) => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            ("utf-16be", _) => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            (_, Charset::Utf32 { .. }) => text
                .chars()
                .flat_map(|it| u32::from(it).to_le_bytes())
                .collect(),
            (_, Charset::Whatwg(encoding)) => encoding.encode(text).0.into_owned(),
        };
        (charset, bytes)
    }

    #[test]
    fn a_position_inside_a_character_moves_to_its_start() {
        let (charset, raw) = encode("gb18030", "\u{4e2d}\u{6587}a\u{1F600}");
        let starts: Vec<usize> = (0..=raw.len()).map(|it| floor(charset, &raw, it)).collect();
        assert_eq!(starts, [0, 0, 2, 2, 4, 5, 5, 5, 5, 9]);
        let (charset, raw) = encode("utf-16le", "a\u{1F600}b");
        let starts: Vec<usize> = (0..=raw.len()).map(|it| floor(charset, &raw, it)).collect();
        assert_eq!(starts, [0, 0, 2, 2, 2, 2, 6, 6, 8]);
    }

    #[test]
    fn cr_and_lf_stay_together() {
        let (charset, raw) = encode("utf-8", "a\r\nb");
        assert_eq!(floor(charset, &raw, 2), 1);
        let (charset, raw) = encode("utf-16be", "a\r\nb");
        assert_eq!(floor(charset, &raw, 4), 2);
    }

    proptest! {
        #[test]
        fn the_longest_beginning_that_fits_is_a_beginning_of_the_text(
            text in "[a-z\u{4e00}-\u{4eff}\u{3042}-\u{3050} \r\n]{0,60}",
            limit in 0_usize..80,
        ) {
            for label in ["utf-8", "gb18030", "shift_jis", "euc-jp", "utf-16le", "utf-32le"] {
                let (charset, raw) = encode(label, &text);
                let whole = decode_all(charset, &raw).0;
                let cut = longest(charset, &raw, |it| it.len() <= limit);
                let (head, tail) = raw.split_at(cut);
                let (head, tail) = (decode_all(charset, head).0, decode_all(charset, tail).0);
                prop_assert!(head.len() <= limit);
                prop_assert_eq!(head + &tail, whole, "{} cut at {}", label, cut);
            }
        }
    }
}
