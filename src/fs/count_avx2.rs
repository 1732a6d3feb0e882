//! Counts UTF-8, and checks that it is valid, 64 bytes at a time with AVX2.
//!
//! **The one place here with `unsafe`: one load and one call.** A block of 64 bytes becomes bit masks,
//! one bit a byte, in which a character is its first byte. What a character is comes from the four
//! hexadecimal digits of its code point, each looked up in a table of sixteen; see `count_tables`. The
//! rare ones that this does not settle are decoded one by one.
#![expect(
    unsafe_code,
    reason = "vector instructions exist on some machines only"
)]

use std::arch::x86_64::*;

use super::count_scalar::{is_han, is_wide};
use super::count_tables::{
    HAN, HAN_PLACE, NARROW_PLACE, ODD_PAGE, ODD_PLACE, PAGES, PLACES, SPACES, WIDE_PAGE,
};
use super::count_tally::Sums;

const BLOCK: usize = 64;
/// A block and the three bytes after it, in which its last character may end.
const SEEN: usize = BLOCK + 3;
/// Line feeds are counted in lanes of eight bits, two a block.
const BLOCKS_IN_A_RUN: usize = 127;

/// Proof that this machine has the instructions; there is no other way to call the code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Supported(());

impl Supported {
    pub(super) fn detect() -> Option<Supported> {
        let found = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("bmi1");
        found.then_some(Supported(()))
    }

    /// The sums with those of `text` added; nothing when it is not valid UTF-8.
    pub(super) fn add(self, sums: Sums, text: &[u8]) -> Option<Sums> {
        // SAFETY: a value of this type exists only where the features were found.
        unsafe { add(sums, text) }
    }
}

/// What crosses from one block to the next.
#[derive(Clone, Copy)]
struct Carry {
    /// Bytes from the start of the next block on that must go on with a character.
    owed: u64,
    /// The places in it before which a white space or a wide character ends.
    ended: u64,
}

#[target_feature(enable = "avx2,popcnt,bmi1")]
fn add(mut sums: Sums, text: &[u8]) -> Option<Sums> {
    let mut carry = Carry {
        owed: 0,
        ended: u64::from(!sums.in_word),
    };
    let mut at = 0;
    while let Some(run) = text.get(at..).filter(|it| it.len() >= SEEN) {
        let blocks = ((run.len() - (SEEN - BLOCK)) / BLOCK).min(BLOCKS_IN_A_RUN);
        add_run(&mut sums, &mut carry, run, blocks)?;
        at += blocks * BLOCK;
    }
    // What is left is at most 66 bytes, and has nothing after it.
    let mut rest = [0; BLOCK + SEEN];
    let left = text.len() - at;
    rest[..left].copy_from_slice(&text[at..]);
    // Zeros count as characters, so each part of the rest is cut to its length.
    for start in [0, BLOCK] {
        let length = left.saturating_sub(start).min(BLOCK);
        if length > 0 {
            let chunk = rest[start..].first_chunk::<SEEN>()?;
            add_part(&mut sums, &mut carry, chunk, length)?;
        }
    }
    if carry.owed != 0 {
        return None;
    }
    sums.in_word = carry.ended & 1 == 0;
    Some(sums)
}

/// Blocks with text after them.
#[inline]
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn add_run(sums: &mut Sums, carry: &mut Carry, run: &[u8], blocks: usize) -> Option<()> {
    let line_feed = _mm256_set1_epi8(10);
    let mut feeds = _mm256_setzero_si256();
    let mut run = run;
    for _ in 0..blocks {
        let chunk = run.first_chunk::<SEEN>()?;
        run = &run[BLOCK..];
        let (low, high) = (load::<0>(chunk), load::<32>(chunk));
        feeds = _mm256_sub_epi8(feeds, _mm256_cmpeq_epi8(low, line_feed));
        feeds = _mm256_sub_epi8(feeds, _mm256_cmpeq_epi8(high, line_feed));
        if _mm256_movemask_epi8(_mm256_or_si256(low, high)) == 0 {
            let spaces = join(space_mask(low), space_mask(high));
            let begun = !spaces & ((spaces << 1) | carry.ended);
            sums.words += u64::from(begun.count_ones());
            sums.chars += BLOCK as u64;
            if carry.owed != 0 {
                return None;
            }
            carry.ended = spaces >> 63;
        } else {
            add_masks(sums, carry, &masks(chunk), chunk, BLOCK)?;
        }
    }
    let sums_of_lanes = _mm256_sad_epu8(feeds, _mm256_setzero_si256());
    let (low, high) = (
        _mm256_castsi256_si128(sums_of_lanes),
        _mm256_extracti128_si256::<1>(sums_of_lanes),
    );
    let both = _mm_add_epi64(low, high);
    let total = _mm_cvtsi128_si64(both) + _mm_extract_epi64::<1>(both);
    sums.line_feeds += total.cast_unsigned();
    Some(())
}

