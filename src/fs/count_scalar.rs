//! What counts as a word and as Han, and the plain counter that the fast ones are held to.

/// Han characters, by ranges rather than by a Unicode version, with 々〆〇 and the Hangzhou numerals.
pub(super) fn is_han(character: char) -> bool {
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
pub(super) fn is_wide(character: char) -> bool {
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

/// The figures `[chars, cjk, words, lines]` of a whole text, one character after the other.
#[cfg(test)]
pub(super) fn reference(text: &str, ends_at_cr: bool) -> [u64; 4] {
    let [mut chars, mut cjk, mut words, mut lines] = [0; 4];
    let mut in_word = false;
    let mut previous = None;
    for character in text.chars() {
        chars += 1;
        if is_wide(character) {
            words += 1;
            cjk += u64::from(is_han(character));
            in_word = false;
        } else {
            let is_space = character.is_whitespace();
            words += u64::from(!is_space && !in_word);
            in_word = !is_space;
        }
        lines += u64::from(match character {
            '\n' => !(ends_at_cr && previous == Some('\r')),
            '\r' => ends_at_cr,
            _ => false,
        });
        previous = Some(character);
    }
    let is_open = match previous {
        None | Some('\n') => false,
        Some('\r') => !ends_at_cr,
        Some(_) => true,
    };
    [chars, cjk, words, lines + u64::from(is_open)]
}
