//! Small matters of wording that all layers share: numbers, plurals, and values too long to repeat.

use std::borrow::Cow;

/// A value as it may be repeated in a message: its beginning, if it is longer than this many
/// characters.
pub(crate) fn clipped(text: &str, limit: usize) -> Cow<'_, str> {
    match text.char_indices().nth(limit) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

/// A text from elsewhere as it may stand on a terminal: on one line, and without escape sequences.
pub(crate) fn on_one_line(text: &str) -> String {
    let escaped = |it: char| match it.is_control() {
        true => it.escape_default().collect::<String>(),
        false => it.to_string(),
    };
    text.chars().map(escaped).collect()
}

/// The known name that is most like this one; nothing where none comes close.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const CLOSE: f64 = 0.7;
    let likeness = |it: &str| strsim::jaro_winkler(&name.to_lowercase(), &it.to_lowercase());
    let close = known.into_iter().map(|it| (likeness(it), it));
    let nearest = close.max_by(|one, other| one.0.total_cmp(&other.0));
    nearest
        .filter(|(likeness, _)| *likeness >= CLOSE)
        .map(|(_, name)| name)
}

/// `; did you mean this?`, where there is something to mean.
pub(crate) fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map_or_else(String::new, |it| format!("; did you mean {it}?"))
}

/// `1 line`, `2 lines`, `1,000 entries`.
pub(crate) fn plural(count: u64, noun: &str) -> String {
    let count_text = grouped(count);
    match noun.strip_suffix('y') {
        _ if count == 1 => format!("{count_text} {noun}"),
        Some(stem) => format!("{count_text} {stem}ies"),
        None => format!("{count_text} {noun}s"),
    }
}

/// A number with commas between its thousands.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn a_slip_finds_the_name_that_was_meant() {
        let known = ["read_file", "read_lines", "wordcount"];
        assert_eq!(nearest("raed_file", known), Some("read_file"));
        assert_eq!(nearest("WordCount", known), Some("wordcount"));
        assert_eq!(nearest("zzz", known), None);
        assert_eq!(did_you_mean("zzz", known), "");
    }

    #[test]
    fn nouns_follow_their_number() {
        assert_eq!(plural(1, "entry"), "1 entry");
        assert_eq!(plural(2_000, "entry"), "2,000 entries");
        assert_eq!(plural(0, "line"), "0 lines");
    }

    #[test]
    fn a_long_value_is_cut_between_characters() {
        assert_eq!(clipped("\u{4e2d}\u{6587}", 2), "\u{4e2d}\u{6587}");
        assert_eq!(clipped("\u{4e2d}\u{6587}", 1), "\u{4e2d}…");
    }
}