/// The first `length` bytes of a block with zeros after them.
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn add_part(sums: &mut Sums, carry: &mut Carry, chunk: &[u8; SEEN], length: usize) -> Option<()> {
    let feeds = chunk[..length].iter().filter(|it| **it == b'\n').count();
    sums.line_feeds += feeds as u64;
    add_masks(sums, carry, &masks(chunk), chunk, length)
}

/// One bit a byte.
struct Masks {
    /// The four highest bits of the bytes.
    bits: [u64; 4],
    space_1: u64,
    space_3: u64,
    wide: u64,
    han: u64,
    /// Characters that must be decoded to know.
    odd: u64,
}

#[inline]
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn masks(chunk: &[u8; SEEN]) -> Masks {
    let low = half(load::<0>(chunk), load::<1>(chunk), load::<2>(chunk));
    let high = half(load::<32>(chunk), load::<33>(chunk), load::<34>(chunk));
    let [b7, b6, b5, b4, space_1, space_3, wide, han, odd] =
        std::array::from_fn(|it| join(low[it], high[it]));
    Masks {
        bits: [b7, b6, b5, b4],
        space_1,
        space_3,
        wide,
        han,
        odd,
    }
}

/// The masks of 32 bytes, which are given with those that are one and two places after them.
#[inline]
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn half(first: __m256i, second: __m256i, third: __m256i) -> [u32; 9] {
    let zero = _mm256_setzero_si256();
    let digit = _mm256_set1_epi8(15);
    // The first digit where the byte begins a character of three; elsewhere the highest bit is set,
    // which makes every look-up give 0.
    let d1 = _mm256_adds_epu8(
        _mm256_xor_si256(first, _mm256_set1_epi8(0xE0_u8 as i8)),
        _mm256_set1_epi8(0x70),
    );
    let d2 = _mm256_and_si256(_mm256_srli_epi16::<2>(second), digit);
    let d3 = _mm256_or_si256(
        _mm256_and_si256(_mm256_slli_epi16::<2>(second), _mm256_set1_epi8(12)),
        _mm256_and_si256(_mm256_srli_epi16::<4>(third), _mm256_set1_epi8(3)),
    );
    let d4 = _mm256_and_si256(third, digit);
    let page = _mm256_and_si256(look_up(PAGES[0], d1), look_up(PAGES[1], d2));
    let place = _mm256_and_si256(
        _mm256_and_si256(look_up(PLACES[0], d1), look_up(PLACES[1], d2)),
        _mm256_and_si256(look_up(PLACES[2], d3), look_up(PLACES[3], d4)),
    );
    let with = |value, bits| _mm256_and_si256(value, _mm256_set1_epi8(bits));
    let narrow_page = _mm256_cmpeq_epi8(with(page, WIDE_PAGE), zero);
    let wide_place = _mm256_cmpeq_epi8(with(place, NARROW_PLACE), zero);
    let wide = _mm256_andnot_si256(narrow_page, wide_place);
    let han = _mm256_or_si256(with(page, HAN), with(place, HAN_PLACE));
    let han = _mm256_cmpgt_epi8(han, zero);
    // C0 and C1 are never valid, and C2 begins two of the spaces.
    let above_c0 = _mm256_sub_epi8(first, _mm256_set1_epi8(0xC0_u8 as i8));
    let upto_c2 = _mm256_cmpeq_epi8(_mm256_min_epu8(above_c0, _mm256_set1_epi8(2)), above_c0);
    let odd = _mm256_or_si256(with(page, ODD_PAGE), with(place, ODD_PLACE));
    let plain = _mm256_cmpeq_epi8(_mm256_or_si256(odd, upto_c2), zero);
    [
        mask(first),
        mask(_mm256_slli_epi16::<1>(first)),
        mask(_mm256_slli_epi16::<2>(first)),
        mask(_mm256_slli_epi16::<3>(first)),
        space_mask(first),
        mask(place),
        mask(wide),
        mask(han),
        !mask(plain),
    ]
}

