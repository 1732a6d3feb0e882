//! Characters, words and lines of a text in one pass.

use super::count_avx2;
use super::count_lanes::Lanes;
use super::decode::TextDecoder;
use super::detect;
use super::text_file::BLOCK;
use super::{Charset, Error, Evidence, Stopped, TextFile, Watch};

/// What a text holds. The same text gives the same figures in every encoding, but for `bytes`.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Counts {
    /// Unicode scalar values; line ends counted, the byte-order mark not.
    pub(crate) chars: u64,
    /// Han characters.
    pub(crate) cjk: u64,
    /// As word processors count: each East Asian wide character one, other runs by white space.
    pub(crate) words: u64,
    /// An unterminated last line counted.
    pub(crate) lines: u64,
    /// Bytes read.
    pub(crate) bytes: u64,
    /// Sequences that stand for no character; each counted as one character.
    pub(crate) invalid_sequences: u64,
    /// The time budget ended before the file did.
    pub(crate) is_partial: bool,
}

/// Counts a whole file in constant memory.
pub(crate) fn count(file: &TextFile, watch: &Watch<'_>) -> Result<Counts, Error> {
    let mut counter = Counter::new(file.ends.at_cr());
    let mut pieces = Pieces::new(file.charset);
    let mut block = vec![0; BLOCK];
    let mut offset = file.text_start;
    let mut is_partial = false;
    loop {
        match watch.step(offset, file.total()) {
            Err(Stopped::OutOfTime) if offset > file.text_start => {
                is_partial = true;
                break;
            }
            outcome => outcome?,
        }
        let length = file.read(offset, &mut block)?;
        let mut is_binary = false;
        pieces.of(&block[..length], |text| {
            is_binary |= file.evidence != Evidence::Caller && detect::is_binary(text);
            counter.add(text);
        });
        if is_binary {
            let size = file.size;
            return Err(Error::Binary { kind: None, size });
        }
        if length == 0 {
            break;
        }
        offset += length as u64;
    }
    Ok(Counts {
        bytes: offset,
        invalid_sequences: pieces.decoder.invalid,
        is_partial,
        ..counter.finish()
    })
}

/// The text of a file, block by block. Valid UTF-8 is text as it is; from the first block on that is
/// not, and in every other encoding, it is decoded.
struct Pieces {
    decoder: TextDecoder,
    is_decoding: bool,
    /// The beginning of a character that the last block cut.
    rest: Vec<u8>,
    text: String,
}

impl Pieces {
    fn new(charset: Charset) -> Pieces {
        Pieces {
            decoder: TextDecoder::new(charset),
            is_decoding: !charset.is_utf8(),
            rest: Vec::new(),
            text: String::new(),
        }
    }

    /// Hands out the text of one block; an empty block is the end.
    fn of(&mut self, block: &[u8], mut take: impl FnMut(&str)) {
        let is_end = block.is_empty();
        let mut block = block;
        if !self.is_decoding && !self.rest.is_empty() {
            block = self.complete(block, &mut take);
        }
        if !self.is_decoding {
            let whole = block.len() - cut_character(block);
            match simdutf8::basic::from_utf8(&block[..whole]) {
                Ok(text) => {
                    take(text);
                    self.rest.extend_from_slice(&block[whole..]);
                    return;
                }
                Err(_) => self.is_decoding = true,
            }
        }
        self.text.clear();
        self.decoder.decode(block, is_end, &mut self.text);
        take(&self.text);
    }

    /// Completes the character that the last block began, with the first bytes of this one. Where
    /// that is none, decoding begins with it.
    fn complete<'a>(&mut self, block: &'a [u8], take: &mut impl FnMut(&str)) -> &'a [u8] {
        let missing = block
            .iter()
            .take_while(|it| is_inside(**it))
            .take(3)
            .count();
        self.rest.extend_from_slice(&block[..missing]);
        match std::str::from_utf8(&self.rest) {
            Ok(text) => take(text),
            Err(_) => {
                self.is_decoding = true;
                self.text.clear();
                self.decoder.decode(&self.rest, false, &mut self.text);
                take(&self.text);
            }
        }
        self.rest.clear();
        &block[missing..]
    }
}

