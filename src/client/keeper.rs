//! Keeps one server running: heartbeats, and a new start with a fresh session after each end.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::handshake::{greet, probe};
use super::{Client, Death, Failure, Greeting, Launch, Limits, Oddity};
use crate::protocol::Era;

/// So many heartbeats without an answer, one after the other, mean that the server hangs.
const MOST_MISSED: u32 = 3;

/// The pause before a new start: this, doubled each time, up to the second.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// What happens to a server that is kept.
#[derive(Debug)]
pub(crate) enum Event {
    CannotStart(String),
    Started {
        process: u32,
    },
    Ready {
        greeting: Greeting,
        tools: usize,
    },
    NotReady(String),
    /// The tools are others than before, by name.
    ToolsChanged {
        added: Vec<String>,
        removed: Vec<String>,
        changed: Vec<String>,
    },
    Heartbeat,
    Missed(u32),
    Hangs,
    Odd(Oddity),
    Died(Death),
    Pause(Duration),
}

#[derive(Debug)]
pub(crate) struct Keeper {
    pub(crate) launch: Launch,
    pub(crate) limits: Limits,
    /// The time between two heartbeats, which is also how long each is waited for.
    pub(crate) interval: Duration,
}

/// Every tool by name, as the server describes it.
type Tools = BTreeMap<String, Value>;

impl Keeper {
    /// Runs until `tell` returns false.
    pub(crate) fn run(&self, mut tell: impl FnMut(Event) -> bool) {
        let mut known = None;
        let mut pause = FIRST_PAUSE;
        loop {
            let lived = match Client::start(&self.launch, self.limits.clone(), None) {
                Ok(client) => self.attend(&client, &mut known, &mut tell),
                Err(error) => tell(Event::CannotStart(error.to_string())).then_some(false),
            };
            match lived {
                None => return,
                // A session that worked starts the waiting anew.
                Some(true) => pause = FIRST_PAUSE,
                Some(false) => {}
            }
            if !tell(Event::Pause(pause)) {
                return;
            }
            thread::sleep(pause);
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }

    /// One life of the server. Nothing when nobody wants to hear more, else whether it ever answered a
    /// heartbeat.
    fn attend(
        &self,
        client: &Client,
        known: &mut Option<Tools>,
        tell: &mut impl FnMut(Event) -> bool,
    ) -> Option<bool> {
        let process = client.process_id();
        tell(Event::Started { process }).then_some(())?;
        let mut lived = false;
        match greet(client) {
            Ok(greeting) => {
                let era = greeting.era;
                let tools = list(client);
                let count = tools.as_ref().map_or(0, Tools::len);
                tell(Event::Ready {
                    greeting,
                    tools: count,
                })
                .then_some(())?;
                self.compare(tools, known, tell)?;
                lived = self.watch(client, era, known, tell)?;
            }
            Err(reason) => tell(Event::NotReady(reason)).then_some(())?,
        }
        if let Some(death) = client.dead() {
            tell(Event::Died(death)).then_some(())?;
        }
        client.kill();
        Some(lived)
    }

    fn watch(
        &self,
        client: &Client,
        era: Era,
        known: &mut Option<Tools>,
        tell: &mut impl FnMut(Event) -> bool,
    ) -> Option<bool> {
        let method = probe(era);
        let mut missed = 0;
        let mut lived = false;
        loop {
            client.listen_for_end(self.interval);
            for odd in client.oddities() {
                tell(Event::Odd(odd)).then_some(())?;
            }
            let has_news =
                |(method, _): &(String, Value)| method == "notifications/tools/list_changed";
            if client.notifications().iter().any(has_news) {
                self.compare(list(client), known, tell)?;
            }
            let beat = client.ask_within(method, Value::Null, Some(self.interval));
            match client.answer(beat) {
                Ok(_) => {
                    missed = 0;
                    lived = true;
                    tell(Event::Heartbeat).then_some(())?;
                }
                Err(Failure::Died(_)) => return Some(lived),
                Err(Failure::TimedOut(_)) => {
                    missed += 1;
                    tell(Event::Missed(missed)).then_some(())?;
                }
            }
            if missed == MOST_MISSED {
                tell(Event::Hangs).then_some(())?;
                return Some(lived);
            }
        }
    }

    fn compare(
        &self,
        tools: Option<Tools>,
        known: &mut Option<Tools>,
        tell: &mut impl FnMut(Event) -> bool,
    ) -> Option<()> {
        let Some(tools) = tools else {
            return Some(());
        };
        let before = known.replace(tools.clone());
        let Some(before) = before.filter(|it| *it != tools) else {
            return Some(());
        };
        let missing_in = |these: &Tools, those: &Tools| {
            let names = these.keys().filter(|it| !those.contains_key(*it));
            names.cloned().collect::<Vec<_>>()
        };
        let changed = tools
            .iter()
            .filter(|(name, tool)| before.get(*name).is_some_and(|it| it != *tool));
        tell(Event::ToolsChanged {
            added: missing_in(&tools, &before),
            removed: missing_in(&before, &tools),
            changed: changed.map(|(name, _)| name.clone()).collect(),
        })
        .then_some(())
    }
}

/// The whole list by name; nothing where the server has none to give.
fn list(client: &Client) -> Option<Tools> {
    let tools = client.tools().ok()?.ok()?.into_iter();
    let named = tools.map(|it| (it["name"].as_str().unwrap_or_default().to_owned(), it));
    Some(named.collect())
}
