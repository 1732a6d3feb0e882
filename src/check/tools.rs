//! The tools: their list, what hosts accept in it, and how calls fail.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::protocol::NO_TOOL;
use super::report::Found;
use super::subject::Subject;
use super::{Check, schema};
use crate::cli::LayerName;
use crate::rpc::answer::Outcome;
use crate::rpc::reply::code;
use crate::words::{clipped, grouped, plural};

/// A list that is longer fills the model's context before the first word is said.
const LARGE_LIST: usize = 32 * 1024;

/// Hosts put the server's name before it, and model APIs allow 64 in all.
const LONG_NAME: usize = 40;
const LONGEST_NAME: usize = 64;

/// What the protocol allows, with dots, since 2025-11-25.
const LONGEST_LEGAL: usize = 128;

/// Claude Code cuts descriptions at 2 KB.
const LONG_DESCRIPTION: usize = 2_000;

pub(super) static CHECKS: [Check; 9] = [
    Check {
        layer: LayerName::Tools,
        name: "list",
        sent: "tools/list, page by page",
        means: "without a list the model has no tools",
        remedy: "answer tools/list with {\"tools\": [...]}, and with nextCursor only while there is more",
        look: list,
    },
    Check {
        layer: LayerName::Tools,
        name: "names",
        sent: "the same",
        means: "model APIs take names of 1 to 64 letters, digits, _ and -; hosts put the server's name \
                before them",
        remedy: "rename the tool",
        look: names,
    },
    Check {
        layer: LayerName::Tools,
        name: "schemas",
        sent: "the same",
        means: "a schema that a model API refuses disables all tools, with an HTTP 400 for the whole chat",
        remedy: "inputSchema is an object with type, properties and required; give each array its items; \
                 keep to one plain type each",
        look: schemas,
    },
    Check {
        layer: LayerName::Tools,
        name: "descriptions",
        sent: "the same",
        means: "the model knows a tool by its description only, and hosts cut long ones",
        remedy: "say in the first sentence what the tool does, in a few hundred characters at most",
        look: descriptions,
    },
    Check {
        layer: LayerName::Tools,
        name: "annotations",
        sent: "the same",
        means: "without hints hosts take a tool for destructive, and ask before every call",
        remedy: "set readOnlyHint, destructiveHint, idempotentHint and openWorldHint as they are",
        look: annotations,
    },
    Check {
        layer: LayerName::Tools,
        name: "unknown-tool",
        sent: "a call of a tool that does not exist",
        means: "a tool that does not exist is the error -32602, so that the client knows it is at fault",
        remedy: "answer -32602 (invalid params) and name the tools that there are",
        look: unknown_tool,
    },
    Check {
        layer: LayerName::Tools,
        name: "failing-call",
        sent: "a call without the arguments that the tool requires",
        means: "a call that fails is a result with isError and a text: an error of the protocol is not \
                shown to the model by all hosts, and it cannot mend what it does not see",
        remedy: "return {\"isError\": true, \"content\": [{\"type\": \"text\", \"text\": what is wrong}]}",
        look: failing_call,
    },
    Check {
        layer: LayerName::Tools,
        name: "call",
        sent: "the call given by --call",
        means: "the tool itself fails, with these arguments",
        remedy: "read what it says, and its stderr",
        look: call,
    },
    Check {
        layer: LayerName::Tools,
        name: "clean-stdout",
        sent: "the calls above",
        means: "a tool writes something else than messages to stdout, where it stands between them",
        remedy: "send what tools and libraries print to stderr, or into the result",
        look: clean_stdout,
    },
];

