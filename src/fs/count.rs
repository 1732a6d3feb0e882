//! Characters, words and lines of a text in one pass.

use super::decode::TextDecoder;
use super::text_file::BLOCK;
use super::{Error, Evidence, Stopped, TextFile, Watch};

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
    let mut decoder = TextDecoder::new(file.charset);
    let mut block = vec![0; BLOCK];
    let mut text = String::new();
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
        text.clear();
        decoder.decode(&block[..length], length == 0, &mut text);
        if file.evidence != Evidence::Caller && text.contains("\0\0") {
            let size = file.size;
            return Err(Error::Binary { kind: None, size });
        }
        counter.add(&text);
        if length == 0 {
            break;
        }
        offset += length as u64;
    }
    Ok(Counts {
        bytes: offset,
        invalid_sequences: decoder.invalid,
        is_partial,
        ..counter.finish()
    })
}

/// The state between two pieces of one text.
#[derive(Debug)]
struct Counter {
    counts: Counts,
    ends_at_cr: bool,
    in_word: bool,
    previous: Option<char>,
}

impl Counter {
    fn new(ends_at_cr: bool) -> Counter {
        Counter {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
}
