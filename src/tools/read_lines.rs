//! `read_lines`: some lines of a text file, with their numbers.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::arguments::{self, Alias, named};
use super::error::{ToolError, shown_path};
use super::output::Output;
use super::read_file::{nothing_at, seek};
use super::text;
use super::{Context, Tool, schema};
use crate::fs::{Error, LineReader, Seek, Stopped, TextFile};

pub(super) const TOOL: Tool = Tool {
    name: "read_lines",
    title: "Read lines",
    description: "Read a range of lines from a text file in any encoding, with line numbers (head, \
                  tail, sed -n). A negative start counts from the end: start=-20 is the last 20 \
                  lines. Very long lines are clipped. Files of any size.",
    returns_pages: true,
    input: schema::of::<Args>,
    output: None,
    aliases: &[
        named("offset", "start"),
        named("start_line", "start"),
        named("startLine", "start"),
        named("line", "start"),
        named("from", "start"),
        named("limit", "count"),
        named("lines", "count"),
        named("num_lines", "count"),
        last_line("end"),
        last_line("end_line"),
        last_line("endLine"),
        named("head", "count"),
        Alias {
            from: "tail",
            to: arguments::To::Computed(
                |value, given| {
                    let Some(count) = arguments::integer(value) else {
                        return false;
                    };
                    let count = count.saturating_abs();
                    given
                        .entry("start")
                        .or_insert(count.saturating_neg().into());
                    given.entry("count").or_insert(count.into());
                    true
                },
                arguments::WHOLE_NUMBER,
            ),
        },
    ],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct Args {
    /// File to read, absolute or relative to a root.
    path: String,
    /// First line, from 1; negative counts from the end.
    #[serde(default = "first")]
    start: i64,
    /// Lines to return at most.
    #[serde(default = "some")]
    #[schemars(range(min = 1))]
    count: u64,
    /// Put the line number and a tab before each line.
    #[serde(default = "yes")]
    numbers: bool,
    /// Encoding of the file, if detection is wrong.
    encoding: Option<String>,
}

fn first() -> i64 {
    1
}

fn some() -> u64 {
    200
}

fn yes() -> bool {
    true
}

/// The last line wanted, by one of its names.
const fn last_line(from: &'static str) -> Alias {
    let wanted = "a line at or after start, on the same side: from 1, or negative from the end; -1 is the last";
    Alias {
        from,
        to: arguments::To::Computed(count_to, wanted),
    }
}

fn count_to(value: &Value, given: &mut Map<String, Value>) -> bool {
    let start = given.get("start").map_or(Some(1), arguments::integer);
    let (Some(start), Some(end)) = (start, arguments::integer(value)) else {
        return false;
    };
    let count = match end.saturating_sub(start).saturating_add(1) {
        // From a line of the start to the very last one.
        _ if start > 0 && end == -1 => i64::MAX,
        _ if end == 0 || (start > 0) != (end > 0) => return false,
        count if count < 1 => return false,
        count => count,
    };
    given.entry("count").or_insert(count.into());
    true
}

fn run(context: &Context<'_>, arguments: Map<String, Value>) -> Result<Output, ToolError> {
    let args: Args = arguments::typed(arguments)?;
    if args.start == 0 {
        let wanted = "a line from 1, or a negative one to count from the end";
        return Err(ToolError::wrong("start", 0, wanted));
    }
    let about = ToolError::file(&args.path);
    let requested = text::requested(args.encoding.as_deref())?;
    let file = text::open(context, &args.path, requested)?;
    let mut output = Output::default();
    output.before.extend(text::encoding_notice(&file));
    match seek(context, args.start, &file).map_err(&about)? {
        Seek::PastEnd { lines } => output.text = nothing_at(args.start, lines),
        Seek::At { offset, line } => {
            let mut page = Lines::new(&args, line, context.settings.max_bytes);
            page.read(&file, offset, context).map_err(&about)?;
            if page.shown == 0 {
                // The line was there when it was looked for.
                let first = args.start;
                output.text = format!("(no line {first}: the file has just become shorter)\n");
            } else {
                page.into_output(&file, &mut output);
            }
        }
    }
    Ok(output)
}

/// The lines of one call, as they are gathered.
struct Lines<'a> {
    args: &'a Args,
    budget: usize,
    /// The number of the next line; negative from the end.
    number: i64,
    first: i64,
    text: String,
    shown: u64,
    clipped: u64,
    invalid: u64,
    escaped: u64,
    stop: Why,
}

/// Why no more lines were gathered.
#[derive(PartialEq)]
enum Why {
    End,
    Count,
    Budget,
    OutOfTime,
}

impl<'a> Lines<'a> {
    fn new(args: &'a Args, first: i64, budget: usize) -> Lines<'a> {
        Lines {
            args,
            budget,
            number: first,
            first,
            text: String::new(),
            shown: 0,
            clipped: 0,
            invalid: 0,
            escaped: 0,
            stop: Why::End,
        }
    }

    fn read(&mut self, file: &TextFile, offset: u64, context: &Context<'_>) -> Result<(), Error> {
        let mut reader = LineReader::new(file, offset);
        loop {
            let line = match reader.next(context.watch) {
                Err(Error::Stopped(Stopped::OutOfTime)) if self.shown > 0 => {
                    self.stop = Why::OutOfTime;
                    return Ok(());
                }
                line => line?,
            };
            let Some(line) = line else {
                return Ok(());
            };
            if self.shown == self.args.count {
                self.stop = Why::Count;
                return Ok(());
            }
            let before = self.text.len();
            self.push(&line.text);
            if let Some(rest) = line.rest {
                let encoding = text::encoding_argument(self.args.encoding.as_ref());
                // Writing into a String cannot fail.
                let _ = writeln!(
                    self.text,
                    "[line clipped. Its rest: read_file byte_offset={rest} limit=1{encoding}]"
                );
            }
            if self.text.len() > self.budget && self.shown > 0 {
                self.text.truncate(before);
                self.stop = Why::Budget;
                return Ok(());
            }
            self.clipped += u64::from(line.rest.is_some());
            self.invalid += line.invalid;
            self.escaped += line.escaped;
            self.shown += 1;
            self.number += 1;
        }
    }

    fn push(&mut self, line: &str) {
        if self.args.numbers {
            let _ = write!(self.text, "{:>6}\t", self.number);
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn into_output(self, file: &TextFile, output: &mut Output) {
        output
            .before
            .extend(text::damage_notices(self.invalid, self.escaped));
        let path = shown_path(&self.args.path);
        let next = self.number;
        let why = match self.stop {
            Why::End => None,
            Why::Count => Some("more follows".to_owned()),
            Why::Budget => Some("truncated: the result is full".to_owned()),
            Why::OutOfTime => Some("out of time".to_owned()),
        };
        if let Some(why) = why {
            let (first, last) = (self.first, next - 1);
            let size = text::size_words(file.size);
            output
                .before
                .push(format!("lines {first} to {last} of {path}, {size}"));
            let left = self.args.count - self.shown;
            let count = if left == 0 { self.args.count } else { left };
            let numbers = if self.args.numbers {
                ""
            } else {
                " numbers=false"
            };
            let encoding = text::encoding_argument(self.args.encoding.as_ref());
            output.after.push(format!(
                "{why}. Continue: read_lines start={next} count={count}{numbers}{encoding}"
            ));
        }
        output.text = self.text;
    }
}
