//! The server that is looked at: one session that lives as long as it can, and others beside it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::launching;
use super::report::{Found, Verdict};
use super::side::{Early, Side, Tried};
use crate::cli::{CheckArgs, EraName};
use crate::client::{
    Client, Ending, Failure, Launch, Limits, Listener, Oddity, greet_legacy, greet_modern, probe,
};
use crate::protocol::{Era, newest_date};
use crate::record::Recording;
use crate::rpc::answer::Outcome;

/// So many silences are enough; the checks that are left would only wait.
const MOST_SILENCES: u32 = 4;

/// How long an answer to the probe of the modern era is waited for once the server has started, and how
/// much slower than one alone several may start.
const PROBE: Duration = Duration::from_secs(3);
const SLOWER: u32 = 8;

pub(super) const GIVEN_UP: &str = "the server has been silent too often";

/// How the server took the first thing that was said to it.
#[derive(Debug)]
pub(super) struct First {
    pub(super) outcome: Result<Outcome, Failure>,
    pub(super) took: Duration,
}

pub(super) struct Subject {
    pub(super) launch: Launch,
    pub(super) limits: Limits,
    pub(super) wanted_era: Option<Era>,
    /// The era that the session is in.
    pub(super) era: Era,
    /// The tool that was asked for, and its arguments.
    pub(super) call: Option<(String, Value)>,
    /// What came of it, and how long it took.
    pub(super) called: Option<(Result<Outcome, Failure>, Duration)>,
    pub(super) client: Option<Client>,
    pub(super) first: Option<First>,
    /// Whatever was odd on stdout so far.
    pub(super) odd: Vec<Oddity>,
    /// How many of these a check has spoken of.
    pub(super) told: usize,
    /// The tools, once they were listed.
    pub(super) tools: Vec<Value>,
    pub(super) ending: Option<Ending>,
    /// Whether a ping is answered, once that was tried.
    ping: Option<Result<(), String>>,
    side: Option<Side>,
    early: Option<Tried<Early>>,
    recording: Option<Arc<Recording>>,
    /// It did not answer something: what comes now may be an answer to that.
    is_suspect: bool,
    silences: u32,
    restarts: u32,
}

impl Subject {
    pub(super) fn new(args: &CheckArgs) -> Result<Subject> {
        let recording = match &args.transcript {
            None => None,
            Some(path) => {
                let recording = Recording::create(path);
                let shown = path.display();
                Some(Arc::new(
                    recording.with_context(|| format!("cannot write {shown}"))?,
                ))
            }
        };
        let wanted_era = args.era.map(|it| match it {
            EraName::Legacy => Era::Legacy,
            EraName::Modern => Era::Modern,
        });
        Ok(Subject {
            launch: launching::launch(args)?,
            limits: launching::limits(args)?,
            wanted_era,
            era: wanted_era.unwrap_or(Era::Legacy),
            call: call(args)?,
            called: None,
            client: None,
            first: None,
            odd: Vec::new(),
            told: 0,
            tools: Vec::new(),
            ending: None,
            ping: None,
            side: None,
            early: None,
            recording,
            is_suspect: false,
            silences: 0,
            restarts: 0,
        })
    }

    /// The command, as it may be repeated.
    pub(super) fn command_line(&self) -> String {
        let mut words = vec![self.launch.program.display().to_string()];
        words.extend(launching::masked_arguments(&self.launch.arguments));
        words.join(" ")
    }

    /// Starts the server and says the first word.
    pub(super) fn meet(&mut self) -> std::io::Result<()> {
        let begun = Instant::now();
        let client = self.start("main")?;
        let outcome = self.greet(&client);
        self.client = Some(client);
        self.first = Some(First {
            outcome,
            took: begun.elapsed(),
        });
        self.gather();
        Ok(())
    }

    fn greet(&mut self, client: &Client) -> Result<Outcome, Failure> {
        if self.era == Era::Modern {
            let limit = self.limits.of("initialize");
            return greet_modern(client, newest_date(Era::Modern), limit);
        }
        let outcome = greet_legacy(client, newest_date(Era::Legacy));
        if matches!(outcome, Ok(Outcome::Error { .. })) && self.wanted_era.is_none() {
            // A server of the modern era alone knows no `initialize`.
            let modern = greet_modern(client, newest_date(Era::Modern), self.limits.usual);
            if matches!(modern, Ok(Outcome::Result(_))) {
                self.era = Era::Modern;
            }
        }
        outcome
    }

    /// How long the server took to start.
    pub(super) fn first_took(&self) -> Duration {
        self.first.as_ref().map_or(Duration::ZERO, |it| it.took)
    }

    fn start(&self, session: &str) -> std::io::Result<Client> {
        Client::start(&self.launch, self.limits.clone(), self.listener(session))
    }

    /// Hears a session for the transcript.
    fn listener(&self, session: &str) -> Option<Listener> {
        let recording = Arc::clone(self.recording.as_ref()?);
        let session = session.to_owned();
        Some(Arc::new(move |direction: &str, line: &[u8]| {
            let direction = if direction == "->" {
                "sent"
            } else {
                "received"
            };
            recording.add(&format!("{direction} ({session})"), line.trim_ascii_end());
        }))
    }

