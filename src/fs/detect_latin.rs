//! Which of the encodings for Latin letters a text is in: one in which its words can be words of a language.
//!
//! They differ in a few letters only, and a short text has few of those. But a letter between two that
//! no language has together, or a sign in the middle of a word, tells that an encoding is not the one.

use std::borrow::Cow;

use encoding_rs::{
    Encoding, ISO_8859_2, ISO_8859_4, ISO_8859_10, ISO_8859_13, ISO_8859_15, ISO_8859_16,
    WINDOWS_1250, WINDOWS_1252, WINDOWS_1254, WINDOWS_1257,
};

/// The letters of a language that are not ASCII, and those of them that are words by themselves.
type Alphabet = (&'static str, &'static str);

const WESTERN: &[Alphabet] = &[
    ("àâæçéèêëîïôœùûüÿ", "àô"),
    ("äöüß", ""),
    ("áéíóúüñ", "áó"),
    ("áâãàçéêíóôõúü", "àéóô"),
    ("àéèìíîòóùú", "èé"),
    ("àçéèíïóòúü", ""),
    ("åäöé", "åö"),
    ("æøåéóôòê", "åæø"),
    ("éëïöüèêáóúí", ""),
];

/// Its letters are the bytes of the Turkish ones, so it is believed where the detector says it only.
const ICELANDIC: &[Alphabet] = &[("áéíóúýþæöð", "á")];

const CENTRAL: &[Alphabet] = &[
    ("ąćęłńóśźż", ""),
    ("áčďéěíňóřšťúůýž", ""),
    ("áäčďéíĺľňóôŕšťúýž", ""),
    ("áéíóöőúüű", "őé"),
    ("ăâîşţ", ""),
    ("čćđšž", ""),
    ("äöüß", ""),
];

const TURKISH: &[Alphabet] = &[("âçğıîöşüû\u{307}", "")];
const BALTIC: &[Alphabet] = &[
    ("āčēģīķļņšūž", ""),
    ("ąčęėįšųūž", ""),
    ("äõöšüž", ""),
    ("ąćęłńóśźż", ""),
];

/// The encodings that are tried, the commoner ones first.
const CANDIDATES: [(&Encoding, &[Alphabet]); 5] = [
    (WINDOWS_1252, WESTERN),
    (WINDOWS_1250, CENTRAL),
    (ISO_8859_2, CENTRAL),
    (WINDOWS_1254, TURKISH),
    (WINDOWS_1257, BALTIC),
];

/// The guess, or another encoding for Latin letters where only that one makes sense of the text.
pub(super) fn mended(guess: &'static Encoding, sample: &[u8]) -> &'static Encoding {
    let Some(alphabets) = alphabets(guess) else {
        return guess;
    };
    let is_icelandic = guess == WINDOWS_1252 && fits(guess, ICELANDIC, sample);
    if is_icelandic || fits(guess, alphabets, sample) {
        return guess;
    }
    let better = CANDIDATES
        .into_iter()
        .find(|(encoding, alphabets)| fits(encoding, alphabets, sample));
    better.map_or(guess, |(encoding, _)| encoding)
}

/// Whether a text has as good as nothing but ASCII in it, and would be German, French or the like.
pub(super) fn is_western(sample: &[u8]) -> bool {
    fits(WINDOWS_1252, WESTERN, sample)
}

pub(super) fn is_latin(encoding: &'static Encoding) -> bool {
    alphabets(encoding).is_some()
}

/// The languages of an encoding for Latin letters.
fn alphabets(encoding: &'static Encoding) -> Option<&'static [Alphabet]> {
    let known = CANDIDATES.into_iter().find(|(it, _)| *it == encoding);
    let others: [(&'static Encoding, &'static [Alphabet]); 5] = [
        (ISO_8859_4, BALTIC),
        (ISO_8859_10, BALTIC),
        (ISO_8859_13, BALTIC),
        (ISO_8859_15, WESTERN),
        (ISO_8859_16, CENTRAL),
    ];
    let known = known.or_else(|| others.into_iter().find(|(it, _)| *it == encoding));
    known.map(|(_, alphabets)| alphabets)
}

/// Whether there is a language that could have all of this.
fn fits(encoding: &'static Encoding, alphabets: &[Alphabet], sample: &[u8]) -> bool {
    let text: Cow<'_, str> = encoding.decode_without_bom_handling(sample).0;
    let signs_fit =
        neighbours(&text).all(|(before, it, after)| is_letter(it) || is_sign(before, it, after));
    signs_fit && alphabets.iter().any(|it| is_written_in(&text, *it))
}

/// Every character that is not ASCII, with what stands before and after it, other signs passed over.
fn neighbours(text: &str) -> impl Iterator<Item = (char, char, char)> {
    let counts = |it: &char| it.is_ascii() || is_letter(*it) || joins(*it);
    text.char_indices()
        .filter(|(_, it)| !it.is_ascii())
        .map(move |(at, it)| {
            let before = text[..at].chars().rev().find(counts);
            let after = text[at + it.len_utf8()..].chars().find(counts);
            (before.unwrap_or(' '), it, after.unwrap_or(' '))
        })
}

/// Signs that stand in the middle of a word: an apostrophe, a soft hyphen, the Catalan dot.
fn joins(it: char) -> bool {
    matches!(it, '\u{2019}' | '\u{ad}' | '\u{b7}')
}

/// Ordinal signs are letters to Unicode, and none here.
fn is_letter(it: char) -> bool {
    it.is_alphabetic() && !matches!(it, 'ª' | 'º')
}

/// A sign where signs are: not in the middle of a word, but for what does stand there.
fn is_sign(before: char, it: char, after: char) -> bool {
    !it.is_control() && (joins(it) || !is_letter(before) || !is_letter(after))
}

fn is_written_in(text: &str, (letters, words): Alphabet) -> bool {
    neighbours(text)
        .filter(|(_, it, _)| is_letter(*it))
        .all(|(before, it, after)| {
            let is_word = !is_letter(before) && !is_letter(after);
            let allowed = if is_word { words } else { letters };
            // The capital of the Turkish i has a dot of its own when it is made small.
            it.to_lowercase()
                .all(|it| it.is_ascii() || allowed.contains(it))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(guess: &'static Encoding, encoding: &'static Encoding, text: &str) {
        let (raw, _, lost) = encoding.encode(text);
        assert!(!lost, "{text}");
        assert_eq!(mended(guess, &raw), encoding, "{text}");
    }

    #[test]
    fn what_stands_alone_is_no_letter_of_central_europe() {
        check(
            ISO_8859_2,
            WINDOWS_1252,
            "utiliser les notations « ^ » et « M- »",
        );
        check(WINDOWS_1250, WINDOWS_1252, "de la chaîne à la fin");
    }

    #[test]
    fn letters_that_no_language_has_together_are_others() {
        check(ISO_8859_2, WINDOWS_1250, "książka, którą załadowano");
        check(WINDOWS_1254, WINDOWS_1250, "się książkę");
    }

    #[test]
    fn a_guess_that_makes_sense_is_kept() {
        check(ISO_8859_2, ISO_8859_2, "książka, którą załadowano");
        check(WINDOWS_1250, WINDOWS_1250, "příliš žluťoučký kůň");
        check(WINDOWS_1254, WINDOWS_1254, "Değişiklik zamanı İstanbul");
        check(
            WINDOWS_1252,
            WINDOWS_1252,
            "l\u{2019}été à Besançon coûte 3 €",
        );
    }
}
