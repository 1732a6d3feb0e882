//! Sessions beside the main one, each with a server of its own, all at the same time.

use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{
    Client, Failure, Launch, Limits, Listener, Oddity, greet_legacy, greet_modern,
};
use crate::protocol::{Era, dates, newest_date};
use crate::rpc::answer::Outcome;

/// So many requests that a server logs fill a pipe that nobody reads.
const NOISY_REQUESTS: u32 = 400;

/// Of a slow server fewer requests are asked.
const NOISY_TIME: Duration = Duration::from_secs(10);

/// What became of a session; the error is for a server that could not be started.
pub(super) type Tried<T> = Result<T, String>;

/// A session in one revision of the legacy era.
#[derive(Debug)]
pub(super) struct Version {
    pub(super) asked: &'static str,
    pub(super) outcome: Result<Outcome, Failure>,
    /// What `tools/list` came to afterwards.
    pub(super) listed: Option<Result<Outcome, Failure>>,
}

/// The modern era, without a handshake.
#[derive(Debug)]
pub(super) struct Modern {
    pub(super) discovered: Result<Outcome, Failure>,
    pub(super) listed: Option<Result<Outcome, Failure>>,
}

/// A request between `initialize` and the notification that follows it.
#[derive(Debug)]
pub(super) struct Early {
    pub(super) outcome: Result<Outcome, Failure>,
    /// What was odd once the notification had been sent.
    pub(super) odd: Vec<Oddity>,
}

type Running<T> = Option<JoinHandle<Tried<T>>>;

#[derive(Default)]
pub(super) struct Side {
    versions: Vec<JoinHandle<Tried<Version>>>,
    modern: Running<Modern>,
    early: Running<Early>,
    unread: Running<Result<(), Failure>>,
}

type Listeners<'a> = &'a dyn Fn(&str) -> Option<Listener>;

impl Side {
    pub(super) fn start(
        launch: &Launch,
        limits: &Limits,
        probe_limit: Duration,
        listeners: Listeners<'_>,
    ) -> Side {
        let session = |name: &str| {
            let (launch, limits, listener) = (launch.clone(), limits.clone(), listeners(name));
            move || Client::start(&launch, limits, listener).map_err(|it| it.to_string())
        };
        let versions = dates(Era::Legacy).map(|date| {
            let start = session(date);
            thread::spawn(move || Ok(version(&start()?, date)))
        });
        let versions = versions.collect();
        let start = session("modern");
        let modern = thread::spawn(move || Ok(modern(&start()?, probe_limit)));
        let start = session("early");
        let early = thread::spawn(move || Ok(early(&start()?)));
        let careless = Launch {
            ignores_stderr: true,
            ..launch.clone()
        };
        let (limits, listener) = (limits.clone(), listeners("stderr unread"));
        let start_again = session("stderr read");
        let unread = thread::spawn(move || {
            let started = Client::start(&careless, limits, listener);
            let outcome = unread(&started.map_err(|it| it.to_string())?);
            // One that fails with its stderr read as well does not fail because of it.
            match outcome {
                Err(_) if unread(&start_again()?).is_err() => {
                    Err("it fails in the same way with its stderr read".to_owned())
                }
                outcome => Ok(outcome),
            }
        });
        Side {
            versions,
            modern: Some(modern),
            early: Some(early),
            unread: Some(unread),
        }
    }

    pub(super) fn versions(&mut self) -> Vec<Tried<Version>> {
        self.versions.drain(..).map(joined).collect()
    }

    pub(super) fn modern(&mut self) -> Tried<Modern> {
        taken(&mut self.modern)
    }

    pub(super) fn early(&mut self) -> Tried<Early> {
        taken(&mut self.early)
    }

    pub(super) fn unread(&mut self) -> Tried<Result<(), Failure>> {
        taken(&mut self.unread)
    }

    /// Waits for the sessions that nobody asked about, so that their servers are ended.
    pub(super) fn finish(&mut self) {
        // What they came to is of no interest.
        drop(self.versions());
        drop(self.modern());
        drop(self.early());
        drop(self.unread());
    }
}

fn taken<T>(running: &mut Running<T>) -> Tried<T> {
    running
        .take()
        .map_or_else(|| Err("looked at already".to_owned()), joined)
}

fn joined<T>(running: JoinHandle<Tried<T>>) -> Tried<T> {
    let joined = running.join();
    joined.unwrap_or_else(|_| Err("the session failed by a fault of its own".to_owned()))
}

fn version(client: &Client, asked: &'static str) -> Version {
    let outcome = greet_legacy(client, asked);
    let listed =
        matches!(outcome, Ok(Outcome::Result(_))).then(|| client.request("tools/list", json!({})));
    client.end();
    Version {
        asked,
        outcome,
        listed,
    }
}

fn modern(client: &Client, limit: Duration) -> Modern {
    let discovered = greet_modern(client, newest_date(Era::Modern), limit);
    let listed = matches!(discovered, Ok(Outcome::Result(_)))
        .then(|| client.request("tools/list", json!({})));
    client.end();
    Modern { discovered, listed }
}

fn early(client: &Client) -> Early {
    let params = json!({
        "protocolVersion": newest_date(Era::Legacy),
        "capabilities": {},
        "clientInfo": {"name": "early", "version": "1"},
    });
    let outcome = client
        .request("initialize", params)
        .and_then(|_| client.request("ping", Value::Null));
    drop(client.oddities());
    client.notify("notifications/initialized", Value::Null);
    // An answer to the notification would come before the one to the next request.
    let after = client.request("ping", Value::Null);
    let odd = if after.is_ok() {
        client.oddities()
    } else {
        Vec::new()
    };
    client.end();
    Early { outcome, odd }
}

fn unread(client: &Client) -> Result<(), Failure> {
    greet_legacy(client, newest_date(Era::Legacy))?;
    let begun = Instant::now();
    for number in 0..NOISY_REQUESTS {
        if begun.elapsed() > NOISY_TIME {
            break;
        }
        // What servers like to log: a notification and a method that they do not know.
        client.notify("notifications/filewright_check", json!({"number": number}));
        client.request("filewright/no_such_method", json!({"number": number}))?;
    }
    client.end();
    Ok(())
}
