//! The handshake: the probe of the modern era, and `initialize` in each revision of the legacy one.

use serde_json::Value;

use super::Check;
use super::report::Found;
use super::side::{Side, Tried, Version};
use super::subject::Subject;
use crate::cli::LayerName;
use crate::client::{Failure, Oddity};
use crate::protocol::{Era, dates, newest_date};
use crate::rpc::answer::Outcome;

pub(super) static CHECKS: [Check; 7] = [
    Check {
        layer: LayerName::Handshake,
        name: "discover",
        sent: "server/discover, as clients of the modern era probe",
        means: "a client that tries the modern era first waits or loses the server",
        remedy: "answer any method that is not known with -32601, at any time, and go on",
        look: discover,
    },
    Check {
        layer: LayerName::Handshake,
        name: "initialize",
        sent: "initialize in the newest revision of the legacy era",
        means: "no session can be opened",
        remedy: "answer initialize with a result whatever revision is asked for",
        look: initialize,
    },
    Check {
        layer: LayerName::Handshake,
        name: "versions",
        sent: "initialize in each revision of the legacy era, a server each, and tools/list",
        means: "the protocolVersion of the answer must be the one that was asked for, or another that the \
                server speaks; clients close a session with any other",
        remedy: "echo the revision if it is spoken, else give the newest that is",
        look: versions,
    },
    Check {
        layer: LayerName::Handshake,
        name: "server-info",
        sent: "initialize",
        means: "the answer does not say who answers; clients that validate refuse it",
        remedy: "put serverInfo with name and version into the result",
        look: server_info,
    },
    Check {
        layer: LayerName::Handshake,
        name: "capabilities",
        sent: "initialize",
        means: "what a server does not declare, hosts do not ask for",
        remedy: "declare capabilities, with tools if there are any",
        look: capabilities,
    },
    Check {
        layer: LayerName::Handshake,
        name: "initialized",
        sent: "notifications/initialized",
        means: "an answer to a notification confuses clients: there is no request that it belongs to",
        remedy: "answer nothing that has no id",
        look: initialized,
    },
    Check {
        layer: LayerName::Handshake,
        name: "early-ping",
        sent: "ping between initialize and notifications/initialized",
        means: "a ping is allowed before the session is open; hosts that ping at once take the server for \
                dead",
        remedy: "answer ping at any time",
        look: early_ping,
    },
];

fn discover(subject: &mut Subject) -> Found {
    let modern = match subject.side().and_then(Side::modern) {
        Ok(modern) => modern,
        Err(error) => return Found::skip(error),
    };
    match modern.discovered {
        Ok(Outcome::Result(result)) => {
            let versions = strings(&result["supportedVersions"]);
            let newest = newest_date(Era::Modern);
            match modern.listed {
                _ if !versions.iter().any(|it| it == newest) => {
                    Found::fail(format!("a result without {newest} in supportedVersions"))
                }
                Some(Ok(Outcome::Result(_))) => {
                    Found::pass(format!("the modern era, {}", versions.join(", ")))
                }
                Some(Ok(Outcome::Error { code, message })) => Found::fail(format!(
                    "a result, but tools/list is refused: {code} {message}"
                )),
                Some(Err(failure)) => Found::fail(format!("a result, but to tools/list {failure}")),
                None => Found::pass("a result"),
            }
        }
        Ok(Outcome::Error { code, .. }) if subject.wanted_era == Some(Era::Modern) => {
            Found::fail(format!("refused with {code}: the modern era is not spoken"))
        }
        Ok(Outcome::Error { code, .. }) => {
            Found::pass(format!("refused with {code}: a server of the legacy era"))
        }
        Err(failure @ Failure::TimedOut(_)) => Found::note(failure.to_string()),
        Err(failure) => Found::fail(failure.to_string()),
    }
}

/// The result of `initialize`, or what is to be said instead.
fn result(subject: &Subject) -> Result<&Value, Found> {
    match subject.first.as_ref().map(|it| &it.outcome) {
        _ if subject.wanted_era == Some(Era::Modern) => {
            Err(Found::skip("the session is of the modern era"))
        }
        Some(Ok(Outcome::Result(result))) => Ok(result),
        Some(Ok(Outcome::Error { code, message })) if subject.era == Era::Modern => {
            let text = format!("the server speaks the modern era alone: {code} {message}");
            Err(Found::note(text))
        }
        Some(Ok(Outcome::Error { code, message })) => {
            Err(Found::fail(format!("refused: {code} {message}")))
        }
        _ => Err(Found::skip("it was not answered")),
    }
}

