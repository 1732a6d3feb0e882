//! What a tool says, and the one place where notices and text are joined.

use serde_json::{Map, Value};

use super::schema;
use crate::words::clipped;

/// What a tool says of one call.
#[derive(Debug, Default)]
pub(crate) struct Output {
    /// Notices before the text, without their brackets.
    pub(super) before: Vec<String>,
    pub(super) text: String,
    /// Notices after the text: how to go on.
    pub(super) after: Vec<String>,
    /// A JSON object; then the text is that object, and notices are its `notes`.
    pub(super) structured: Option<Map<String, Value>>,
}

/// The answer to a call, ready for a client.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Notices and text, joined.
    pub(crate) text: String,
    pub(crate) structured: Option<Value>,
    pub(crate) is_error: bool,
    /// The same in its parts, for a shell: what goes to stdout, and what to stderr.
    pub(crate) content: String,
    pub(crate) notices: Vec<String>,
}

impl Output {
    /// Adds a notice about arguments that mean nothing here.
    pub(super) fn ignoring(mut self, ignored: &[String], schema: &Map<String, Value>) -> Output {
        if !ignored.is_empty() {
            let known: Vec<&str> = schema::properties(schema)
                .keys()
                .map(String::as_str)
                .collect();
            let ignored: Vec<_> = ignored.iter().map(|it| clipped(it, 60)).collect();
            let ignored = clipped(&ignored.join(", "), 300).into_owned();
            let known = known.join(", ");
            self.before
                .insert(0, format!("ignored: {ignored}; the arguments are {known}"));
        }
        self
    }

    pub(super) fn render(self) -> Outcome {
        if let Some(structured) = self.structured {
            return render_structured(structured, self.before);
        }
        let bracketed = |notice: &String| format!("[{notice}]");
        let before: Vec<String> = self.before.iter().map(bracketed).collect();
        let after: Vec<String> = self.after.iter().map(bracketed).collect();
        let mut joined = before
            .iter()
            .map(|it| format!("{it}\n"))
            .collect::<String>();
        joined += &self.text;
        if !after.is_empty() {
            if !joined.ends_with('\n') {
                joined.push('\n');
            }
            joined += &after.join("\n");
        }
        Outcome {
            text: joined,
            structured: None,
            is_error: false,
            content: self.text,
            notices: before.into_iter().chain(after).collect(),
        }
    }
}

fn render_structured(mut object: Map<String, Value>, notes: Vec<String>) -> Outcome {
    if !notes.is_empty() {
        object.insert("notes".to_owned(), notes.into());
    }
    let structured = Value::Object(object);
    let text = structured.to_string();
    Outcome {
        content: format!("{text}\n"),
        text,
        structured: Some(structured),
        is_error: false,
        notices: Vec::new(),
    }
}

impl Outcome {
    /// The call could not be done; `text` says why and what to do.
    pub(crate) fn failed(text: String) -> Outcome {
        Outcome {
            notices: vec![text.clone()],
            text,
            structured: None,
            is_error: true,
            content: String::new(),
        }
    }
}
