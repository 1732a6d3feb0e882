//! What the text of a path says, before any file system is asked. Plain functions over text.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use super::Error;

/// A path as given, split into what decides where to look.
#[derive(Debug, PartialEq)]
pub(crate) struct Given {
    pub(crate) path: PathBuf,
    /// It ends in a slash, so only a directory will do.
    pub(crate) wants_directory: bool,
}

/// Understands `file://` URIs and a leading `~`; refuses NUL.
pub(crate) fn parse(text: &str, home: Option<&Path>) -> Result<Given, Error> {
    if text.contains('\0') {
        return Err(Error::Nul);
    }
    let text = from_uri(text)?;
    #[cfg(windows)]
    if super::windows_path::trap(&text).is_some() {
        return Err(Error::ReservedName);
    }
    let path = match (text.as_ref(), home) {
        ("~", Some(home)) => home.to_owned(),
        (text, Some(home)) if text.starts_with("~/") => home.join(&text[2..]),
        (text, _) => PathBuf::from(text),
    };
    let wants_directory = text.ends_with(std::path::is_separator);
    Ok(Given {
        path,
        wants_directory,
    })
}

/// The path in a `file://` URI (RFC 8089), percent-decoded; any other text as it is.
fn from_uri(text: &str) -> Result<Cow<'_, str>, Error> {
    let Some((scheme, rest)) = text.split_once("://") else {
        return Ok(Cow::Borrowed(text));
    };
    if scheme.is_empty()
        || !scheme
            .bytes()
            .all(|it| it.is_ascii_alphanumeric() || it == b'+')
    {
        return Ok(Cow::Borrowed(text));
    }
    if !scheme.eq_ignore_ascii_case("file") {
        return Err(Error::NotAFileUri);
    }
    let path = match rest.find('/') {
        Some(0) => rest,
        Some(slash) if rest[..slash].eq_ignore_ascii_case("localhost") => &rest[slash..],
        _ => return Err(Error::NotAFileUri),
    };
    let path = percent_decoded(path).ok_or(Error::NotAFileUri)?;
    if path.contains('\0') {
        return Err(Error::Nul);
    }
    // `file:///C:/x` names `C:/x`.
    let drive = path.as_bytes();
    let has_drive = drive.len() >= 3 && drive[1].is_ascii_alphabetic() && drive[2] == b':';
    Ok(Cow::Owned(if has_drive {
        path[1..].to_owned()
    } else {
        path
    }))
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &tail[2..];
    }
    String::from_utf8(bytes).ok()
}

/// Resolves `.` and `..` by text alone. Good enough to find which root a path speaks of, never to
/// decide what is opened.
pub(crate) fn lexically_clean(path: &Path) -> Cow<'_, Path> {
    let text = path.as_os_str().as_encoded_bytes();
    let is_clean = !text
        .windows(2)
        .any(|it| matches!(it, b".." | b"./" | b"//" | b".\\"))
        && !text.ends_with(b"/")
        && text != b".";
    if is_clean {
        return Cow::Borrowed(path);
    }
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    Cow::Owned(clean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let given = parse(text, Some(Path::new("/home/me"))).unwrap();
        assert_eq!(given.path, Path::new(expected), "{text}");
    }

    #[test]
    fn file_uris_are_decoded_and_plain_paths_never() {
        check("file:///a/x%20y.txt", "/a/x y.txt");
        check("file://localhost/a", "/a");
        check("x%20y.txt", "x%20y.txt");
        check("file:///C:/x", "C:/x");
        for text in ["https://e.org/a", "file://other/a", "file:///a%zz"] {
            assert!(
                matches!(parse(text, None), Err(Error::NotAFileUri)),
                "{text}"
            );
        }
    }

    #[test]
    fn a_leading_tilde_is_the_home_directory() {
        check("~", "/home/me");
        check("~/h.txt", "/home/me/h.txt");
        check("~Mine/m.txt", "~Mine/m.txt");
        check("a/~", "a/~");
    }

    #[test]
    fn nul_is_refused_however_it_is_written() {
        assert!(matches!(parse("a\0b", None), Err(Error::Nul)));
        assert!(matches!(parse("file:///a%00b", None), Err(Error::Nul)));
    }

    #[test]
    fn a_trailing_slash_wants_a_directory() {
        assert!(parse("a/", None).unwrap().wants_directory);
        assert!(!parse("a", None).unwrap().wants_directory);
    }
}