fn list(subject: &mut Subject) -> Found {
    let mut tools = Vec::new();
    let mut bytes = 0;
    let offers_none = subject.declares_no_tools();
    let found = subject.with(|client, _| {
        let pages = client.tools()?;
        Ok(match pages {
            Ok(all) => {
                bytes = Value::from(all.clone()).to_string().len();
                tools = all;
                Found::pass("")
            }
            Err(_) if offers_none => Found::skip("it declares no tools, and lists none"),
            Err(reason) => Found::fail(reason),
        })
    });
    if !found.came.is_empty() {
        return found;
    }
    subject.tools = tools;
    let count = subject.tools.len() as u64;
    let text = format!("{}, {} bytes", plural(count, "tool"), grouped(bytes as u64));
    match count {
        0 => Found::note("no tools"),
        _ if bytes > LARGE_LIST => Found::note(text),
        _ => Found::pass(text),
    }
}

/// Judges each tool: what is wrong with it, and what may be.
fn each(subject: &Subject, judge: impl Fn(&str, &Value) -> (Vec<String>, Vec<String>)) -> Found {
    if subject.tools.is_empty() {
        return Found::skip("no tools were listed");
    }
    let mut faults = Vec::new();
    let mut doubts = Vec::new();
    for tool in &subject.tools {
        let name = tool["name"].as_str().unwrap_or("a tool without a name");
        let (these, those) = judge(name, tool);
        faults.extend(these.into_iter().map(|it| format!("{name}: {it}")));
        doubts.extend(those.into_iter().map(|it| format!("{name}: {it}")));
    }
    match (&faults[..], &doubts[..]) {
        ([], []) => Found::pass("nothing that a host refuses"),
        ([], doubts) => Found::note(summed(doubts)),
        (faults, _) => Found::fail(summed(faults)),
    }
}

/// The first few, and how many there are.
fn summed(all: &[String]) -> String {
    const SHOWN: usize = 3;
    let first = all[..all.len().min(SHOWN)].join("; ");
    match all.len().saturating_sub(SHOWN) {
        0 => first,
        more => format!("{first}; and {more} more"),
    }
}

fn names(subject: &mut Subject) -> Found {
    let known: Vec<&str> = subject
        .tools
        .iter()
        .filter_map(|it| it["name"].as_str())
        .collect();
    each(subject, |name, _| {
        if known.iter().filter(|it| **it == name).count() > 1 {
            return (vec!["two tools have this name".to_owned()], Vec::new());
        }
        let is_plain = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-');
        let is_legal = |it: u8| is_plain(it) || it == b'.';
        if name.is_empty() || name.len() > LONGEST_LEGAL || !name.bytes().all(is_legal) {
            let wanted = format!("not 1 to {LONGEST_LEGAL} letters, digits, _, - and .");
            (vec![wanted], Vec::new())
        } else if name.len() > LONGEST_NAME || !name.bytes().all(is_plain) {
            let wanted = format!("model APIs take 1 to {LONGEST_NAME} letters, digits, _ and -");
            (Vec::new(), vec![wanted])
        } else if name.len() > LONG_NAME {
            let long = format!(
                "{} characters, before the server's name is added",
                name.len()
            );
            (Vec::new(), vec![long])
        } else {
            (Vec::new(), Vec::new())
        }
    })
}

fn schemas(subject: &mut Subject) -> Found {
    each(subject, |_, tool| {
        (schema::faults(tool), schema::doubts(tool))
    })
}

fn descriptions(subject: &mut Subject) -> Found {
    each(subject, |_, tool| {
        let doubt = match tool["description"].as_str().map(|it| it.chars().count()) {
            None | Some(0) => Some("none".to_owned()),
            Some(length) if length > LONG_DESCRIPTION => Some(format!("{length} characters")),
            Some(_) => None,
        };
        (Vec::new(), doubt.into_iter().collect())
    })
}

fn annotations(subject: &mut Subject) -> Found {
    each(subject, |_, tool| {
        let has_hints = tool["annotations"]["readOnlyHint"].is_boolean();
        let doubt = (!has_hints).then(|| "no readOnlyHint".to_owned());
        (Vec::new(), doubt.into_iter().collect())
    })
}

