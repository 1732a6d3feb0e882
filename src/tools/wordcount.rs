//! `wordcount`: characters, words, lines and bytes of a text file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::ToolError;
use super::output::Output;
use super::{Context, Tool, arguments, schema, text};
use crate::fs;
use crate::words::grouped;

pub(super) const TOOL: Tool = Tool {
    name: "wordcount",
    title: "Count words",
    description: "Count characters, words, lines and bytes of a text file in any encoding (wc). A \
                  Chinese or Japanese character is one word, as in word processors; cjk counts Han.",
    returns_pages: false,
    input: schema::of::<Args>,
    output: Some(schema::of_result::<Report>),
    aliases: &[],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct Args {
    /// File to count, absolute or relative to a root.
    path: String,
    /// Encoding of the file, if detection is wrong.
    encoding: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Report {
    /// The path as given.
    path: String,
    /// Unicode characters, line ends counted.
    chars: u64,
    /// Han characters.
    cjk: u64,
    /// Words.
    words: u64,
    /// Lines, an unterminated last one counted.
    lines: u64,
    /// Bytes read.
    bytes: u64,
    /// The encoding that the file was read in.
    encoding: String,
    /// True when the time ran out before the end of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    partial: Option<bool>,
    /// Byte sequences that stand for no character.
    #[serde(skip_serializing_if = "Option::is_none")]
    invalid_sequences: Option<u64>,
    /// What else there is to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<Vec<String>>,
}

fn run(context: &Context<'_>, arguments: Map<String, Value>) -> Result<Output, ToolError> {
    let args: Args = arguments::typed(arguments)?;
    let requested = text::requested(args.encoding.as_deref())?;
    let file = text::open(context, &args.path, requested)?;
    let counts = fs::count(&file, context.watch).map_err(ToolError::file(&args.path))?;
    let mut notes = Vec::new();
    if file.evidence.is_guess() {
        let name = file.charset.name();
        let weak = match file.evidence {
            fs::Evidence::WeakGuess => " from few bytes; if it is wrong, pass encoding",
            _ => "",
        };
        notes.push(format!("the encoding {name} is a guess{weak}"));
    }
    if counts.is_partial {
        let of_all = match file.size {
            0 => String::new(),
            size => format!(" of {}", grouped(size)),
        };
        notes.push(format!(
            "out of time: counted the first {}{of_all} bytes",
            grouped(counts.bytes)
        ));
    }
    let report = Report {
        path: args.path,
        chars: counts.chars,
        cjk: counts.cjk,
        words: counts.words,
        lines: counts.lines,
        bytes: counts.bytes,
        encoding: file.charset.name(),
        partial: counts.is_partial.then_some(true),
        invalid_sequences: (counts.invalid_sequences > 0).then_some(counts.invalid_sequences),
        notes: None,
    };
    let object = match serde_json::to_value(report) {
        Ok(Value::Object(object)) => object,
        _ => Map::new(),
    };
    Ok(Output {
        structured: Some(object),
        before: notes,
        ..Output::default()
    })
}
