//! `filewright check`: tries a server as a host would, and says which layer fails.
//!
//! A check is one row: what it is called, what it means, what to do about it, and a function that
//! looks. It never hangs: every wait has a limit, and a server that stops answering is left.

mod end;
mod framing;
mod handshake;
mod launching;
mod protocol;
mod report;
mod schema;
mod side;
mod start;
mod stream;
mod subject;
mod tools;
mod watch;

use std::io::Write;

use anyhow::Result;

use crate::cli::{CheckArgs, LayerName};
use crate::client::end_servers_on_signals;
use report::{Found, Report, Verdict};
use subject::Subject;
pub(crate) use watch::watch;

/// One thing that is looked at.
struct Check {
    layer: LayerName,
    name: &'static str,
    /// What the server is asked.
    sent: &'static str,
    /// What it means when it fails.
    means: &'static str,
    /// What the author of the server, or who configured it, can do.
    remedy: &'static str,
    look: fn(&mut Subject) -> Found,
}

/// Every check there is, in the order in which they are made.
fn checks() -> impl Iterator<Item = &'static Check> {
    let layers: [&[Check]; 6] = [
        &start::CHECKS,
        &stream::CHECKS,
        &handshake::CHECKS,
        &protocol::CHECKS,
        &tools::CHECKS,
        &end::CHECKS,
    ];
    layers.into_iter().flatten()
}

/// Makes the checks. True if nothing failed; the error is for wrong usage.
pub(crate) fn check(args: &CheckArgs, output: impl Write) -> Result<bool> {
    let mut subject = Subject::new(args)?;
    end_servers_on_signals();
    let mut report = Report::new(output, args.json);
    for check in checks() {
        let is_wanted = args.only.is_empty() || args.only.contains(&check.layer);
        // Without a server there is nothing to look at, whatever was asked for.
        let is_needed = check.layer == LayerName::Start;
        if !is_wanted && !is_needed {
            continue;
        }
        let found = (check.look)(&mut subject);
        // A server that answers nothing fails, though the fault is in a layer further on.
        let is_fatal = is_needed && found.verdict == Verdict::Fail;
        let is_telling = is_needed && subject.is_given_up();
        if is_wanted || is_fatal || is_telling {
            report.add(check, &found);
        }
        if is_fatal {
            break;
        }
    }
    subject.leave();
    let is_whole = !subject.is_given_up();
    Ok(report.finish(&subject.command_line()) && is_whole)
}
