//! Counts valid UTF-8 in plain loops over bytes that compilers turn into vector code anywhere.
//!
//! Every byte gets a class from itself and the two after it; then the classes are summed. There is
//! no branch on a character: a wrong guess costs more than all the comparisons.

use super::count_tally::Sums;

/// Bytes at a time. Counters of eight bits must not overflow; a multiple of every vector size.
const CHUNK: usize = 240;

/// Classes of a character, on its first byte. The first four also say how long it is.
const SPACE_1: u8 = 1;
const SPACE_2: u8 = 2;
/// Three bytes: a white space, or a wide character.
const BREAK_3: u8 = 4;
const WIDE_4: u8 = 8;
const WIDE: u8 = 16;
const HAN: u8 = 32;
const SPACE: u8 = 64;
const START: u8 = 128;

/// The sums with those of `text` added; nothing when it is not valid UTF-8.
pub(super) fn add(mut sums: Sums, text: &[u8]) -> Option<Sums> {
    simdutf8::basic::from_utf8(text).ok()?;
    let mut rest = text;
    while !rest.is_empty() {
        let mut length = rest.len().min(CHUNK);
        // A chunk ends where a character does.
        while length < rest.len() && rest[length] & 0xC0 == 0x80 {
            length -= 1;
        }
        let (chunk, after) = rest.split_at(length);
        rest = after;
        // Spaces as padding begin no words.
        let mut padded = [b' '; CHUNK + 3];
        padded[..length].copy_from_slice(chunk);
        add_chunk(&mut sums, &padded, length);
    }
    Some(sums)
}

fn add_chunk(sums: &mut Sums, padded: &[u8; CHUNK + 3], length: usize) {
    // Four bytes of history, of which only one can matter: the character before this chunk.
    let mut classes = [0; CHUNK + 4];
    classes[3] = if sums.in_word { 0 } else { SPACE_1 };
    if padded.is_ascii() {
        for at in 0..CHUNK {
            let is_space = is_ascii_space(padded[at]);
            classes[at + 4] = START | (u8::from(is_space) * (SPACE_1 | SPACE));
        }
    } else {
        for at in 0..CHUNK {
            let bytes = [padded[at], padded[at + 1], padded[at + 2], padded[at + 3]];
            classes[at + 4] = class(bytes);
        }
    }
    let [mut starts, mut han, mut words, mut feeds] = [0_u8; 4];
    for at in 0..CHUNK {
        let class = classes[at + 4];
        let begins = class & WIDE | (ended_before(&classes, at) & not_space(class));
        starts += class >> 7;
        han += (class & HAN) / HAN;
        words += u8::from(begins != 0);
        feeds += u8::from(padded[at] == b'\n');
    }
    sums.chars += u64::from(starts) - (CHUNK - length) as u64;
    sums.cjk += u64::from(han);
    sums.words += u64::from(words);
    sums.line_feeds += u64::from(feeds);
    sums.in_word = ended_before(&classes, length) == 0;
}

/// Not 0 when a white space or a wide character ends just before this place.
#[inline(always)]
fn ended_before(classes: &[u8; CHUNK + 4], at: usize) -> u8 {
    let [c4, c3, c2, c1] = [
        classes[at],
        classes[at + 1],
        classes[at + 2],
        classes[at + 3],
    ];
    (c1 & SPACE_1) | (c2 & SPACE_2) | (c3 & BREAK_3) | (c4 & WIDE_4)
}

/// All bits for the start of a character that is no white space, else none.
#[inline(always)]
fn not_space(class: u8) -> u8 {
    u8::from(class & (START | SPACE) == START).wrapping_neg()
}

#[inline(always)]
fn is_ascii_space(byte: u8) -> bool {
    (byte == b' ') | (byte.wrapping_sub(9) < 5)
}

#[inline(always)]
fn within(value: u8, low: u8, high: u8) -> bool {
    value.wrapping_sub(low) <= high - low
}

/// The class of the character that begins with these bytes, 0 in the middle of one.
#[inline(always)]
fn class([b0, b1, b2, b3]: [u8; 4]) -> u8 {
    let is_2 = b0 == 0xC2;
    let is_3 = b0 & 0xF0 == 0xE0;
    let is_4 = b0 == 0xF0;
    // The two bytes of a code point that takes three in UTF-8.
    let page = (b0 << 4) | ((b1 >> 2) & 15);
    let place = (b1 << 6) | (b2 & 63);

    let space_1 = is_ascii_space(b0);
    let space_2 = is_2 & ((b1 == 0x85) | (b1 == 0xA0));
    let space_3 = is_3
        & (((page == 0x30) & (place == 0))
            | ((page == 0x20)
                & ((place <= 0x0A)
                    | (place == 0x28)
                    | (place == 0x29)
                    | (place == 0x2F)
                    | (place == 0x5F)))
            | ((page == 0x16) & (place == 0x80)));
    let han_3 = is_3
        & ((within(page, 0x34, 0x9F) & !((page == 0x4D) & (place >= 0xC0)))
            | within(page, 0xF9, 0xFA)
            | ((page == 0x30)
                & (within(place, 5, 7) | within(place, 0x21, 0x29) | within(place, 0x38, 0x3B))));
    let wide_3 = han_3
        | (is_3
            & ((within(page, 0x2E, 0x30)
                & !((page == 0x2E) & (place < 0x80))
                & !((page == 0x30) & (place == 0)))
                | ((page == 0x31) & ((place <= 0x2F) | (place >= 0xA0)))
                | ((page == 0xFE) & within(place, 0x30, 0x4F))
                | ((page == 0xFF) & (within(place, 1, 0x9F) | within(place, 0xE0, 0xE6)))));
    let han_4 = is_4 & (b1 >= 0xA0);
    let kana_4 = is_4 & (b1 == 0x9B) & ((b2 < 0x85) | ((b2 == 0x85) & (b3 <= 0xAF)));
    let wide_4 = han_4 | kana_4;

    let space = space_1 | space_2 | space_3;
    (u8::from(space_1) * SPACE_1)
        | (u8::from(space_2) * SPACE_2)
        | (u8::from(space_3 | wide_3) * BREAK_3)
        | (u8::from(wide_4) * WIDE_4)
        | (u8::from(wide_3 | wide_4) * WIDE)
        | (u8::from(han_3 | han_4) * HAN)
        | (u8::from(space) * SPACE)
        | (u8::from(b0 & 0xC0 != 0x80) * START)
}