fn unknown_tool(subject: &mut Subject) -> Found {
    if subject.tools.is_empty() && subject.declares_no_tools() {
        return Found::skip("it declares no tools");
    }
    subject.with(|client, _| {
        let params = json!({"name": NO_TOOL, "arguments": {}});
        Ok(match client.request("tools/call", params)? {
            Outcome::Error { code, .. } if code == i64::from(code::INVALID_PARAMS) => {
                Found::pass(code.to_string())
            }
            Outcome::Error { code, message } => Found::note(format!("{code} {message}")),
            Outcome::Result(result) if result["isError"] == true => {
                Found::note(format!("a result with isError: {}", text(&result)))
            }
            Outcome::Result(result) => Found::fail(format!("a result: {}", text(&result))),
        })
    })
}

fn failing_call(subject: &mut Subject) -> Found {
    // Only a tool that says that it changes nothing, and that cannot run without arguments.
    let fits = |tool: &&Value| {
        let required = tool["inputSchema"]["required"].as_array();
        let reads = tool["annotations"]["readOnlyHint"] == true;
        required.is_some_and(|it| !it.is_empty()) && reads
    };
    let tool = subject.tools.iter().find(fits);
    let Some(name) = tool.and_then(|it| it["name"].as_str()).map(str::to_owned) else {
        return Found::skip("no tool says that it only reads, and requires an argument");
    };
    subject.with(|client, _| {
        let params = json!({"name": name, "arguments": {}});
        Ok(match client.request("tools/call", params)? {
            Outcome::Result(result) if result["isError"] == true => match text(&result) {
                text if text.is_empty() => Found::fail(format!("{name}: isError without a text")),
                text => Found::pass(format!("{name}: {text}")),
            },
            Outcome::Result(result) => {
                let text = text(&result);
                Found::note(format!(
                    "{name}: no isError, although an argument is missing: {text}"
                ))
            }
            Outcome::Error { code, message } => Found::note(format!("{name}: {code} {message}")),
        })
    })
}

fn call(subject: &mut Subject) -> Found {
    let Some((tool, arguments)) = subject.call.clone() else {
        return Found::skip("no --call was given");
    };
    // Made once: it may do something that should not be done twice.
    if let Some((outcome, took)) = subject.called.take() {
        return match outcome {
            Ok(outcome) => judged(&outcome, took),
            Err(failure) => Found::fail(failure.to_string()),
        };
    }
    subject.with(|client, _| {
        let begun = Instant::now();
        let params = json!({"name": tool, "arguments": arguments});
        let outcome = client.request("tools/call", params)?;
        Ok(judged(&outcome, begun.elapsed()))
    })
}

fn judged(outcome: &Outcome, took: Duration) -> Found {
    let took = took.as_secs_f64() * 1000.0;
    match outcome {
        Outcome::Result(result) if !result["content"].is_array() => {
            Found::fail(format!("a result without content, after {took:.0} ms"))
        }
        Outcome::Result(result) if !all_typed(&result["content"]) => {
            let content = result["content"].to_string();
            Found::fail(format!(
                "content without a type: {}",
                clipped(&content, 100)
            ))
        }
        Outcome::Result(result) if result["isError"] != true => {
            Found::pass(format!("after {took:.0} ms: {}", text(result)))
        }
        Outcome::Result(result) => Found::fail(format!("isError: {}", text(result))),
        Outcome::Error { code, message } => Found::fail(format!("{code} {message}")),
    }
}

/// Official clients refuse a result in which a piece of content does not say what it is.
fn all_typed(content: &Value) -> bool {
    let all = content.as_array();
    all.is_some_and(|it| it.iter().all(|it| it["type"].is_string()))
}

fn clean_stdout(subject: &mut Subject) -> Found {
    subject.untold_noise()
}

/// The beginning of a result's text, on one line.
fn text(result: &Value) -> String {
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    clipped(&text.replace(['\n', '\r'], " "), 100).into_owned()
}