    /// What a request is called that the server answers: the one that any server of this era does, or
    /// where this one does not, the list of its tools.
    pub(super) fn probe(&mut self) -> &'static str {
        match self.ping() {
            Ok(()) => probe(self.era),
            Err(_) => "tools/list",
        }
    }

    /// Whether it answers what any server of this era does; asked once.
    pub(super) fn ping(&mut self) -> Result<(), String> {
        let method = probe(self.era);
        if self.ping.is_none() {
            let asked = self.with(|client, _| {
                client.request(method, Value::Null)?;
                Ok(Found::pass(""))
            });
            self.ping = Some(match asked.verdict {
                Verdict::Fail => Err(asked.came),
                _ => Ok(()),
            });
        }
        self.ping.clone().unwrap_or(Ok(()))
    }

    /// Takes a fresh server for what comes next.
    pub(super) fn suspect(&mut self) {
        self.is_suspect = true;
    }

    /// Whether it has said that it offers no tools.
    pub(super) fn declares_no_tools(&self) -> bool {
        match self.first.as_ref().map(|it| &it.outcome) {
            Some(Ok(Outcome::Result(result))) => {
                let capabilities = result["capabilities"].as_object();
                capabilities.is_some_and(|it| !it.contains_key("tools"))
            }
            _ => false,
        }
    }

    /// Looks at a server that is fit to be looked at, a fresh one if the last is not.
    pub(super) fn with(
        &mut self,
        look: impl FnOnce(&Client, &mut Vec<Oddity>) -> Result<Found, Failure>,
    ) -> Found {
        if self.is_given_up() {
            return Found::skip(GIVEN_UP);
        }
        let client = match self.fit() {
            Ok(client) => client,
            Err(reason) => return Found::skip(reason),
        };
        let mut seen = client.oddities();
        let looked = look(&client, &mut seen);
        seen.extend(client.oddities());
        self.odd.append(&mut seen);
        self.client = Some(client);
        looked.unwrap_or_else(|failure| {
            self.is_suspect = true;
            self.silences += 1;
            Found::fail(failure.to_string())
        })
    }

    fn fit(&mut self) -> Result<Client, String> {
        let client = self.client.take();
        if let Some(client) = client {
            if !self.is_suspect && client.dead().is_none() {
                return Ok(client);
            }
            self.odd.extend(client.oddities());
            client.kill();
        }
        self.restarts += 1;
        self.is_suspect = false;
        let started = self.start(&format!("restart {}", self.restarts));
        let client = started.map_err(|error| format!("no fresh start: {error}"))?;
        match self.greet(&client) {
            Ok(Outcome::Result(_)) => Ok(client),
            Ok(Outcome::Error { .. }) if self.era == Era::Modern => Ok(client),
            Ok(Outcome::Error { message, .. }) => Err(format!("a fresh start refuses: {message}")),
            Err(failure) => {
                self.silences += 1;
                Err(format!("a fresh start fails: {failure}"))
            }
        }
    }

    /// Whether something else than messages came since a check last spoke of it.
    pub(super) fn untold_noise(&mut self) -> Found {
        self.gather();
        let noise = self.odd[self.told..].iter().find_map(|it| match it {
            Oddity::Noise(line) | Oddity::NotUtf8(line) => Some(line.clone()),
            _ => None,
        });
        self.told = self.odd.len();
        match noise {
            Some(line) => Found::fail(line),
            None => Found::pass("messages and nothing else"),
        }
    }

    /// The id of the first answer, where it is not the one that was asked with, nor another's.
    pub(super) fn other_id(&self) -> Option<&str> {
        match self.first.as_ref().map(|it| &it.outcome) {
            Some(Err(_)) => self.odd.iter().find_map(|it| match it {
                Oddity::Stray { id } if id != "null" => Some(id.as_str()),
                _ => None,
            }),
            _ => None,
        }
    }

    /// Takes over what was odd until now.
    pub(super) fn gather(&mut self) {
        if let Some(client) = &self.client {
            self.odd.extend(client.oddities());
        }
    }

    /// Whether the server answers nothing, so that nothing else about it can be told.
    pub(super) fn is_given_up(&self) -> bool {
        self.silences >= MOST_SILENCES
    }

    /// Lets no further check wait for this server.
    pub(super) fn give_up(&mut self) {
        self.silences = MOST_SILENCES;
    }

    /// Sessions beside the main one, all at the same time. The error is for a server that would be
    /// silent in them as well.
    pub(super) fn side(&mut self) -> Result<&mut Side, String> {
        if self.is_given_up() {
            return Err(GIVEN_UP.to_owned());
        }
        if self.side.is_none() {
            let listener = |session: &str| self.listener(session);
            let probe_limit = self.limits.usual.min(PROBE) + self.first_took() * SLOWER;
            let side = Side::start(&self.launch, &self.limits, probe_limit, &listener);
            self.side = Some(side);
        }
        Ok(self.side.get_or_insert_with(Side::default))
    }

    /// The session with a request before its time, which two checks look at.
    pub(super) fn early(&mut self) -> Result<&Early, String> {
        if self.is_given_up() {
            return Err(GIVEN_UP.to_owned());
        }
        if self.early.is_none() {
            self.early = Some(self.side()?.early());
        }
        match &self.early {
            Some(Ok(early)) => Ok(early),
            Some(Err(error)) => Err(error.clone()),
            None => Err("not looked at".to_owned()),
        }
    }

    /// Ends whatever still runs.
    pub(super) fn leave(&mut self) {
        if let Some(client) = self.client.take() {
            client.kill();
        }
        if let Some(side) = &mut self.side {
            side.finish();
        }
    }
}

fn call(args: &CheckArgs) -> Result<Option<(String, Value)>> {
    let Some([tool, json]) = args.call.as_deref() else {
        return Ok(None);
    };
    let arguments: Value = serde_json::from_str(json).context("--call: the arguments")?;
    anyhow::ensure!(
        arguments.is_object(),
        "--call: the arguments must be a JSON object"
    );
    Ok(Some((tool.clone(), arguments)))
}
