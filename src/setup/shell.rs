//! A command as it is typed into the user's shell.

use super::surroundings::System;

/// Shells that take the same quoting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shell {
    /// sh, bash, zsh, fish; bash on Windows too.
    Posix,
    /// PowerShell and cmd, where both understand the same.
    Windows,
}

impl Shell {
    /// The shell in use: on Windows only those that come from elsewhere set SHELL.
    pub(super) fn of(system: System, variable: Option<&str>) -> Shell {
        match (system, variable) {
            (System::Windows, None) => Shell::Windows,
            _ => Shell::Posix,
        }
    }

    pub(super) fn command<'a>(self, words: impl IntoIterator<Item = &'a str>) -> String {
        let words = words.into_iter().map(|it| self.word(it));
        let line = words.collect::<Vec<_>>().join(" ");
        // PowerShell would print a program's quoted path instead of starting it.
        match self {
            Shell::Windows if line.starts_with(['"', '\'']) => format!("& {line}"),
            _ => line,
        }
    }

    fn word(self, word: &str) -> String {
        let is_plain = |it: char| it.is_alphanumeric() || "_-./:,+@=".contains(it);
        match self {
            // PowerShell keeps a bare -- for itself.
            Shell::Windows if word == "--" => "\"--\"".to_owned(),
            _ if word.is_empty() => "''".to_owned(),
            Shell::Posix if word.chars().all(is_plain) => word.to_owned(),
            Shell::Posix => posix(word),
            // A comma makes a list in PowerShell.
            Shell::Windows
                if word
                    .chars()
                    .all(|it| (is_plain(it) && !",@".contains(it)) || it == '\\') =>
            {
                word.to_owned()
            }
            Shell::Windows => windows(word),
        }
    }
}

/// Quotes and backslashes stand outside the single quotes: fish has its own idea of them inside.
fn posix(word: &str) -> String {
    let mut quoted = String::new();
    let mut is_open = false;
    for character in word.chars() {
        let goes_inside = !matches!(character, '\'' | '\\');
        if goes_inside != is_open {
            quoted.push('\'');
            is_open = goes_inside;
        }
        if !goes_inside {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    if is_open {
        quoted.push('\'');
    }
    quoted
}

/// Double quotes mean the same to PowerShell and cmd as long as nothing inside is special to
/// either. Otherwise single quotes, for PowerShell alone.
fn windows(word: &str) -> String {
    if word.contains(['"', '$', '`', '%', '\u{201c}', '\u{201d}', '\u{201e}']) {
        // A program's own parsing takes a double quote only with a backslash before it.
        let escaped = word.replace('"', "\\\"").replace('\'', "''");
        return format!("'{escaped}'");
    }
    // A backslash before the closing quote would take its meaning away.
    let end = if word.ends_with('\\') { "\\" } else { "" };
    format!("\"{word}{end}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_the_shells_of_windows() {
        let words = [
            ("--", "\"--\""),
            ("", "''"),
            (r"C:\Tools\filewright.exe", r"C:\Tools\filewright.exe"),
            (r"C:\My Files", r#""C:\My Files""#),
            (r"C:\文档", r"C:\文档"),
            (r"C:\a & b\", r#""C:\a & b\\""#),
            (r"C:\it's", r#""C:\it's""#),
            (r"C:\$cash 'x'", r"'C:\$cash ''x'''"),
            ("a,b", "\"a,b\""),
            (r#"{"a":1}"#, r#"'{\"a\":1}'"#),
        ];
        for (word, expected) in words {
            assert_eq!(Shell::Windows.word(word), expected, "{word}");
        }
    }

    #[test]
    fn a_quoted_program_is_called_in_powershell() {
        let words = [r"C:\My Tools\fw.exe", "setup"];
        let line = Shell::Windows.command(words);
        assert_eq!(line, r#"& "C:\My Tools\fw.exe" setup"#);
        assert_eq!(Shell::Posix.command(["/my fw", "setup"]), "'/my fw' setup");
    }

    #[test]
    fn quotes_and_backslashes_stand_outside_for_fish() {
        assert_eq!(Shell::Posix.word(r"it's a \"), r"'it'\''s a '\\");
        assert_eq!(Shell::Posix.word("--"), "--");
        assert_eq!(Shell::Posix.word("/笔记/a.txt"), "/笔记/a.txt");
    }

    #[test]
    fn bash_on_windows_says_so() {
        assert_eq!(
            Shell::of(System::Windows, Some("/usr/bin/bash")),
            Shell::Posix
        );
        assert_eq!(Shell::of(System::Windows, None), Shell::Windows);
    }
}
