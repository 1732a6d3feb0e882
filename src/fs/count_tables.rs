//! What the characters of three bytes are, by the four hexadecimal digits of their code points.
//!
//! A row below is a set of code points: those whose digits are each in the row's set for that place.
//! Eight rows make four tables of sixteen bytes, one a digit; in the AND of the four entries that a
//! code point's digits choose, bit `n` says whether it is in row `n`.

/// One bit for every hexadecimal digit from `low` to `high`.
const fn digits(low: u32, high: u32) -> u16 {
    let upto_high = (1_u32 << (high + 1)) - 1;
    let below_low = (1_u32 << low) - 1;
    (upto_high & !below_low) as u16
}

const ANY: u16 = digits(0, 15);

const fn one(digit: u32) -> u16 {
    digits(digit, digit)
}

/// Turns up to eight sets of digits into one table: bit `n` of entry `d` says that set `n` has `d`.
const fn table(terms: &[[u16; 4]; 8], digit: usize) -> [i8; 16] {
    let mut table = [0_u8; 16];
    let mut entry = 0;
    while entry < 16 {
        let mut term = 0;
        while term < 8 {
            let has = (terms[term][digit] >> entry) & 1;
            table[entry] |= (has as u8) << term;
            term += 1;
        }
        entry += 1;
    }
    let mut signed = [0_i8; 16];
    let mut at = 0;
    while at < 16 {
        signed[at] = table[at] as i8;
        at += 1;
    }
    signed
}

const fn tables(terms: &[[u16; 4]; 8]) -> [[i8; 16]; 4] {
    [
        table(terms, 0),
        table(terms, 1),
        table(terms, 2),
        table(terms, 3),
    ]
}

/// By the first two digits; bit by bit.
pub(super) const PAGES: [[i8; 16]; 4] = tables(&[
    // All Han but the extensions; the hexagrams 4DC0 to 4DFF are sorted out as odd.
    [digits(4, 9), ANY, ANY, ANY],
    // 30xx: kana and punctuation.
    [one(3), one(0), ANY, ANY],
    // FFxx: full-width and half-width forms.
    [one(15), one(15), ANY, ANY],
    // Extension A, compatibility Han, bopomofo, vertical forms; some pages more than that.
    [one(3) | one(15), one(1) | digits(4, 14), ANY, ANY],
    // Radicals 2E80 to 2FFF, and the end of 3xxx.
    [one(2) | one(3), digits(14, 15), ANY, ANY],
    // The space 1680 and the hexagrams.
    [one(1) | one(4), one(6) | one(13), ANY, ANY],
    // Longer than need be, or half of a surrogate pair: not valid.
    [one(0), digits(0, 7), ANY, ANY],
    [one(13), digits(8, 15), ANY, ANY],
]);
pub(super) const HAN: i8 = 0x01;
pub(super) const WIDE_PAGE: i8 = 0x07;
pub(super) const ODD_PAGE: i8 = 0xF8_u8 as i8;

/// By all four digits; bit by bit.
pub(super) const PLACES: [[i8; 16]; 4] = tables(&[
    // 2028, 2029, 202F, 205F are spaces.
    [one(2), one(0), one(2) | one(5), digits(8, 9) | one(15)],
    // 3005 to 3007 are Han.
    [one(3), one(0), one(0), digits(5, 7)],
    // The Hangzhou numerals.
    [one(3), one(0), digits(2, 3), digits(1, 11)],
    // FFxx that are not wide.
    [one(15), one(15), digits(10, 13) | one(15), ANY],
    [one(15), one(15), one(14), digits(7, 15)],
    [one(15), one(15), one(0), one(0)],
    // 2000 to 200A are spaces.
    [one(2), one(0), one(0), digits(0, 10)],
    // 3000 is a space. The highest bit, so that it can be taken as a mask at once.
    [one(3), one(0), one(0), one(0)],
]);
pub(super) const HAN_PLACE: i8 = 0x02;
pub(super) const NARROW_PLACE: i8 = 0xB8_u8 as i8;
pub(super) const ODD_PLACE: i8 = 0x45;

/// White space, by the second digit; any other byte differs from its entry.
pub(super) const SPACES: [i8; 16] = [0x20, 0, 0, 0, 0, 0, 0, 0, 0, 9, 10, 11, 12, 13, 0, 0];
