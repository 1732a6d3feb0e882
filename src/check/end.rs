//! The end: the end of stdin ends the server, and nothing is left of it.

use std::time::Duration;

use super::Check;
use super::report::Found;
use super::subject::Subject;
use crate::cli::LayerName;
use crate::client::Ending;

/// Hosts wait about so long before they terminate.
const SLOW: Duration = Duration::from_secs(1);

pub(super) static CHECKS: [Check; 2] = [
    Check {
        layer: LayerName::End,
        name: "end-of-input",
        sent: "the end of stdin; then SIGTERM; then SIGKILL",
        means: "the end of stdin is the one sign that the host is gone: a server that ignores it stays \
                behind, one more for each session",
        remedy: "exit when stdin ends, whatever else runs",
        look: end_of_input,
    },
    Check {
        layer: LayerName::End,
        name: "orphans",
        sent: "nothing; its process group and its stdout are looked at",
        means: "processes that the server started outlive it",
        remedy: "end children before exiting; start the program itself, not a wrapper",
        look: orphans,
    },
];

fn end_of_input(subject: &mut Subject) -> Found {
    let mut ending = None;
    let found = subject.with(|client, _| {
        let how = client.end();
        ending = Some(how);
        Ok(match how {
            Ending::Before => Found::fail("it had ended before"),
            Ending::EndOfInput(took) => {
                let text = format!("it ended after {:.0} ms", took.as_secs_f64() * 1000.0);
                if took > SLOW {
                    Found::note(text)
                } else {
                    Found::pass(text)
                }
            }
            Ending::Terminated => Found::fail("only SIGTERM ended it"),
            Ending::Killed => Found::fail("it had to be killed"),
        })
    });
    subject.ending = ending;
    found
}

fn orphans(subject: &mut Subject) -> Found {
    if cfg!(not(unix)) {
        return Found::skip("this system has no process groups");
    }
    match (&subject.client, subject.ending) {
        (Some(client), Some(Ending::EndOfInput(_))) if client.leaves_orphans() => {
            Found::fail("another process of its group was still there")
        }
        (Some(client), Some(Ending::EndOfInput(_))) if !client.has_ended_stdout() => {
            Found::fail("another process still holds its stdout")
        }
        (Some(_), Some(Ending::EndOfInput(_))) => Found::pass("none"),
        _ => Found::skip("it did not end by itself"),
    }
}
