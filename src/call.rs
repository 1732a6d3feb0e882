//! `filewright call`: one tool, run from a shell.

use std::io::Write;
use std::time::Instant;

use anyhow::{Result, bail};
use serde_json::{Map, Value};

use crate::cli::CallArgs;
use crate::config::Config;
use crate::fs::{Roots, Stop, Watch, plain_words};
use crate::tools::{Context, Outcome};

/// Runs the tool. The text goes to `output`, notices and errors to `notices`. True if it could be
/// done; the error is for wrong usage.
pub(crate) fn call(
    args: &CallArgs,
    config: Config,
    mut output: impl Write,
    mut notices: impl Write,
) -> Result<bool> {
    let arguments = arguments(args)?;
    let specs = config.toolbox.specs();
    if !specs.iter().any(|it| it.name == args.tool) {
        let known: Vec<&str> = specs.iter().map(|it| it.name).collect();
        bail!(
            "there is no tool {}; the tools are {}",
            args.tool,
            known.join(", ")
        );
    }
    let roots = Roots::open(config.roots, config.home, config.deny);
    let stop = Stop::at(Instant::now() + config.call_timeout);
    let watch = Watch::new(&stop, None);
    let context = Context {
        roots: &roots,
        settings: config.settings,
        watch: &watch,
    };
    let raw = serde_json::value::to_raw_value(&arguments)?;
    let outcome = match config.toolbox.call(&args.tool, Some(&raw), &context) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_)) => Outcome::failed(format!("{} ran out of time", args.tool)),
        Err(refused) => bail!("{}", refused.0),
    };
    for notice in &outcome.notices {
        // Nobody may read stderr, and that is no reason to fail.
        let _ = writeln!(notices, "{notice}");
    }
    let written = output.write_all(outcome.content.as_bytes());
    match written.and_then(|()| output.flush()) {
        // A reader that has seen enough, such as head, is content.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let _ = writeln!(notices, "filewright: cannot write: {}", plain_words(&error));
            Ok(false)
        }
        _ => Ok(!outcome.is_error),
    }
}

/// Puts `--json` and the NAME=VALUE pairs together; values are typed by the tool's own schema.
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
