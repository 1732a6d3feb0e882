//! What path text means on Windows: plain functions over text, tested on every system.
//!
//! Drive letters, UNC, verbatim prefixes, reserved names and streams, after Microsoft's "Naming
//! Files, Paths, and Namespaces".

use std::borrow::Cow;

/// Why a path is never opened on Windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trap {
    /// `CON`, `NUL`, `COM1.txt`: names that open a device in every directory.
    ReservedName,
    /// `a.txt:stream`: another stream of the same file, hidden from listings.
    Stream,
    /// `\\.\` and `\\?\GLOBALROOT`: the name space of devices.
    Device,
}

/// The same path spelled one way: back slashes, an upper-case drive letter with its root, and no
/// verbatim prefix.
pub(super) fn normalised(path: &str) -> String {
    let path = path.replace('/', "\\");
    let path = match strip_prefix_ignoring_case(&path, r"\\?\UNC\") {
        Some(rest) => format!(r"\\{rest}"),
        None => path.strip_prefix(r"\\?\").unwrap_or(&path).to_owned(),
    };
    let mut text = match path.as_bytes() {
        [letter, b':', ..] if letter.is_ascii_alphabetic() => {
            let drive = char::from(letter.to_ascii_uppercase());
            let rest = path[2..].trim_start_matches('\\');
            // `C:` alone means "where drive C was last", which is nobody's intent here.
            format!(r"{drive}:\{rest}")
        }
        _ => path,
    };
    while text.ends_with('\\') && text.len() > 3 && !text.ends_with(r":\") {
        text.pop();
    }
    text
}

/// What is left of `path` below `root`, compared by components and without regard to case.
pub(super) fn below<'a>(path: &'a str, root: &str) -> Option<&'a str> {
    let root = root.trim_end_matches('\\');
    let mut end = 0;
    let mut wanted = root.chars().flat_map(char::to_lowercase);
    let mut characters = path.char_indices();
    while let Some(expected) = wanted.next() {
        let (at, character) = characters.next()?;
        let mut lower = character.to_lowercase();
        if lower.next() != Some(expected) || lower.any(|it| wanted.next() != Some(it)) {
            return None;
        }
        end = at + character.len_utf8();
    }
    match path.as_bytes().get(end) {
        None => Some(""),
        Some(b'\\') => Some(path[end..].trim_start_matches('\\')),
        Some(_) => None,
    }
}

