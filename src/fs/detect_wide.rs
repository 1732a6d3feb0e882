//! Text without a byte-order mark whose units are wider than a byte, and UTF-8 with damage.

use super::Charset;

/// Text in UTF-32 or UTF-16, judged by what its units would mean.
pub(super) fn units(head: &[u8]) -> Option<Charset> {
    for big_endian in [false, true] {
        if is_utf32(head, big_endian) {
            return Some(Charset::Utf32 { big_endian });
        }
    }
    let read = |big_endian| Utf16::read(head, big_endian);
    let (little, big) = (read(false), read(true));
    let best = if big.good > little.good {
        (big, encoding_rs::UTF_16BE)
    } else {
        (little, encoding_rs::UTF_16LE)
    };
    best.0.is_text().then_some(Charset::Whatwg(best.1))
}

/// What bytes that are no clean UTF-8 hold of it.
pub(super) struct Sequences {
    whole: usize,
    broken: usize,
}

impl Sequences {
    pub(super) fn of(head: &[u8]) -> Sequences {
        let mut sequences = Sequences {
            whole: 0,
            broken: 0,
        };
        for chunk in head.utf8_chunks() {
            sequences.whole += chunk.valid().chars().filter(|it| !it.is_ascii()).count();
            sequences.broken += usize::from(!chunk.invalid().is_empty());
        }
        sequences
    }

    /// Whether this is UTF-8 with damage, whatever else it may look like. A detector that sees one
    /// broken byte gives the whole encoding up. In Chinese, Japanese and Korean text in other encodings
    /// some pairs of bytes are whole by chance, but not most, or only in a few characters.
    pub(super) fn are_mostly_whole(&self) -> bool {
        self.whole > self.broken * 2 || self.whole > self.broken && self.whole >= 6
    }

    /// The same where the text would otherwise be in bytes that are a character each. In such text
    /// hardly any two neighbours are a whole sequence, being a capital letter and a sign.
    pub(super) fn are_no_accident(&self) -> bool {
        self.whole > 0 && self.whole * 2 >= self.broken
    }
}

/// Whether bytes are Shift-JIS as far as they are not ASCII, and half of that or more is hiragana and
/// katakana. Their first bytes are quotation marks and rare letters elsewhere.
pub(super) fn is_kana(head: &[u8]) -> bool {
    let mut kana = 0;
    let mut others = 0;
    let mut rest = head;
    while let [first, after @ ..] = rest {
        rest = after;
        match first {
            0..=0x7F => continue,
            0xA1..=0xDF => others += 1,
            0x81..=0x9F | 0xE0..=0xFC => {
                match after {
                    [0x9F..=0xF1, ..] if *first == 0x82 => kana += 1,
                    [0x40..=0x7E | 0x80..=0x96, ..] if *first == 0x83 => kana += 1,
                    [0x40..=0x7E | 0x80..=0xFC, ..] => others += 1,
                    // Cut off by the end of the head.
                    [] => break,
                    _ => return false,
                }
                rest = &after[1..];
            }
            _ => return false,
        }
    }
    kana >= 2 && kana >= others
}

/// Every unit a character and hardly any a control one: numbers in 32 bits are not like that.
fn is_utf32(head: &[u8], big_endian: bool) -> bool {
    let mut units = 0_usize;
    let mut controls = 0_usize;
    for unit in head.chunks_exact(4) {
        let unit = [unit[0], unit[1], unit[2], unit[3]];
        let code = if big_endian {
            u32::from_be_bytes(unit)
        } else {
            u32::from_le_bytes(unit)
        };
        match char::from_u32(code) {
            None | Some('\0') => return false,
            Some(character) => {
                units += 1;
                let is_plain = !character.is_control() || matches!(character, '\t' | '\n' | '\r');
                controls += usize::from(!is_plain);
            }
        }
    }
    units >= 2 && controls * 100 < units
}

/// One of every eight characters of Chinese is one of these, in simplified or traditional writing.
const COMMONEST: &str = "的一是不了在人有我他这這个個们們中来來上大为為和";

/// Bytes that show well enough whether a text is in UTF-16.
const ENOUGH: usize = 16 * 1024;

/// What the head would be as UTF-16, by kinds of characters.
#[derive(Default)]
struct Utf16 {
    all: usize,
    /// Of alphabets and scripts that are in common use.
    good: usize,
    /// What text has next to never.
    bad: usize,
    /// What some of is in any text: ASCII, spaces, the stops of Chinese and its commonest words, kana.
    anchors: usize,
    /// Units whose two bytes would be ASCII letters each.
    letter_pairs: usize,
}

impl Utf16 {
    fn read(head: &[u8], big_endian: bool) -> Utf16 {
        let head = &head[..head.len().min(ENOUGH)];
        let units = head.chunks_exact(2).map(|it| {
            let unit = [it[0], it[1]];
            if big_endian {
                u16::from_be_bytes(unit)
            } else {
                u16::from_le_bytes(unit)
            }
        });
        let mut counts = Utf16 {
            letter_pairs: head
                .chunks_exact(2)
                .filter(|it| it.iter().all(u8::is_ascii_alphabetic))
                .count(),
            ..Utf16::default()
        };
        for decoded in char::decode_utf16(units) {
            counts.all += 1;
            match decoded {
                Ok(character) => counts.judge(character),
                Err(_) => counts.bad += 4,
            }
        }
        counts
    }

    fn judge(&mut self, character: char) {
        match character {
            '\t' | '\n' | '\r' | ' '..='~' | '\u{3000}'..='\u{3002}' | '\u{FF0C}' => {
                self.good += 1;
                self.anchors += 1;
            }
            '\u{3041}'..='\u{30FF}' | '\u{FF08}' | '\u{FF09}' | '\u{FF1A}' | '\u{FF1B}' => {
                self.good += 1;
                self.anchors += 1;
            }
            it if COMMONEST.contains(it) => {
                self.good += 1;
                self.anchors += 1;
            }
            '\u{A0}'..='\u{24F}'
            | '\u{370}'..='\u{52F}'
            | '\u{590}'..='\u{6FF}'
            | '\u{900}'..='\u{97F}'
            | '\u{E00}'..='\u{E7F}'
            | '\u{2010}'..='\u{2027}'
            | '\u{2030}'..='\u{205E}'
            | '\u{2190}'..='\u{21FF}'
            | '\u{2500}'..='\u{27BF}'
            | '\u{3003}'..='\u{303F}'
            | '\u{4E00}'..='\u{9FA5}'
            | '\u{AC00}'..='\u{D7A3}'
            | '\u{FF01}'..='\u{FFEF}' => self.good += 1,
            '\u{E000}'..='\u{F8FF}' => self.bad += 2,
            it if it.is_control() => self.bad += 1,
            it if u32::from(it) & 0xFFFE == 0xFFFE => self.bad += 4,
            _ => {}
        }
    }

    fn is_text(&self) -> bool {
        self.all >= 2
            && self.good * 100 > self.all * 93
            && self.bad * 100 < self.all
            && self.anchors * 100 > self.all * 2
            // Names in a program's table, each with a NUL after it.
            && self.letter_pairs * 2 < self.all
    }
}