#[inline]
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn add_masks(
    sums: &mut Sums,
    carry: &mut Carry,
    masks: &Masks,
    chunk: &[u8; SEEN],
    length: usize,
) -> Option<()> {
    let inside = u64::MAX >> (BLOCK - length);
    let [b7, b6, b5, b4] = masks.bits;
    let continued = b7 & !b6;
    let first_of_2 = b7 & b6;
    let first_of_3 = first_of_2 & b5;
    let first_of_4 = first_of_3 & b4;
    // In valid text exactly the bytes that first bytes ask for go on with a character.
    let owed = (first_of_2 << 1) | (first_of_3 << 2) | (first_of_4 << 3) | carry.owed;
    if (owed ^ continued) & inside != 0 {
        return None;
    }
    let mut found = Found {
        wide: masks.wide,
        han: masks.han,
        ..Found::default()
    };
    let odd = (masks.odd | first_of_4) & inside;
    if odd != 0 {
        found = found.settled(chunk, odd)?;
    }
    let spaces = masks.space_1 | found.space_2 | masks.space_3 | found.space_3;
    let break_3 = masks.space_3 | found.space_3 | found.wide;
    let ended = (masks.space_1 << 1)
        | (found.space_2 << 2)
        | (break_3 << 3)
        | (found.wide_4 << 4)
        | carry.ended;
    let wide = found.wide | found.wide_4;
    let begun = !continued & !spaces & (ended | wide) & inside;
    sums.chars += u64::from((!continued & inside).count_ones());
    sums.words += u64::from(begun.count_ones());
    sums.cjk += u64::from((found.han & inside).count_ones());
    *carry = if length == BLOCK {
        Carry {
            owed: (first_of_2 >> 63) | (first_of_3 >> 62) | (first_of_4 >> 61),
            ended: (masks.space_1 >> 63)
                | (found.space_2 >> 62)
                | (break_3 >> 61)
                | (found.wide_4 >> 60),
        }
    } else {
        Carry {
            owed: owed >> length,
            ended: ended >> length,
        }
    };
    Some(())
}

/// What the characters of a block are, once the odd ones are settled.
#[derive(Default)]
struct Found {
    space_2: u64,
    space_3: u64,
    wide: u64,
    wide_4: u64,
    han: u64,
}

impl Found {
    /// Decodes each of the `odd` characters. Nothing when one of them is none.
    #[cold]
    #[inline(never)]
    fn settled(mut self, chunk: &[u8; SEEN], mut odd: u64) -> Option<Found> {
        self.wide &= !odd;
        self.han &= !odd;
        while odd != 0 {
            let at = odd.trailing_zeros() as usize;
            let bit = odd & odd.wrapping_neg();
            odd ^= bit;
            let length = match chunk[at] {
                0..=0xDF => 2,
                0xE0..=0xEF => 3,
                _ => 4,
            };
            let character = decoded(chunk, at, length)?;
            let (space, wide) = (character.is_whitespace(), is_wide(character));
            let spaces = if length == 2 {
                &mut self.space_2
            } else {
                &mut self.space_3
            };
            *spaces |= if space { bit } else { 0 };
            let wides = if length == 4 {
                &mut self.wide_4
            } else {
                &mut self.wide
            };
            *wides |= if wide { bit } else { 0 };
            self.han |= if is_han(character) { bit } else { 0 };
        }
        Some(self)
    }
}

/// The character of `length` bytes at `at`.
fn decoded(chunk: &[u8; SEEN], at: usize, length: usize) -> Option<char> {
    let text = std::str::from_utf8(chunk.get(at..at + length)?).ok()?;
    text.chars().next()
}

#[inline]
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn load<const AT: usize>(chunk: &[u8; SEEN]) -> __m256i {
    const { assert!(AT + 32 <= SEEN) };
    // SAFETY: the 32 bytes from `AT` on are in the array; the load needs no alignment.
    unsafe { _mm256_loadu_si256(chunk.as_ptr().add(AT).cast()) }
}

#[inline]
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn look_up(table: [i8; 16], digits: __m256i) -> __m256i {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = table;
    let table = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p,
    ));
    _mm256_shuffle_epi8(table, digits)
}

#[inline]
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn space_mask(bytes: __m256i) -> u32 {
    mask(_mm256_cmpeq_epi8(look_up(SPACES, bytes), bytes))
}

#[inline]
#[target_feature(enable = "avx2,popcnt,bmi1")]
fn mask(bytes: __m256i) -> u32 {
    _mm256_movemask_epi8(bytes).cast_unsigned()
}

#[inline]
fn join(low: u32, high: u32) -> u64 {
    u64::from(low) | (u64::from(high) << 32)
}
