//! What can still be read of a damaged message: its id, and whether it is a request at all.

use serde::de::IgnoredAny;

use super::Id;

/// What a tolerant look at the top level of a damaged message found.
#[derive(Debug, Default)]
pub(crate) struct Remains {
    /// The one complete top-level `id`, if there is exactly one.
    pub(crate) id: Option<Id>,
    pub(crate) has_method: bool,
    /// It has a `result` or an `error`, as answers have.
    pub(crate) has_outcome: bool,
}

/// Looks at the members of the outermost object, whatever else is wrong with the text.
pub(crate) fn remains(text: &[u8]) -> Remains {
    let mut found = Remains::default();
    let mut ids = 0;
    let mut depth = 0_usize;
    let mut position = 0;
    // A string at the top level is a member's name when it follows `{` or `,`.
    let mut name_expected = false;
    while let Some(&byte) = text.get(position) {
        match byte {
            b'{' | b'[' => {
                depth += 1;
                name_expected = depth == 1 && byte == b'{';
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' => name_expected = depth == 1,
            b'"' => {
                let Some(end) = string_end(text, position) else {
                    break;
                };
                let value = after_colon(text, end).filter(|_| name_expected && depth == 1);
                match (&text[position + 1..end - 1], value) {
                    (b"id", Some(value)) => {
                        ids += 1;
                        found.id = id_at(text, value);
                    }
                    (b"method", Some(_)) => found.has_method = true,
                    (b"result" | b"error", Some(_)) => found.has_outcome = true,
                    _ => {}
                }
                name_expected = false;
                position = end;
                continue;
            }
            _ => {}
        }
        position += 1;
    }
    if ids != 1 {
        found.id = None;
    }
    found
}

/// Just past the closing quote of the string that opens at `start`.
fn string_end(text: &[u8], start: usize) -> Option<usize> {
    let mut position = start + 1;
    loop {
        match text.get(position)? {
            b'"' => return Some(position + 1),
            b'\\' => position += 2,
            _ => position += 1,
        }
    }
}

fn after_colon(text: &[u8], from: usize) -> Option<usize> {
    let colon = skip_space(text, from);
    (text.get(colon) == Some(&b':')).then(|| skip_space(text, colon + 1))
}

fn skip_space(text: &[u8], from: usize) -> usize {
    let rest = &text[from.min(text.len())..];
    from + rest
        .iter()
        .take_while(|it| it.is_ascii_whitespace())
        .count()
}

/// The id that starts here, if it is whole: a cut number might have had more digits.
fn id_at(text: &[u8], start: usize) -> Option<Id> {
    let end = match text.get(start)? {
        b'"' => string_end(text, start)?,
        _ => {
            start
                + text[start..]
                    .iter()
                    .position(|it| b",} \t\r".contains(it))?
        }
    };
    let id = std::str::from_utf8(&text[start..end]).ok()?;
    // It is echoed as it stands, so it has to be JSON: `007` and raw control characters are not.
    serde_json::from_str::<IgnoredAny>(id).ok()?;
    Id::from_text(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let id = remains(text.as_bytes()).id;
        assert_eq!(id.as_ref().map(Id::text), expected, "{text}");
    }

    #[test]
    fn a_whole_top_level_id_is_recovered() {
        check(r#"{"jsonrpc":"2.0","id":5,"method":"#, Some("5"));
        check(r#"{"id" : "a\"b" , "params":{"x":"\q"}"#, Some(r#""a\"b""#));
        check(r#"{"params":{"id":1,"x":[{}]},"id":"z"}}}"#, Some("\"z\""));
    }

    #[test]
    fn anything_less_is_not() {
        check(r#"{"jsonrpc":"2.0","id":5"#, None);
        check(r#"{"params":{"id":5}"#, None);
        check(r#"{"id":1,"id":2"#, None);
        check(r#"{"x":"id","y":5"#, None);
        check(r#"{"id":1.5,"method":"#, None);
        check(r#"{"id":007,"method":"#, None);
        check(r#"{"id":-00,"method":"#, None);
        check("{\"id\":\"a\tb\",\"method\":", None);
        check("garbage", None);
    }
}
