//! `read_file`: the text of a file, verbatim, a page at a time.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::arguments::{self, Alias, named};
use super::error::{ToolError, shown_path};
use super::output::Output;
use super::text;
use super::{Context, Tool, schema};
use crate::fs::{self, Limits, Page, Position, Seek, TextFile};
use crate::words::{grouped, plural};

pub(super) const TOOL: Tool = Tool {
    name: "read_file",
    title: "Read file",
    description: "Read a text file in any encoding and return its text verbatim (cat, head, tail). \
                  Longer files come in pages of 64 KiB; a notice at the end gives the arguments \
                  that continue. encoding=\"hex\" gives a hex dump of any file.",
    returns_pages: true,
    input: schema::of::<Args>,
    output: None,
    aliases: &[
        named("start", "offset"),
        named("start_line", "offset"),
        named("startLine", "offset"),
        named("line", "offset"),
        named("count", "limit"),
        named("lines", "limit"),
        named("max_lines", "limit"),
        named("byteOffset", "byte_offset"),
        named("head", "limit"),
        Alias {
            from: "tail",
            to: arguments::To::Computed(
                |value, given| {
                    let Some(count) = arguments::integer(value) else {
                        return false;
                    };
                    let from_end = count.saturating_abs().saturating_neg();
                    given.entry("offset").or_insert(from_end.into());
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
    /// Line to start at, from 1; negative counts from the end.
    offset: Option<i64>,
    /// Lines to return at most.
    #[schemars(range(min = 1))]
    limit: Option<u64>,
    /// Byte to start at in the raw file, instead of offset.
    #[schemars(range(min = 0))]
    byte_offset: Option<u64>,
    /// Encoding, if detection is wrong (gb18030, shift_jis …), or hex.
    encoding: Option<String>,
}

fn run(context: &Context<'_>, arguments: Map<String, Value>) -> Result<Output, ToolError> {
    let args: Args = arguments::typed(arguments)?;
    if args.offset.is_some() && args.byte_offset.is_some() {
        let names = ["offset", "byte_offset"];
        return Err(ToolError::Together { names });
    }
    if args.offset == Some(0) {
        let wanted = "a line from 1, or a negative one to count from the end";
        return Err(ToolError::wrong("offset", 0, wanted));
    }
    if text::is_hex(args.encoding.as_deref()) {
        return hex(context, &args);
    }
    read_text(context, &args)
}

fn read_text(context: &Context<'_>, args: &Args) -> Result<Output, ToolError> {
    let requested = text::requested(args.encoding.as_deref())?;
    let about = ToolError::file(&args.path);
    let file = text::open(context, &args.path, requested)?;
    let mut output = Output::default();
    output.before.extend(text::encoding_notice(&file));
    let Some(from) = start(context, args, &file, &mut output)? else {
        return Ok(output);
    };
    let limits = Limits {
        bytes: context.settings.max_bytes,
        lines: args.limit,
    };
    let page = fs::read_page(&file, from, limits, context.watch).map_err(about)?;
    if page.text.is_empty() {
        output.text = no_byte(from.offset, file.size);
        return Ok(output);
    }
    output
        .before
        .extend(text::damage_notices(page.invalid, page.escaped));
    let is_whole = page.is_last && from.line == Some(1) && args.byte_offset.is_none();
    if !is_whole {
        output.before.push(shown(&args.path, &file, from, &page));
    }
    if !page.is_last {
        output.after.push(continuation(context, args, from, &page));
    }
    output.text = page.text;
    Ok(output)
}

/// Where to start reading; nothing when there is nothing there, which is then said.
fn start(
    context: &Context<'_>,
    args: &Args,
    file: &TextFile,
    output: &mut Output,
) -> Result<Option<Position>, ToolError> {
    let about = ToolError::file(&args.path);
    if let Some(wanted) = args.byte_offset {
        if wanted > 0 && wanted >= file.size && file.size > 0 {
            output.text = no_byte(wanted, file.size);
            return Ok(None);
        }
        let offset = file.floor(wanted, context.watch).map_err(about)?;
        if offset != wanted && wanted != 0 {
            output.before.push(format!(
                "byte_offset moved to {offset}, where a character starts"
            ));
        }
        return Ok(Some(Position { offset, line: None }));
    }
    match seek(context, args.offset.unwrap_or(1), file).map_err(about)? {
        Seek::At { offset, line } => Ok(Some(Position {
            offset,
            line: Some(line),
        })),
        Seek::PastEnd { lines } => {
            output.text = nothing_at(args.offset.unwrap_or(1), lines);
            Ok(None)
        }
    }
}

/// Finds a line, counting from 1 or, where negative, from the end.
pub(super) fn seek(context: &Context<'_>, line: i64, file: &TextFile) -> Result<Seek, fs::Error> {
    if line > 0 {
        file.seek_line(line.unsigned_abs(), context.watch)
    } else {
        file.seek_from_end(line.unsigned_abs(), context.watch)
    }
}

/// What stands for the text where a file has none from that line on.
pub(super) fn nothing_at(line: i64, lines: u64) -> String {
    if lines == 0 {
        "(empty file)\n".to_owned()
    } else {
        format!(
            "(no line {}: {})\n",
            grouped(line.unsigned_abs()),
            plural(lines, "line")
        )
    }
}

/// What stands for the text where a file has none from that byte on.
fn no_byte(offset: u64, size: u64) -> String {
    match (offset, size) {
        (0, _) => "(empty file)\n".to_owned(),
        (_, 0) => format!("(no byte {})\n", grouped(offset)),
        _ => format!("(no byte {}: {} bytes)\n", grouped(offset), grouped(size)),
    }
}

/// Says which part of how much is shown.
fn shown(path: &str, file: &TextFile, from: Position, page: &Page) -> String {
    let path = shown_path(path);
    let size = text::size_words(file.size);
    // Bytes after the last line end are one more line.
    let lines = page.lines + u64::from(page.is_open);
    let last_of = |first: i64| first.saturating_add_unsigned(lines.saturating_sub(1));
    match from.line {
        Some(first) => {
            let last = last_of(first);
            format!("lines {first} to {last} of {path}, {size}")
        }
        None => {
            let (start, end) = (grouped(from.offset), grouped(page.end));
            format!("bytes {start} to {end} of {path}, {size}")
        }
    }
}

/// The exact arguments that go on where this page ends.
fn continuation(context: &Context<'_>, args: &Args, from: Position, page: &Page) -> String {
    let left = args.limit.map(|it| it.saturating_sub(page.lines));
    let is_limited = left == Some(0);
    let why = match context.settings.max_bytes {
        _ if is_limited => "more follows".to_owned(),
        bytes if bytes.is_multiple_of(1024) => format!("truncated at {} KiB", bytes / 1024),
        bytes => format!("truncated at {} bytes", grouped(bytes as u64)),
    };
    // A page with a continuation is not the last one.
    let mid_line = if page.is_open { ", mid-line" } else { "" };
    let next_line = from.line.filter(|it| *it > 0 && !page.is_open);
    let place = match next_line {
        Some(line) => format!("offset={}", line.saturating_add_unsigned(page.lines)),
        None => format!("byte_offset={}", page.end),
    };
    let limit = match left {
        // The lines asked for are all here, so the next page may be as long.
        Some(0) => args.limit.map(|it| format!(" limit={it}")),
        left => left.map(|it| format!(" limit={it}")),
    };
    let encoding = text::encoding_argument(args.encoding.as_ref());
    format!(
        "{why}{mid_line}. Continue: read_file {place}{}{}",
        limit.unwrap_or_default(),
        encoding
    )
}

fn hex(context: &Context<'_>, args: &Args) -> Result<Output, ToolError> {
    let lines = [
        ("offset", args.offset),
        ("limit", args.limit.map(u64::cast_signed)),
    ];
    if let Some((name, Some(value))) = lines.into_iter().find(|(_, it)| it.is_some()) {
        let wanted = "no lines together with encoding=\"hex\"; pass byte_offset";
        return Err(ToolError::wrong(name, value, wanted));
    }
    let about = ToolError::file(&args.path);
    let opened = context
        .roots
        .open_file(&args.path, context.watch)
        .map_err(&about)?;
    let offset = args.byte_offset.unwrap_or(0);
    let dump = fs::hex_dump(&opened, offset, context.settings.max_bytes).map_err(&about)?;
    let mut output = Output::default();
    if dump.text.is_empty() {
        output.text = no_byte(offset, opened.size);
        return Ok(output);
    }
    let path = shown_path(&args.path);
    output.before.push(format!(
        "bytes {} to {} of {path}, {}",
        grouped(offset),
        grouped(dump.end),
        text::size_words(opened.size)
    ));
    if !dump.is_last {
        output.after.push(format!(
            "more follows. Continue: read_file byte_offset={} encoding=hex",
            dump.end
        ));
    }
    output.text = dump.text;
    Ok(output)
}