/// Whether opening this path would reach something else than a file of that name.
pub(super) fn trap(path: &str) -> Option<Trap> {
    let path = path.replace('/', "\\");
    let is_device =
        path.starts_with(r"\\.\") || strip_prefix_ignoring_case(&path, r"\\?\GLOBALROOT").is_some();
    if is_device {
        return Some(Trap::Device);
    }
    let path = normalised(&path);
    let names = match path.as_bytes() {
        [_, b':', ..] => &path[2..],
        _ => path.as_str(),
    };
    if names.contains(':') {
        return Some(Trap::Stream);
    }
    names
        .split('\\')
        .any(is_reserved)
        .then_some(Trap::ReservedName)
}

/// Device names are reserved with any extension and any number of spaces or dots after them.
fn is_reserved(name: &str) -> bool {
    let stem = name
        .split('.')
        .next()
        .unwrap_or_default()
        .trim_end()
        .to_ascii_uppercase();
    match stem.as_str() {
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" => true,
        _ => {
            let number = stem
                .strip_prefix("COM")
                .or_else(|| stem.strip_prefix("LPT"));
            let mut digits = number.unwrap_or_default().chars();
            let digit = digits.next();
            digits.next().is_none()
                && digit.is_some_and(|it| matches!(it, '1'..='9' | '\u{B9}' | '\u{B2}' | '\u{B3}'))
        }
    }
}

/// The Windows path that a Unix-like shell on Windows spells `/c/x` or `/mnt/c/x`.
pub(super) fn from_shell(path: &str) -> Option<String> {
    let rest = path
        .strip_prefix("/mnt/")
        .or_else(|| path.strip_prefix('/'))?;
    let (drive, rest) = rest.split_once('/').unwrap_or((rest, ""));
    let is_drive = drive.len() == 1 && drive.as_bytes()[0].is_ascii_alphabetic();
    is_drive.then(|| normalised(&format!("{drive}:/{rest}")))
}

/// A path whose back slashes JSON took for escapes, or that were doubled, as it was meant.
pub(super) fn repaired(path: &str) -> Option<String> {
    let mut text = Cow::Borrowed(path);
    for (taken, meant) in [
        ('\t', r"\t"),
        ('\n', r"\n"),
        ('\r', r"\r"),
        ('\u{8}', r"\b"),
        ('\u{C}', r"\f"),
    ] {
        if text.contains(taken) {
            text = Cow::Owned(text.replace(taken, meant));
        }
    }
    // Two at the start are a network name.
    let (head, rest) = text.split_at(text.len().min(2));
    if rest.contains(r"\\") {
        text = Cow::Owned(format!("{head}{}", rest.replace(r"\\", r"\")));
    }
    (text != path).then(|| text.into_owned())
}

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix)
        .then(|| &text[prefix.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_path_has_one_spelling() {
        for (path, expected) in [
            (r"c:\Work\a.txt", r"C:\Work\a.txt"),
            ("C:/Work/a.txt", r"C:\Work\a.txt"),
            (r"\\?\C:\Work", r"C:\Work"),
            (r"\\?\UNC\server\share\x", r"\\server\share\x"),
            (r"\\?\unc\server\share", r"\\server\share"),
            ("C:", r"C:\"),
            (r"C:\", r"C:\"),
            (r"C:\Work\", r"C:\Work"),
            ("//server/share/", r"\\server\share"),
        ] {
            assert_eq!(normalised(path), expected, "{path}");
        }
    }

    #[test]
    fn a_root_holds_what_is_below_it_by_components_and_in_any_case() {
        let below = |path: &str, root| below(path, root).map(str::to_owned);
        let some = |it: &str| Some(it.to_owned());
        assert_eq!(below(r"C:\work\A.TXT", r"C:\Work"), some("A.TXT"));
        assert_eq!(below(r"C:\Work", r"C:\Work"), some(""));
        assert_eq!(below(r"C:\Work-old\a", r"C:\Work"), None);
        assert_eq!(below(r"D:\Work\a", r"C:\Work"), None);
        assert_eq!(below(r"C:\x\y", r"C:\"), some(r"x\y"));
        assert_eq!(below(r"\\SERVER\Share\a", r"\\server\share"), some("a"));
        assert_eq!(below("C:\\\u{c4}rger\\a", "C:\\\u{e4}RGER"), some("a"));
    }

    #[test]
    fn names_that_open_something_else_are_traps() {
        for path in [
            "CON",
            r"C:\Work\nul.txt",
            "aux",
            "com1",
            "LPT9.log",
            "con .txt",
            r"a\PRN\b",
        ] {
            assert_eq!(trap(path), Some(Trap::ReservedName), "{path}");
        }
        for path in ["a.txt:stream", r"C:\a.txt::$DATA", "a:b"] {
            let expected = if path == "a:b" {
                None
            } else {
                Some(Trap::Stream)
            };
            assert_eq!(trap(path), expected, "{path}");
        }
        for path in [r"\\.\PhysicalDrive0", r"\\?\GLOBALROOT\Device", "//./COM1"] {
            assert_eq!(trap(path), Some(Trap::Device), "{path}");
        }
        for path in [
            r"C:\Work\a.txt",
            "console.txt",
            "com10",
            "COM",
            "a.",
            r"\\?\C:\x",
            "nul-safe",
        ] {
            assert_eq!(trap(path), None, "{path}");
        }
    }

    #[test]
    fn shells_and_json_spell_paths_their_own_way() {
        assert_eq!(from_shell("/c/Users/me").as_deref(), Some(r"C:\Users\me"));
        assert_eq!(from_shell("/mnt/d/x").as_deref(), Some(r"D:\x"));
        assert_eq!(from_shell("/c").as_deref(), Some(r"C:\"));
        assert_eq!(from_shell("/home/me"), None);
        assert_eq!(
            repaired("C:\temp\new.txt").as_deref(),
            Some(r"C:\temp\new.txt")
        );
        assert_eq!(repaired(r"C:\\temp\\a").as_deref(), Some(r"C:\temp\a"));
        assert_eq!(repaired(r"\\server\share"), None);
        assert_eq!(repaired(r"C:\a"), None);
    }
}
