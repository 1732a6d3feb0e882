//! Cyrillic text that the detector takes for Hebrew, for a language with Latin letters, or for Ukrainian.

use encoding_rs::{Encoding, ISO_8859_8, ISO_8859_8_I, KOI8_R, KOI8_U, WINDOWS_1251, WINDOWS_1255};

/// KOI8-R has lines for tables where KOI8-U has the letters of Ukrainian; the detector knows the latter only.
fn is_without_ukrainian(guess: &'static Encoding, sample: &[u8]) -> bool {
    const UKRAINIAN: &[u8] = b"\xA4\xA6\xA7\xAD\xB4\xB6\xB7\xBD";
    let is_letter = |it: Option<&u8>| it.is_some_and(|it| *it >= 0xC0);
    let in_words = sample.iter().enumerate().any(|(at, it)| {
        let before = at.checked_sub(1).and_then(|it| sample.get(it));
        UKRAINIAN.contains(it) && (is_letter(before) || is_letter(sample.get(at + 1)))
    });
    // The words for "and" and "is" have one letter.
    let are_words = sample.windows(5).any(|it| {
        let is_word = matches!(it[1..4], [b' ', 0xA4 | 0xA6, b' ' | b'\n']);
        is_word && is_letter(it.first()) && is_letter(it.last())
    });
    guess == KOI8_U && !in_words && !are_words
}

/// The guess, or another encoding for Cyrillic where the guess makes words that cannot be.
///
/// `is_latin` says that the guess is for Latin letters.
pub(super) fn mended(guess: &'static Encoding, is_latin: bool, sample: &[u8]) -> &'static Encoding {
    if is_without_ukrainian(guess, sample) {
        return KOI8_R;
    }
    let is_hebrew = [WINDOWS_1255, ISO_8859_8, ISO_8859_8_I].contains(&guess);
    if !is_hebrew && !is_latin || !is_mostly_small(sample) {
        return guess;
    }
    let text = guess.decode_without_bom_handling(sample).0;
    let is_wrong = if is_hebrew {
        has_final_inside(&text)
    } else {
        has_no_latin_words(&text)
    };
    if is_wrong { WINDOWS_1251 } else { guess }
}

/// Whether most of what is not ASCII would be small letters in windows-1251.
fn is_mostly_small(sample: &[u8]) -> bool {
    let small = sample.iter().filter(|it| **it >= 0xE0).count();
    let high = sample.iter().filter(|it| !it.is_ascii()).count();
    small * 2 > high
}

/// Five Hebrew letters have a form for the end of a word, and it is nowhere else.
fn has_final_inside(text: &str) -> bool {
    let is_hebrew = |it: char| ('\u{5d0}'..='\u{5ea}').contains(&it);
    let is_final = |it: char| {
        matches!(
            it,
            '\u{5da}' | '\u{5dd}' | '\u{5df}' | '\u{5e3}' | '\u{5e5}'
        )
    };
    text.chars()
        .zip(text.chars().skip(1))
        .any(|(it, next)| is_final(it) && is_hebrew(next))
}

/// Whether letters with accents are never beside letters without, and three stand together somewhere.
fn has_no_latin_words(text: &str) -> bool {
    let words = text.split(|it: char| !it.is_alphabetic());
    let mut longest = 0;
    for word in words.filter(|it| !it.is_ascii()) {
        if word.contains(|it: char| it.is_ascii()) {
            return false;
        }
        longest = longest.max(word.chars().count());
    }
    longest >= 3
}

#[cfg(test)]
mod tests {
    use encoding_rs::WINDOWS_1252;

    use super::*;

    #[track_caller]
    fn check(guess: &'static Encoding, is_latin: bool, raw: &[u8], expected: &'static Encoding) {
        assert_eq!(mended(guess, is_latin, raw), expected);
    }

    #[test]
    fn words_of_another_script_are_no_words() {
        let russian = WINDOWS_1251
            .encode("то же, что и -l --time-style, проверку адресов")
            .0;
        check(WINDOWS_1252, true, &russian, WINDOWS_1251);
        check(WINDOWS_1255, false, &russian, WINDOWS_1251);
    }

    #[test]
    fn ukrainian_letters_are_in_words() {
        let ukrainian = KOI8_U.encode("додати адресу її сім'ї").0;
        check(KOI8_U, false, &ukrainian, KOI8_U);
        let russian = KOI8_R.encode("244 164 A4 ╓ рамка").0;
        check(KOI8_U, false, &russian, KOI8_R);
    }

    #[test]
    fn words_that_can_be_are_left_alone() {
        let french = WINDOWS_1252.encode("l'été à Besançon, où créée").0;
        check(WINDOWS_1252, true, &french, WINDOWS_1252);
        let hebrew = WINDOWS_1255.encode("שלום עולם, כאן ספרים רבים").0;
        check(WINDOWS_1255, false, &hebrew, WINDOWS_1255);
    }
}
