//! `filewright call`: one tool, run from a shell.

mod list;

use std::io::Write;
use std::time::Instant;

use anyhow::{Result, bail};
use serde_json::{Map, Value};

use crate::cli::CallArgs;
use crate::config::Config;
use crate::fs::{Roots, Stop, Watch, plain_words};
use crate::tools::{Context, Outcome, Toolbox};
use crate::words::did_you_mean;

/// Runs the tool. The text goes to `output`, notices and errors to `notices`. True if it could be
/// done; the error is for wrong usage.
pub(crate) fn call(
    args: &CallArgs,
    config: Config,
    output: impl Write,
    mut notices: impl Write,
) -> Result<bool> {
    let tool = args.tool.as_deref().unwrap_or_default();
    check_tool(args, &config.toolbox)?;
    if args.list {
        let text = list::tools(&config.toolbox, args.tool.as_deref());
        return Ok(write(&text, output, notices));
    }
    let arguments = arguments(args)?;
    check_names(tool, &arguments, &config.toolbox)?;
    let roots = Roots::open(config.roots, config.home, config.deny);
    let stop = Stop::at(Instant::now() + config.call_timeout);
    let watch = Watch::new(&stop, None);
    let context = Context {
        roots: &roots,
        settings: config.settings,
        watch: &watch,
    };
    let raw = serde_json::value::to_raw_value(&arguments)?;
    let outcome = match config.toolbox.call(tool, Some(&raw), &context) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_)) => Outcome::failed(format!("{tool} ran out of time")),
        Err(refused) => bail!("{}", refused.0),
    };
    for notice in &outcome.notices {
        // Nobody may read stderr, and that is no reason to fail.
        let _ = writeln!(notices, "{notice}");
    }
    Ok(write(&outcome.content, output, notices) && !outcome.is_error)
}

/// Writes everything. A reader that has seen enough, such as head, is content.
fn write(text: &str, mut output: impl Write, mut notices: impl Write) -> bool {
    let written = output.write_all(text.as_bytes());
    match written.and_then(|()| output.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let _ = writeln!(notices, "filewright: cannot write: {}", plain_words(&error));
            false
        }
        _ => true,
    }
}

fn check_tool(args: &CallArgs, toolbox: &Toolbox) -> Result<()> {
    let Some(tool) = &args.tool else {
        return Ok(());
    };
    let specs = toolbox.specs();
    let mut known = specs.iter().map(|it| it.name);
    if known.any(|it| it == tool) {
        return Ok(());
    }
    let known: Vec<&str> = specs.iter().map(|it| it.name).collect();
    let hint = did_you_mean(tool, known.iter().copied());
    bail!(
        "there is no tool {tool}; the tools are {}{hint}",
        known.join(", ")
    )
}

/// A model's slip must not fail a call; a person at a shell would rather know of it.
fn check_names(tool: &str, arguments: &Map<String, Value>, toolbox: &Toolbox) -> Result<()> {
    let known = toolbox.argument_names(tool).unwrap_or_default();
    let unknown = arguments.keys().find(|it| !known.contains(&it.as_str()));
    let Some(unknown) = unknown else {
        return Ok(());
    };
    let hint = did_you_mean(unknown, known.iter().copied());
    bail!("{tool} has no argument {unknown}; filewright call {tool} --list shows them{hint}")
}

/// Puts `--json` and the NAME=VALUE pairs together. The tool's own schema says what type a value is
/// of.
fn arguments(args: &CallArgs) -> Result<Map<String, Value>> {
    let mut arguments = match &args.json {
        None => Map::new(),
        Some(json) => match serde_json::from_str(json) {
            Ok(Value::Object(object)) => object,
            Ok(_) => bail!("--json: the value must be a JSON object"),
            Err(error) => bail!("--json: {error}"),
        },
    };
    for pair in &args.arguments {
        let Some((name, value)) = pair.split_once('=') else {
            bail!("{pair} is not NAME=VALUE; for example path={pair}");
        };
        arguments.insert(name.to_owned(), value.into());
    }
    Ok(arguments)
}
