//! `filewright check --watch`: keeps a server running, and tells what happens to it.

use std::io::Write;
use std::time::Duration;

use anyhow::Result;

use super::launching;
use crate::cli::CheckArgs;
use crate::client::{Event, Keeper, end_servers_on_signals};
use crate::log::clock;
use crate::words::plural;

/// Different ones that are told.
const MOST_ODDITIES: usize = 100;

const INTERVAL: Duration = Duration::from_secs(30);

/// Runs until it is interrupted, or nobody reads any more. One line an event.
pub(crate) fn watch(args: &CheckArgs, mut output: impl Write) -> Result<()> {
    let interval = args.every.as_deref().map(launching::seconds).transpose()?;
    let keeper = Keeper {
        launch: launching::launch(args)?,
        limits: launching::patient_limits(args)?,
        interval: interval.unwrap_or(INTERVAL),
    };
    end_servers_on_signals();
    let mut told_oddities = Vec::new();
    let mut beats = 0_u64;
    keeper.run(|event| {
        let line = match &event {
            // Of the heartbeats that are as they should be one line in ten is enough.
            Event::Heartbeat => {
                beats += 1;
                if beats % 10 != 1 {
                    return true;
                }
                format!("alive: {}", plural(beats, "heartbeat"))
            }
            // What a server always does need be said only once.
            Event::Odd(oddity) => {
                let text = oddity.to_string();
                if told_oddities.contains(&text) {
                    return true;
                }
                told_oddities.push(text.clone());
                told_oddities.truncate(MOST_ODDITIES);
                format!("on stdout: {text}")
            }
            other => told(other),
        };
        let time = clock();
        writeln!(output, "{time}  {line}")
            .and_then(|()| output.flush())
            .is_ok()
    });
    Ok(())
}

fn told(event: &Event) -> String {
    match event {
        Event::CannotStart(error) => format!("cannot start: {error}"),
        Event::Started { process } => format!("started, process {process}"),
        Event::Ready { greeting, tools } => {
            let (name, version) = (&greeting.server["name"], &greeting.server["version"]);
            let word = |it: &serde_json::Value| it.as_str().unwrap_or("?").to_owned();
            format!(
                "ready after {:.0} ms: {} {}, revision {}, {}",
                greeting.took.as_secs_f64() * 1000.0,
                word(name),
                word(version),
                greeting.version,
                plural(*tools as u64, "tool"),
            )
        }
        Event::NotReady(reason) => format!("no session: {reason}"),
        Event::ToolsChanged {
            added,
            removed,
            changed,
        } => {
            let parts = [("added", added), ("removed", removed), ("changed", changed)];
            let parts = parts.iter().filter(|(_, names)| !names.is_empty());
            let parts = parts.map(|(what, names)| format!("{what} {}", names.join(", ")));
            format!(
                "the tools are others: {}",
                parts.collect::<Vec<_>>().join("; ")
            )
        }
        Event::Heartbeat => "alive".to_owned(),
        Event::Missed(count) => format!("no answer to {}", plural(u64::from(*count), "heartbeat")),
        Event::Hangs => "it hangs, and is killed".to_owned(),
        Event::Odd(oddity) => oddity.to_string(),
        Event::Died(death) => death.to_string(),
        Event::Pause(time) => format!("starting again in {} s", time.as_secs_f64()),
    }
}