fn is_inside(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// How many bytes at the end may be the beginning of a character that goes on in the next block.
fn cut_character(block: &[u8]) -> usize {
    let inside = block
        .iter()
        .rev()
        .take(3)
        .take_while(|it| is_inside(**it))
        .count();
    match block.len().checked_sub(inside + 1).map(|it| block[it]) {
        Some(first) if first >= 0xC0 => {
            let length = 2 + usize::from(first >= 0xE0) + usize::from(first >= 0xF0);
            if inside + 1 < length { inside + 1 } else { 0 }
        }
        _ => 0,
    }
}

/// The state between two pieces of one text.
#[derive(Debug)]
struct Counter {
    lanes: Lanes,
    /// Lines that end at CR: counted apart, since hardly any file has them.
    at_cr: Option<u64>,
    last: Option<char>,
}

impl Counter {
    fn new(ends_at_cr: bool) -> Counter {
        Counter {
            lanes: Lanes::default(),
            at_cr: ends_at_cr.then_some(0),
            last: None,
        }
    }

    fn add(&mut self, text: &str) {
        count_avx2::add(&mut self.lanes, text);
        if let Some(lines) = &mut self.at_cr {
            let mut previous = self.last;
            for character in text.chars() {
                let is_second = character == '\n' && previous == Some('\r');
                *lines += u64::from(matches!(character, '\r' | '\n') && !is_second);
                previous = Some(character);
            }
        }
        self.last = text.chars().next_back().or(self.last);
    }

    fn finish(self) -> Counts {
        let is_open = match self.last {
            None | Some('\n') => false,
            Some('\r') => self.at_cr.is_none(),
            Some(_) => true,
        };
        Counts {
            chars: self.lanes.chars,
            cjk: self.lanes.han,
            words: self.lanes.words,
            lines: self.at_cr.unwrap_or(self.lanes.line_feeds) + u64::from(is_open),
            ..Counts::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The same figures, one character after the other: what the rules say, without any art.
    #[derive(Debug)]
    struct Reference {
        counts: Counts,
        ends_at_cr: bool,
        in_word: bool,
        previous: Option<char>,
    }

    impl Reference {
        fn new(ends_at_cr: bool) -> Reference {
            Reference {
                counts: Counts::default(),
                ends_at_cr,
                in_word: false,
                previous: None,
            }
        }

        fn add(&mut self, text: &str) {
            let counts = &mut self.counts;
            let mut in_word = self.in_word;
            let mut previous = self.previous;
            for character in text.chars() {
                counts.chars += 1;
                if character.is_ascii() {
                    let is_space = character.is_ascii_whitespace() || character == '\x0B';
                    counts.words += u64::from(!is_space && !in_word);
                    in_word = !is_space;
                } else if is_wide(character) {
                    counts.words += 1;
                    counts.cjk += u64::from(is_han(character));
                    in_word = false;
                } else {
                    let is_space = character.is_whitespace();
                    counts.words += u64::from(!is_space && !in_word);
                    in_word = !is_space;
                }
                let ends_line = match character {
                    '\n' => !(self.ends_at_cr && previous == Some('\r')),
                    '\r' => self.ends_at_cr,
                    _ => false,
                };
                counts.lines += u64::from(ends_line);
                previous = Some(character);
            }
            self.in_word = in_word;
            self.previous = previous;
        }

        fn finish(mut self) -> Counts {
            let is_open = match self.previous {
                None | Some('\n') => false,
                Some('\r') => !self.ends_at_cr,
                Some(_) => true,
            };
            self.counts.lines += u64::from(is_open);
            self.counts
        }
    }

    /// Han characters, by ranges rather than by a Unicode version, with 々〆〇 and the Hangzhou numerals.
    fn is_han(character: char) -> bool {
        matches!(
            u32::from(character),
            0x3005..=0x3007
                | 0x3021..=0x3029
                | 0x3038..=0x303B
                | 0x3400..=0x4DBF
                | 0x4E00..=0x9FFF
                | 0xF900..=0xFAFF
                | 0x20000..=0x3FFFF
        )
    }

    /// Characters that are a word each: Han, kana, and East Asian punctuation and forms.
    fn is_wide(character: char) -> bool {
        let code = u32::from(character);
        code >= 0x2E80
            && (matches!(
                code,
                0x2E80..=0x2FFF
                    | 0x3001..=0x312F
                    | 0x31A0..=0x31FF
                    | 0xFE30..=0xFE4F
                    | 0xFF01..=0xFF9F
                    | 0xFFE0..=0xFFE6
                    | 0x1B000..=0x1B16F
            ) || is_han(character))
    }

    fn count_text(pieces: &[&str], ends_at_cr: bool) -> Counts {
        let mut counter = Counter::new(ends_at_cr);
        pieces.iter().for_each(|it| counter.add(it));
        counter.finish()
    }

    #[track_caller]
    fn check(text: &str, [chars, cjk, words, lines]: [u64; 4]) {
        let counts = count_text(&[text], false);
        assert_eq!(
            [counts.chars, counts.cjk, counts.words, counts.lines],
            [chars, cjk, words, lines]
        );
    }

    #[test]
    fn words_are_what_a_word_processor_shows() {
        check("one two\n", [8, 0, 2, 1]);
        check("\u{4f60}\u{597d}\u{ff0c}world\u{3002}", [9, 2, 5, 1]);
        check("a\u{a0}b\u{3000}c\u{85}d", [7, 0, 4, 1]);
        check("\u{c548}\u{b155} \u{d558}", [4, 0, 2, 1]);
        check("\u{3007}\u{20000}", [2, 2, 2, 1]);
        check("a\u{200B}b - c", [7, 0, 3, 1]);
        check("", [0, 0, 0, 0]);
    }

    #[test]
    fn lines_end_at_lf_and_in_files_without_any_at_cr() {
        check("a\r\nb\rc\n\n", [8, 0, 3, 3]);
        assert_eq!(count_text(&["a\rb\r", "\nc"], true).lines, 3);
        assert_eq!(count_text(&["a\r"], true).lines, 1);
    }

    proptest! {
        #[test]
        fn pieces_give_the_same_figures_as_the_whole(
            text in "[a \n\r\u{4e00}\u{3042}\u{3000}\u{e9}]{0,40}",
            at in 0_usize..40,
            ends_at_cr: bool,
        ) {
            let at = (0..=at.min(text.len())).rev().find(|it| text.is_char_boundary(*it)).unwrap();
            let (head, tail) = text.split_at(at);
            prop_assert_eq!(count_text(&[head, tail], ends_at_cr), count_text(&[&text], ends_at_cr));
        }
    }

    /// Characters of every kind there is a rule for, and their neighbours.
    const KINDS: &str = "[a-zA-Z \n\r\t\x0b\x1c\x1f\u{85}\u{a0}\u{e9}\u{3b1}\u{1680}\u{2000}\u{200a}\u{200b}\u{2028}\u{202f}\u{205f}\u{2060}\u{2e7f}\u{2e80}\u{2fff}\u{3000}\u{3001}\u{3005}\u{3007}\u{3020}\u{3021}\u{3042}\u{30a2}\u{312f}\u{3130}\u{31a0}\u{31ff}\u{3200}\u{3400}\u{4dbf}\u{4dc0}\u{4e00}\u{9fff}\u{a000}\u{ac00}\u{f8ff}\u{f900}\u{faff}\u{fb00}\u{fe30}\u{fe4f}\u{fe50}\u{ff00}\u{ff01}\u{ff9f}\u{ffa0}\u{ffe0}\u{ffe6}\u{fffd}\u{10000}\u{1afff}\u{1b000}\u{1b16f}\u{1b170}\u{1f600}\u{1ffff}\u{20000}\u{3ffff}\u{40000}\u{10ffff}]";

    fn reference(text: &str, ends_at_cr: bool) -> Counts {
        let mut reference = Reference::new(ends_at_cr);
        reference.add(text);
        reference.finish()
    }

    proptest! {
        #[test]
        fn lanes_count_what_the_reference_counts(
            parts in proptest::collection::vec((proptest::collection::vec(KINDS, 1..30), 0_usize..200), 0..12),
            ends_at_cr: bool,
        ) {
            // Long stretches of ASCII between, so that chunks of both sorts meet.
            let pieces: Vec<String> =
                parts.iter().map(|(text, ascii)| text.concat() + &"ab ".repeat(*ascii * 3)).collect();
            let whole = pieces.concat();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            prop_assert_eq!(count_text(&pieces, ends_at_cr), reference(&whole, ends_at_cr));
        }

        #[test]
        fn blocks_of_any_bytes_give_the_text_that_decoding_gives(
            parts in proptest::collection::vec(prop_oneof![
                4 => KINDS.prop_map(String::into_bytes),
                1 => proptest::collection::vec(any::<u8>(), 1..4),
            ], 0..40),
            size in 1_usize..9,
        ) {
            let raw = parts.concat();
            let mut pieces = Pieces::new(Charset::UTF8);
            let mut joined = String::new();
            for block in raw.chunks(size).chain([&[][..]]) {
                pieces.of(block, |text| joined.push_str(text));
            }
            let (text, invalid) = super::super::decode::decode_all(Charset::UTF8, &raw);
            prop_assert_eq!(joined, text);
            prop_assert_eq!(pieces.decoder.invalid, invalid);
        }
    }
}
