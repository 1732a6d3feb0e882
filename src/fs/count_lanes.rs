//! Counts UTF-8 text many bytes at a time: plain loops over fixed arrays, which compilers turn into
//! vector instructions.
//!
//! Every byte gets a class; whether a word starts at a byte is told by its own class and by that of
//! the character before, which ended one byte ago and began one to four bytes ago.

/// Bytes of text that are looked at together. A count of one lane in one chunk fits into a byte.
const CHUNK: usize = ROW * 32;

const ROW: usize = 64;

/// How far back the class of the character before can be, and how far on its last byte.
const BEFORE: usize = 4;
const AFTER: usize = 3;

/// A byte that counts as nothing: the inside of a character.
const PADDING: u8 = 0x80;

/// Classes, at the first byte of a character. What separates words has a bit for each length.
const SEPARATOR_1: u8 = 1;
const SEPARATOR_2: u8 = 2;
const SEPARATOR_3: u8 = 4;
const SEPARATOR_4: u8 = 8;
const SEPARATOR: u8 = 15;
/// A character that is a word by itself. It separates others as well.
const WIDE: u8 = 16;
const HAN: u8 = 32;

/// What was counted, and what has to be known of the text so far.
#[derive(Clone, Debug)]
pub(super) struct Lanes {
    pub(super) chars: u64,
    pub(super) han: u64,
    pub(super) words: u64,
    pub(super) line_feeds: u64,
    /// The classes of the last bytes.
    before: [u8; BEFORE],
}

impl Default for Lanes {
    fn default() -> Lanes {
        Lanes {
            chars: 0,
            han: 0,
            words: 0,
            line_feeds: 0,
            // A word may start where the text does.
            before: [0, 0, 0, SEPARATOR_1],
        }
    }
}

impl Lanes {
    /// Counts the next piece of the text.
    #[inline(always)]
    pub(super) fn add(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut window = [0; CHUNK + AFTER];
        let mut classes = [0; BEFORE + CHUNK];
        let mut start = 0;
        while start < bytes.len() {
            let length = CHUNK.min(bytes.len() - start);
            let with_next = (CHUNK + AFTER).min(bytes.len() - start);
            window[..with_next].copy_from_slice(&bytes[start..start + with_next]);
            window[with_next..].fill(PADDING);
            classes[..BEFORE].copy_from_slice(&self.before);
            if bytes[start..start + length].is_ascii() {
                classify_ascii(&window, &mut classes);
            } else {
                classify(&window, &mut classes);
            }
            // What belongs to the next chunk is looked at with that.
            window[length..].fill(PADDING);
            classes[BEFORE + length..].fill(0);
            self.sum(&window, &classes);
            self.before
                .copy_from_slice(&classes[length..length + BEFORE]);
            start += length;
        }
    }

    #[inline(always)]
    fn sum(&mut self, window: &[u8; CHUNK + AFTER], classes: &[u8; BEFORE + CHUNK]) {
        let mut lanes = [[0_u8; ROW]; 4];
        for row in (0..CHUNK).step_by(ROW) {
            #[expect(clippy::needless_range_loop, reason = "four arrays are walked in step")]
            for lane in 0..ROW {
                let at = row + lane;
                let (byte, class) = (window[at], classes[at + BEFORE]);
                let is_char = u8::from(byte & 0xC0 != 0x80);
                let is_separator = u8::from(class & SEPARATOR != 0);
                let is_after_separator = classes[at + 3] & SEPARATOR_1
                    | (classes[at + 2] & SEPARATOR_2) >> 1
                    | (classes[at + 1] & SEPARATOR_3) >> 2
                    | (classes[at] & SEPARATOR_4) >> 3;
                let starts_word = is_char & is_after_separator & (is_separator ^ 1);
                lanes[0][lane] += is_char;
                lanes[1][lane] += starts_word + ((class & WIDE) >> 4);
                lanes[2][lane] += (class & HAN) >> 5;
                lanes[3][lane] += u8::from(byte == b'\n');
            }
        }
        let [chars, words, han, line_feeds] =
            lanes.map(|it| it.iter().map(|count| u64::from(*count)).sum::<u64>());
        self.chars += chars;
        self.words += words;
        self.han += han;
        self.line_feeds += line_feeds;
    }
}

/// ASCII white space, which is what Unicode calls white space there.
#[inline(always)]
fn is_space(byte: u8) -> bool {
    byte == b' ' || byte.wrapping_sub(b'\t') <= b'\r' - b'\t'
}

#[inline(always)]
fn classify_ascii(window: &[u8; CHUNK + AFTER], classes: &mut [u8; BEFORE + CHUNK]) {
    for at in 0..CHUNK {
        classes[at + BEFORE] = u8::from(is_space(window[at]));
    }
}

#[inline(always)]
fn classify(window: &[u8; CHUNK + AFTER], classes: &mut [u8; BEFORE + CHUNK]) {
    for at in 0..CHUNK {
        let [first, second, third, fourth] =
            [window[at], window[at + 1], window[at + 2], window[at + 3]];
        let code =
            u16::from(first & 0x0F) << 12 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F);
        let within = |low: u16, high: u16| code.wrapping_sub(low) <= high - low;
        let of_three = first & 0xF0 == 0xE0;
        let han_3 = within(0x4E00, 0x9FFF)
            | within(0x3400, 0x4DBF)
            | within(0xF900, 0xFAFF)
            | within(0x3005, 0x3007)
            | within(0x3021, 0x3029)
            | within(0x3038, 0x303B);
        let wide_3 = han_3
            | within(0x2E80, 0x2FFF)
            | within(0x3001, 0x312F)
            | within(0x31A0, 0x31FF)
            | within(0xFE30, 0xFE4F)
            | within(0xFF01, 0xFF9F)
            | within(0xFFE0, 0xFFE6);
        let space_3 = within(0x2000, 0x200A)
            | within(0x2028, 0x2029)
            | (code == 0x202F)
            | (code == 0x205F)
            | (code == 0x3000)
            | (code == 0x1680);
        // U+20000 to U+3FFFF, and U+1B000 to U+1B16F.
        let han_4 = (first == 0xF0) & (second >= 0xA0);
        let kana_4 = (first == 0xF0)
            & (second == 0x9B)
            & ((third < 0x85) | (third == 0x85) & (fourth <= 0xAF));
        let space_2 = (first == 0xC2) & ((second == 0x85) | (second == 0xA0));
        let (wide_3, han_3) = (of_three & wide_3, of_three & han_3);
        let wide_4 = han_4 | kana_4;
        classes[at + BEFORE] = (u8::from(is_space(first)) * SEPARATOR_1)
            | (u8::from(space_2) * SEPARATOR_2)
            | (u8::from((of_three & space_3) | wide_3) * SEPARATOR_3)
            | (u8::from(wide_4) * SEPARATOR_4)
            | (u8::from(wide_3 | wide_4) * WIDE)
            | (u8::from(han_3 | han_4) * HAN);
    }
}
