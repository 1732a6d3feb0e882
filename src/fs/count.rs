//! Characters, words and lines of a text in one pass.

use super::count_tally::{Kernel, Tally};
use super::decode::{TextDecoder, decode_all};
use super::text_file::BLOCK;
use super::{Charset, Error, Evidence, Stopped, TextFile, Watch};

/// A cut character is at most this long.
const LONGEST_CUT: usize = 3;

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
    let tally = Tally::new(Kernel::best(), file.ends.at_cr());
    let mut counter = Counter::new(tally, file.charset);
    counter.refuses_nuls = file.evidence != Evidence::Caller;
    let mut block = vec![0; LONGEST_CUT + BLOCK];
    let mut kept = 0;
    let mut offset = file.text_start;
    let mut survey = file.survey();
    let mut is_partial = false;
    loop {
        match watch.step(offset, file.total()) {
            // The first block is always counted: that is an answer, where nothing would be none.
            Err(Stopped::OutOfTime) if offset == file.text_start => {}
            Err(Stopped::OutOfTime) => {
                is_partial = true;
                break;
            }
            outcome => outcome?,
        }
        let length = file.read(offset, &mut block[kept..kept + BLOCK])?;
        let filled = kept + length;
        let Some(used) = counter.add(&block[..filled], length == 0) else {
            let size = file.size;
            return Err(Error::Binary { kind: None, size });
        };
        if length == 0 {
            break;
        }
        // What a block cuts off a character goes before the next one.
        block.copy_within(used..filled, 0);
        kept = filled - used;
        if length == BLOCK {
            // What a block cuts off is never a line end.
            survey.push(counter.tally.sums().line_feeds);
        }
        offset += length as u64;
    }
    survey.keep();
    Ok(Counts {
        bytes: offset,
        is_partial,
        ..counter.finish()
    })
}

/// Counts consecutive blocks of one text in its own encoding.
struct Counter {
    tally: Tally,
    /// Two NULs in a row mean that this is no text.
    refuses_nuls: bool,
    invalid: u64,
    /// Nothing for UTF-8, which is counted as it is.
    decoder: Option<TextDecoder>,
    text: String,
}

impl Counter {
    fn new(tally: Tally, charset: Charset) -> Counter {
        Counter {
            tally,
            refuses_nuls: false,
            invalid: 0,
            decoder: (!charset.is_utf8()).then(|| TextDecoder::new(charset)),
            text: String::new(),
        }
    }

    /// Counts a block, and returns how much of it was used; the rest begins the next block.
    /// Nothing when it turns out that this is no text.
    fn add(&mut self, raw: &[u8], last: bool) -> Option<usize> {
        let used = match &mut self.decoder {
            Some(decoder) => {
                self.text.clear();
                decoder.decode(raw, last, &mut self.text);
                self.invalid = decoder.invalid;
                raw.len()
            }
            None if last => raw.len(),
            None => whole_characters(raw),
        };
        let text = match &self.decoder {
            Some(_) => self.text.as_bytes(),
            None => &raw[..used],
        };
        if self.refuses_nuls && self.tally.meets_nuls(text) {
            return None;
        }
        if !self.tally.add(text) {
            // Blocks begin and end where a decoder starts afresh, so this one can be mended alone.
            let (text, invalid) = decode_all(Charset::UTF8, text);
            self.invalid += invalid;
            self.tally.add(text.as_bytes());
        }
        Some(used)
    }

    fn finish(self) -> Counts {
        let sums = self.tally.sums();
        Counts {
            chars: sums.chars,
            cjk: sums.cjk,
            words: sums.words,
            lines: self.tally.lines(),
            invalid_sequences: self.invalid,
            ..Counts::default()
        }
    }
}

/// Where UTF-8 can be cut: before a character that the end cuts off, else at the end.
///
/// A first byte always ends what was before it, be it broken or not; so a decoder that begins there
/// finds what one that comes from before it would.
fn whole_characters(raw: &[u8]) -> usize {
    for back in 1..=LONGEST_CUT.min(raw.len()) {
        let start = raw.len() - back;
        let needs = match raw[start] {
            0x80..=0xBF => continue,
            0xC0..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xFF => 4,
            _ => 1,
        };
        return if needs > back { start } else { raw.len() };
    }
    raw.len()
}

#[cfg(test)]
#[path = "count_tests.rs"]
mod tests;
