//! How a session is opened, in either era, and in the one that a server speaks.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Client, Failure};
use crate::protocol::{self, Era};
use crate::rpc::answer::Outcome;

/// A server that does not know the probe may stay silent; then the other era is tried.
const PROBE_LIMIT: Duration = Duration::from_secs(5);

/// A session that is open.
#[derive(Debug)]
pub(crate) struct Greeting {
    pub(crate) era: Era,
    pub(crate) version: String,
    /// `serverInfo`, where the server gave one.
    pub(crate) server: Value,
    pub(crate) took: Duration,
}

/// What a request is called that any server of this era answers at any time.
pub(crate) fn probe(era: Era) -> &'static str {
    match era {
        Era::Legacy => "ping",
        Era::Modern => "server/discover",
    }
}

/// Opens a legacy session. A result is followed by `notifications/initialized`.
pub(crate) fn greet_legacy(client: &Client, date: &str) -> Result<Outcome, Failure> {
    let params = json!({
        "protocolVersion": date,
        "capabilities": {},
        "clientInfo": {"name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION")},
    });
    let outcome = client.request("initialize", params)?;
    if let Outcome::Result(_) = outcome {
        client.notify("notifications/initialized", Value::Null);
    }
    Ok(outcome)
}

/// Asks a server whether it speaks the modern era, and waits at most so long. After a result every
/// request claims it.
pub(crate) fn greet_modern(
    client: &Client,
    date: &str,
    limit: Duration,
) -> Result<Outcome, Failure> {
    let meta = json!({
        protocol::PROTOCOL_VERSION: date,
        protocol::CLIENT_CAPABILITIES: {},
        protocol::CLIENT_INFO: {
            "name": env!("CARGO_PKG_NAME"),
            "version": env!("CARGO_PKG_VERSION"),
        },
    });
    let pending = client.ask_within("server/discover", json!({"_meta": meta}), Some(limit));
    let outcome = client.answer(pending)?;
    if let Outcome::Result(_) = outcome {
        client.claim(meta);
    }
    Ok(outcome)
}

/// Opens a session in the newest way that the server knows (protocol versioning: probe, then fall back).
pub(super) fn greet(client: &Client) -> Result<Greeting, String> {
    let begun = Instant::now();
    let modern = protocol::newest_date(Era::Modern);
    if let Ok(Outcome::Result(result)) = greet_modern(client, modern, PROBE_LIMIT) {
        return Ok(Greeting {
            era: Era::Modern,
            version: modern.to_owned(),
            server: result["_meta"][protocol::SERVER_INFO].clone(),
            took: begun.elapsed(),
        });
    }
    match greet_legacy(client, protocol::newest_date(Era::Legacy)) {
        Ok(Outcome::Result(mut result)) => Ok(Greeting {
            era: Era::Legacy,
            version: result["protocolVersion"]
                .as_str()
                .unwrap_or("none")
                .to_owned(),
            server: result["serverInfo"].take(),
            took: begun.elapsed(),
        }),
        Ok(Outcome::Error { code, message }) => {
            Err(format!("initialize was refused: {code} {message}"))
        }
        Err(failure) => Err(failure.to_string()),
    }
}
