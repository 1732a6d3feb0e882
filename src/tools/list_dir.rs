//! `list_dir`: what is in a directory.

use std::fmt::Write as _;
use std::time::SystemTime;

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::arguments::{self, Alias, named};
use super::error::{ToolError, shown_path};
use super::output::Output;
use super::{Context, Tool, schema};
use crate::fs::{self, Entry, EntryKind, Kind, LinkState, Listing, Order, RootState, Scope};
use crate::words::{grouped, plural};

/// How long a list of the roots waits for those that are still being opened; then it says which.
const ROOTS_WAIT: Duration = Duration::from_secs(1);

pub(super) const TOOL: Tool = Tool {
    name: "list_dir",
    title: "List directory",
    description: "List a directory (ls, tree, find): type, name and size, one a line, hidden \
                  too. depth goes deeper, obeying .gitignore; pattern is a glob. No path: the \
                  roots.",
    returns_pages: true,
    input: schema::of::<Args>,
    output: None,
    aliases: &[
        named("folder", "path"),
        named("glob", "pattern"),
        named("max_depth", "depth"),
        named("sort_by", "sort"),
        named("sortBy", "sort"),
        named("max_entries", "limit"),
        Alias {
            from: "recursive",
            to: arguments::To::Computed(
                |value, given| {
                    let recursive = arguments::boolean(value);
                    if recursive == Some(true) {
                        given.entry("depth").or_insert(50.into());
                    }
                    recursive.is_some()
                },
                "true or false",
            ),
        },
    ],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct Args {
    /// Directory, absolute or relative to a root.
    path: Option<String>,
    /// Levels to list.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    depth: usize,
    /// Glob; of paths, with a slash.
    pattern: Option<String>,
    /// Order.
    #[serde(default)]
    sort: Sort,
    /// Add time and mode.
    #[serde(default)]
    details: bool,
    /// Entries to skip.
    #[serde(default)]
    #[schemars(range(min = 0))]
    offset: usize,
    /// Entries at most.
    #[serde(default = "page")]
    #[schemars(range(min = 1, max = 1000))]
    limit: usize,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema, PartialEq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum Sort {
    #[default]
    Name,
    Size,
    Modified,
}

fn one() -> usize {
    1
}

fn page() -> usize {
    500
}

fn run(context: &Context<'_>, arguments: Map<String, Value>) -> Result<Output, ToolError> {
    let args: Args = arguments::typed(arguments)?;
    if args.path.is_none() {
        // Which directories are one and the same is known once they are open.
        context.roots.wait(ROOTS_WAIT);
    }
    let roots = context.roots.states();
    let path = match (&args.path, roots.as_slice()) {
        (Some(path), _) => path.clone(),
        (None, [_]) => ".".to_owned(),
        (None, []) => return Err(ToolError::directory(".")(fs::Error::NoRoots)),
        (None, several) => return Ok(list_roots(several)),
    };
    let scope = Scope {
        depth: args.depth,
        pattern: args.pattern.clone(),
        order: match args.sort {
            Sort::Name => Order::Name,
            Sort::Size => Order::Size,
            Sort::Modified => Order::Modified,
        },
        offset: args.offset,
        limit: args.limit,
    };
    let listing = fs::list(context.roots, &path, &scope, context.watch);
    let listing = listing.map_err(ToolError::directory(&path))?;
    Ok(show(&path, &args, &listing, context.settings.max_bytes))
}

fn list_roots(roots: &[(std::path::PathBuf, RootState)]) -> Output {
    let mut output = Output::default();
    for (given, state) in roots {
        // Writing into a String cannot fail.
        let _ = match state {
            RootState::Ready { path, is_file } => {
                let kind = if *is_file { "FILE" } else { "DIR " };
                writeln!(output.text, "{kind} {}", fs::escape_name(path.as_os_str()))
            }
            RootState::Opening => {
                writeln!(output.text, "DIR  {} (still being opened)", given.display())
            }
            RootState::Unusable(reason) => {
                writeln!(output.text, "DIR  {} ({reason})", given.display())
            }
        };
    }
    output
}

fn show(path: &str, args: &Args, listing: &Listing, budget: usize) -> Output {
    let mut output = Output::default();
    let mut shown = 0;
    for entry in &listing.entries {
        let line = line(entry, args.details);
        if output.text.len() + line.len() > budget && shown > 0 {
            break;
        }
        output.text.push_str(&line);
        shown += 1;
    }
    let (total, next) = (listing.total, args.offset + shown);
    if listing.left_out.ignored > 0 {
        let left_out = plural(listing.left_out.ignored as u64, "entry");
        output
            .before
            .push(format!("left out by .gitignore: {left_out}"));
    }
    let unentered: Vec<&str> = listing.left_out.unentered.iter().copied().collect();
    if !unentered.is_empty() {
        output.before.push(format!(
            "not entered: {}; to look inside, list it or name it in pattern",
            unentered.join(", ")
        ));
    }
    if total == 0 {
        output.text = match (&args.pattern, listing.left_out.ignored) {
            (None, 0) => "(empty directory)\n".to_owned(),
            (None, _) => "(nothing else)\n".to_owned(),
            (Some(pattern), _) => format!("(nothing matches {})\n", shown_path(pattern)),
        };
    } else if shown == 0 {
        let total = grouped(total as u64);
        output.text = format!(
            "(no entry {}: {total} entries)\n",
            grouped(args.offset as u64)
        );
    } else if next < total || args.offset > 0 {
        let (first, last, total) = (
            grouped(args.offset as u64),
            grouped(next as u64 - 1),
            grouped(total as u64),
        );
        let path = shown_path(path);
        output
            .before
            .push(format!("entries {first} to {last} of {total} in {path}"));
    }
    if shown > 0 && next < total {
        let rest = continued(args, next);
        output
            .after
            .push(format!("more follows. Continue: list_dir {rest}"));
    }
    output
}

/// The arguments that go on at `next`, with all that shaped this list.
fn continued(args: &Args, next: usize) -> String {
    let mut text = format!("offset={next}");
    if args.limit != page() {
        text += &format!(" limit={}", args.limit);
    }
    if args.depth > 1 {
        text += &format!(" depth={}", args.depth);
    }
    if let Some(pattern) = &args.pattern {
        text += &format!(" pattern={pattern}");
    }
    if args.sort != Sort::Name {
        let sort = serde_json::to_value(args.sort).unwrap_or_default();
        text += &format!(" sort={}", sort.as_str().unwrap_or_default());
    }
    if args.details {
        text += " details=true";
    }
    text
}

fn line(entry: &Entry, details: bool) -> String {
    let name = &entry.name;
    let size = entry
        .size
        .map(|it| format!("  {}", grouped(it)))
        .unwrap_or_default();
    let mut line = match &entry.kind {
        EntryKind::Directory => format!("DIR  {name}/"),
        EntryKind::Heavy(entries) => {
            format!(
                "DIR  {name}/ (not entered; {})",
                plural(*entries as u64, "entry")
            )
        }
        EntryKind::File => format!("FILE {name}{size}"),
        EntryKind::Link(target, LinkState::Fine) => format!("LINK {name} -> {target}"),
        EntryKind::Link(target, LinkState::Broken) => format!("LINK {name} -> {target} (broken)"),
        EntryKind::Link(target, LinkState::Outside) => format!("LINK {name} -> {target} (outside)"),
        EntryKind::Special(kind) => format!("{} {name}", special(*kind)),
        EntryKind::Unreadable(reason) => format!("??   {name} ({reason})"),
    };
    if entry.is_denied {
        line += " (denied)";
    }
    if details {
        let modified = entry.modified.map(time).unwrap_or_default();
        let mode = entry
            .mode
            .map(|it| format!("  {it:04o}"))
            .unwrap_or_default();
        line += &format!("  {modified}{mode}");
    }
    line.push('\n');
    line
}

fn special(kind: Kind) -> &'static str {
    match kind {
        Kind::Fifo => "FIFO",
        Kind::Socket => "SOCK",
        Kind::Device => "DEV ",
        Kind::Other => "????",
    }
}

/// RFC 3339, in whole seconds, UTC.
fn time(time: SystemTime) -> String {
    let timestamp = jiff::Timestamp::try_from(time).unwrap_or_default();
    timestamp.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