fn initialize(subject: &mut Subject) -> Found {
    match result(subject) {
        // Whether its members are right is what the next checks look at.
        Ok(_) => Found::pass("a result"),
        Err(found) => found,
    }
}

fn versions(subject: &mut Subject) -> Found {
    if subject.era == Era::Modern {
        return Found::skip("the session is of the modern era");
    }
    if result(subject).is_err() {
        return Found::skip("no session can be opened in the newest");
    }
    let tried = match subject.side() {
        Ok(side) => side.versions(),
        Err(error) => return Found::skip(error),
    };
    let mut agreed = Vec::new();
    let mut wrong = Vec::new();
    for version in tried {
        match judged(version) {
            Ok(text) => agreed.push(text),
            Err(text) => wrong.push(text),
        }
    }
    match wrong.is_empty() {
        true => Found::pass(agreed.join(", ")),
        false => Found::fail(wrong.join("; ")),
    }
}

fn judged(version: Tried<Version>) -> Result<String, String> {
    let Version {
        asked,
        outcome,
        listed,
    } = version?;
    let result = match outcome {
        Ok(Outcome::Result(result)) => result,
        Ok(Outcome::Error { code, message }) => {
            return Err(format!("{asked} is refused: {code} {message}"));
        }
        Err(failure) => return Err(format!("{asked}: {failure}")),
    };
    let got = match &result["protocolVersion"] {
        Value::String(got) => got.clone(),
        Value::Null => return Err(format!("{asked} is answered without protocolVersion")),
        other => return Err(format!("{asked} is answered with protocolVersion {other}")),
    };
    if !dates(Era::Legacy).any(|it| it == got) {
        return Err(format!(
            "{asked} is answered with {got}, which no client knows"
        ));
    }
    match listed {
        Some(Err(failure)) => Err(format!("{asked}, then tools/list: {failure}")),
        _ if got == asked => Ok(got),
        _ => Ok(format!("{asked} becomes {got}")),
    }
}

fn server_info(subject: &mut Subject) -> Found {
    let result = match result(subject) {
        Ok(result) => result,
        Err(_) => return Found::skip("no result to look at"),
    };
    let info = &result["serverInfo"];
    match (info["name"].as_str(), info["version"].as_str()) {
        (Some(name), Some(version)) if !name.is_empty() => Found::pass(format!("{name} {version}")),
        _ => Found::fail(format!("serverInfo is {info}")),
    }
}

fn capabilities(subject: &mut Subject) -> Found {
    let result = match result(subject) {
        Ok(result) => result,
        Err(_) => return Found::skip("no result to look at"),
    };
    match &result["capabilities"] {
        Value::Object(all) if all.contains_key("tools") => {
            let names: Vec<&str> = all.keys().map(String::as_str).collect();
            Found::pass(names.join(", "))
        }
        Value::Object(_) => Found::note("no tools are declared"),
        other => Found::fail(format!("capabilities is {other}, and must be an object")),
    }
}

fn initialized(subject: &mut Subject) -> Found {
    if subject.era == Era::Modern {
        return Found::skip("the session is of the modern era");
    }
    // Looked at with the early ping; what that one came to is for its own check.
    subject.early().map_or_else(Found::skip, |early| {
        let stray = early.odd.iter().find_map(|it| match it {
            Oddity::Stray { id } => Some(id.clone()),
            _ => None,
        });
        match stray {
            Some(id) => Found::fail(format!("an answer with the id {id}")),
            None => Found::pass("nothing, as it should be"),
        }
    })
}

fn early_ping(subject: &mut Subject) -> Found {
    if subject.era == Era::Modern {
        return Found::skip("the session is of the modern era");
    }
    subject
        .early()
        .map_or_else(Found::skip, |early| match &early.outcome {
            Ok(Outcome::Result(_)) => Found::pass("answered"),
            Ok(Outcome::Error { code, message }) => {
                Found::note(format!("refused: {code} {message}"))
            }
            Err(failure @ Failure::TimedOut(_)) => Found::note(failure.to_string()),
            Err(failure) => Found::fail(failure.to_string()),
        })
}

fn strings(value: &Value) -> Vec<String> {
    let all = value.as_array().into_iter().flatten();
    all.filter_map(|it| it.as_str().map(str::to_owned))
        .collect()
}
