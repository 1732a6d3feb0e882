//! Request ids: echoed as they were written, compared by what they mean.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde_json::value::RawValue;

/// The id of a request: a string, or an integer of any size.
#[derive(Clone, Debug)]
pub(crate) struct Id {
    /// The JSON text as it was sent; echoed byte for byte.
    text: Arc<str>,
    /// The text to compare by, where it differs: escapes undone, `-0` as `0`.
    meaning: Option<Arc<str>>,
}

impl Id {
    /// Nothing when the value is neither a string nor an integer, or a string with a lone surrogate.
    pub(crate) fn from_raw(value: &RawValue) -> Option<Id> {
        Id::from_text(value.get())
    }

    pub(crate) fn from_text(text: &str) -> Option<Id> {
        let meaning = match text.as_bytes().first()? {
            b'"' if text.contains('\\') => {
                let decoded: Cow<'_, str> = serde_json::from_str(text).ok()?;
                Some(Arc::from(format!("\"{decoded}\"")))
            }
            b'"' => None,
            b'-' | b'0'..=b'9' => {
                let digits = text.strip_prefix('-').unwrap_or(text);
                if digits.is_empty() || !digits.bytes().all(|it| it.is_ascii_digit()) {
                    return None;
                }
                (text == "-0").then(|| Arc::from("0"))
            }
            _ => return None,
        };
        Some(Id {
            text: Arc::from(text),
            meaning,
        })
    }

    /// The JSON text of the id, as it was sent.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    fn meaning(&self) -> &str {
        self.meaning.as_deref().unwrap_or(&self.text)
    }
}

impl PartialEq for Id {
    fn eq(&self, other: &Id) -> bool {
        self.meaning() == other.meaning()
    }
}

impl Eq for Id {}

impl Hash for Id {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.meaning().hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_strings_and_integers_of_any_size() {
        for text in ["0", "-7", "18446744073709551616", "\"\"", "\"\\u00fc\""] {
            assert_eq!(Id::from_text(text).unwrap().text(), text);
        }
        for text in ["1.0", "1e3", "null", "true", "{}", "[]", "\"\\ud800\"", "-"] {
            assert!(Id::from_text(text).is_none(), "{text}");
        }
    }

    #[test]
    fn ids_are_compared_by_meaning_and_type() {
        let id = |text| Id::from_text(text).unwrap();
        assert_eq!(id(r#""\u0061""#), id(r#""a""#));
        assert_eq!(id("-0"), id("0"));
        assert_ne!(id("7"), id(r#""7""#));
    }
}
