//! JSON-RPC as it is spoken: ids, order, notifications, errors, pieces.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::report::Found;
use super::subject::{GIVEN_UP, Subject};
use super::{Check, framing};
use crate::cli::LayerName;
use crate::client::{Client, Failure, Oddity};
use crate::rpc::answer::Outcome;
use crate::rpc::reply::code;

/// The number that a float no longer tells from its neighbour (2^53 + 1).
const BEYOND_FLOAT: &str = "9007199254740993";

/// Many servers refuse it, and then there is nothing to wait for.
const BEYOND_FLOAT_LIMIT: Duration = Duration::from_secs(2);

const CONCURRENT: usize = 20;
const ENDURED: usize = 100;

/// Of a slow server fewer requests are asked.
const ENDURANCE: Duration = Duration::from_secs(10);

/// Whether a ping waits for a call shows only if the call takes some time.
const LONG_CALL: Duration = Duration::from_millis(300);

/// How long a second answer may follow the first.
const AFTERMATH: Duration = Duration::from_millis(100);

/// A tool that no server has, so that nothing is ever done.
pub(super) const NO_TOOL: &str = "filewright_check_no_such_tool";

pub(super) static CHECKS: [Check; 13] = [
    Check {
        layer: LayerName::Protocol,
        name: "ping",
        sent: "a ping; in the modern era server/discover",
        means: "hosts ask now and then whether the server is there, and end one that does not answer",
        remedy: "answer every request: ping with an empty result, what is not known with -32601",
        look: ping,
    },
    Check {
        layer: LayerName::Protocol,
        name: "ids",
        sent: "pings with the ids 0, \"text\" and 9007199254740993",
        means: "an id must come back as it was sent, type and value: else no client finds its request",
        remedy: "keep the id as raw JSON; never parse it into a float, never test it for truth",
        look: ids,
    },
    Check {
        layer: LayerName::Protocol,
        name: "concurrent",
        sent: "20 requests without waiting",
        means: "each must be answered exactly once, in any order",
        remedy: "match answers by id, write each under one lock, and once",
        look: concurrent,
    },
    Check {
        layer: LayerName::Protocol,
        name: "notifications",
        sent: "notifications that nobody knows, and a cancellation of nothing",
        means: "a notification has no id and must never be answered, not even with an error",
        remedy: "answer only what has an id",
        look: notifications,
    },
    Check {
        layer: LayerName::Protocol,
        name: "unknown-method",
        sent: "a method that nobody knows",
        means: "hosts ask for resources and prompts too: an unknown method is -32601, and the session goes \
                on",
        remedy: "answer -32601 (method not found)",
        look: unknown_method,
    },
    Check {
        layer: LayerName::Protocol,
        name: "parse-error",
        sent: "half a message on a line of its own, then a ping",
        means: "one bad line ends the session",
        remedy: "catch the parse error, answer -32700 or nothing, and read the next line",
        look: framing::parse_error,
    },
    Check {
        layer: LayerName::Protocol,
        name: "pieces",
        sent: "one ping in three pieces, 40 ms apart",
        means: "the server takes each chunk that it reads for a message",
        remedy: "gather bytes until a line feed before parsing",
        look: framing::pieces,
    },
    Check {
        layer: LayerName::Protocol,
        name: "one-write",
        sent: "two pings in one write",
        means: "the server takes what one read returns for one message",
        remedy: "split what was read at line feeds, and keep the rest",
        look: framing::one_write,
    },
    Check {
        layer: LayerName::Protocol,
        name: "large-argument",
        sent: "a call of a tool that does not exist, with an argument of 300 KB",
        means: "a message longer than one read is lost: writing a large file through a tool will hang",
        remedy: "gather bytes until a line feed, without a limit below some megabytes",
        look: framing::large_argument,
    },
    Check {
        layer: LayerName::Protocol,
        name: "ping-during-call",
        sent: "a tool call and a ping right behind it",
        means: "a server that answers nothing while a tool runs looks dead to hosts that ping",
        remedy: "read and answer on another thread than the tools run on",
        look: ping_during_call,
    },
    Check {
        layer: LayerName::Protocol,
        name: "cancellation",
        sent: "a tool call, its cancellation right behind it, then a ping",
        means: "a cancelled request must not end the session, nor be answered twice",
        remedy: "stop the work if it still runs, and forget the request",
        look: cancellation,
    },
    Check {
        layer: LayerName::Protocol,
        name: "endurance",
        sent: "100 requests, one after the other",
        means: "the server dies or falls silent after a while: it leaks something, or counts wrongly",
        remedy: "look at its stderr, and at what grows with each call",
        look: endurance,
    },
    Check {
        layer: LayerName::Protocol,
        name: "clean-stdout",
        sent: "all of the above",
        means: "something else than messages came between them",
        remedy: "send logs to stderr",
        look: clean_stdout,
    },
];

fn ping(subject: &mut Subject) -> Found {
    match subject.ping() {
        Ok(()) if subject.is_given_up() => Found::skip(GIVEN_UP),
        Ok(()) => Found::pass("answered"),
        Err(came) => Found::fail(came),
    }
}

/// Asks with an id that is given, and waits.
fn ask_as(client: &Client, id: &str, method: &str) -> Result<Outcome, Failure> {
    let mut pending = client.ask_as(id, method, Value::Null);
    if id == BEYOND_FLOAT {
        pending.limit = pending.limit.min(BEYOND_FLOAT_LIMIT);
    }
    client.answer(pending)
}

pub(super) fn strays(odd: &[Oddity]) -> Vec<&str> {
    let strays = odd.iter().filter_map(|it| match it {
        Oddity::Stray { id } => Some(id.as_str()),
        _ => None,
    });
    strays.collect()
}

fn ids(subject: &mut Subject) -> Found {
    if let Some(id) = subject.other_id() {
        return Found::fail(format!("asked with 1, answered with {id}"));
    }
    let method = subject.probe();
    subject.with(|client, seen| {
        for id in ["0", "\"text\"", BEYOND_FLOAT] {
            let answer = ask_as(client, id, method);
            let odd = client.oddities();
            let stray = strays(&odd).first().map(|it| (*it).to_owned());
            seen.extend(odd);
            match (answer, stray) {
                (Ok(_), _) => {}
                // An error without an id is how a request is refused that cannot be understood.
                (Err(_), Some(stray)) if id == BEYOND_FLOAT && stray == "null" => {
                    return Ok(Found::note(format!(
                        "{id} is refused; clients count from 0"
                    )));
                }
                (Err(_), Some(stray)) => {
                    return Ok(Found::fail(format!(
                        "asked with {id}, answered with {stray}"
                    )));
                }
                (Err(Failure::TimedOut(_)), None) if id == BEYOND_FLOAT => {
                    return Ok(Found::note(format!(
                        "{id} is not answered; clients count from 0"
                    )));
                }
                (Err(failure), None) => return Err(failure),
            }
        }
        Ok(Found::pass("each came back as it was sent"))
    })
}

fn concurrent(subject: &mut Subject) -> Found {
    let method = subject.probe();
    subject.with(|client, seen| {
        let asked = (0..CONCURRENT).map(|number| {
            let method = if number % 2 == 0 {
                method
            } else {
                "tools/list"
            };
            client.ask(method, json!({}))
        });
        let asked: Vec<_> = asked.collect();
        for mut pending in asked {
            // One that answers slowly, one after the other, still answers.
            pending.restart();
            client.answer(pending)?;
        }
        client.listen(AFTERMATH);
        let odd = client.oddities();
        let twice = odd.iter().find_map(|it| match it {
            Oddity::Duplicate { id } => Some(id.clone()),
            _ => None,
        });
        seen.extend(odd);
        Ok(match twice {
            Some(id) => Found::fail(format!("the request {id} was answered twice")),
            None => Found::pass(format!("{CONCURRENT} answers")),
        })
    })
}

fn notifications(subject: &mut Subject) -> Found {
    let method = subject.probe();
    subject.with(|client, seen| {
        client.notify("notifications/filewright_check", json!({}));
        client.notify("filewright/check", Value::Null);
        client.notify("notifications/cancelled", json!({"requestId": 4_242_424}));
        client.request(method, json!({}))?;
        client.listen(AFTERMATH);
        let odd = client.oddities();
        let stray = strays(&odd).first().map(|it| (*it).to_owned());
        seen.extend(odd);
        Ok(match stray {
            Some(id) => Found::fail(format!("an answer with the id {id}")),
            None => Found::pass("nothing, as it should be"),
        })
    })
}

fn unknown_method(subject: &mut Subject) -> Found {
    subject.with(|client, _| {
        let answer = client.request("filewright/no_such_method", json!({}))?;
        Ok(match answer {
            Outcome::Error { code, .. } if code == i64::from(code::METHOD_NOT_FOUND) => {
                Found::pass(code.to_string())
            }
            Outcome::Error { code, message } => Found::note(format!("{code} {message}")),
            Outcome::Result(_) => Found::fail("a result"),
        })
    })
}

/// The call that was asked for, or one that does nothing.
fn some_call(subject: &Subject) -> Value {
    match &subject.call {
        Some((tool, arguments)) => json!({"name": tool, "arguments": arguments}),
        None => json!({"name": NO_TOOL, "arguments": {}}),
    }
}

fn ping_during_call(subject: &mut Subject) -> Found {
    let (method, call) = (subject.probe(), some_call(subject));
    let is_given = subject.call.is_some();
    let mut called = None;
    let found = subject.with(|client, _| {
        let begun = Instant::now();
        let call = client.ask("tools/call", call);
        let ping = client.ask(method, json!({}));
        let answered = client.answer(ping);
        let was_first = !client.is_answered(&call);
        let outcome = client.answer(call);
        let took = begun.elapsed();
        called = Some((outcome.clone(), took));
        match (answered, outcome) {
            (_, Err(_)) if is_given => Ok(Found::skip("the call itself fails: see tools/call")),
            (_, Err(failure)) => Err(failure),
            (answered, Ok(_)) => during(answered, was_first, took),
        }
    });
    // The call that was asked for is made once, and what came of it is the last layer's business.
    let called = called.filter(|_| is_given);
    if matches!(called, Some((Err(_), _))) {
        subject.suspect();
    }
    subject.called = called;
    found
}

/// What the answer to a ping tells that was sent while a call ran.
fn during(
    answered: Result<Outcome, Failure>,
    was_first: bool,
    took: Duration,
) -> Result<Found, Failure> {
    match answered {
        Ok(_) if was_first => Ok(Found::pass("the ping was answered before the call")),
        Ok(_) if took < LONG_CALL => Ok(Found::skip(
            "the call was over too soon to tell; --call with one that takes a second would",
        )),
        Ok(_) | Err(Failure::TimedOut(_)) => Ok(Found::note("the ping waited for the call")),
        Err(failure) => Err(failure),
    }
}

fn cancellation(subject: &mut Subject) -> Found {
    if subject
        .odd
        .iter()
        .any(|it| matches!(it, Oddity::Duplicate { .. }))
    {
        return Found::skip("every request is answered twice");
    }
    let method = subject.probe();
    let call = json!({"name": NO_TOOL, "arguments": {}});
    subject.with(|client, seen| {
        let pending = client.ask_as("\"cancelled\"", "tools/call", call);
        client.notify("notifications/cancelled", json!({"requestId": "cancelled"}));
        client.request(method, json!({}))?;
        client.listen(AFTERMATH);
        let answered = client.is_answered(&pending);
        client.forget(pending);
        let odd = client.oddities();
        let twice = odd.iter().any(|it| matches!(it, Oddity::Duplicate { .. }));
        seen.extend(odd);
        Ok(match (twice, answered) {
            (true, _) => Found::fail("the cancelled request was answered twice"),
            (_, true) => Found::pass("it was answered already, and the session goes on"),
            _ => Found::pass("no answer to it, and the session goes on"),
        })
    })
}

fn endurance(subject: &mut Subject) -> Found {
    let method = subject.probe();
    subject.with(|client, _| {
        let begun = Instant::now();
        for number in 0..ENDURED {
            if begun.elapsed() > ENDURANCE {
                return Ok(Found::pass(format!(
                    "{number} answers, and then the time was up"
                )));
            }
            let asked = match number % 10 {
                9 => client.request("tools/call", json!({"name": NO_TOOL, "arguments": {}})),
                _ => client.request(method, json!({})),
            };
            if let Err(failure) = asked {
                return Ok(Found::fail(format!("after {number} requests {failure}")));
            }
        }
        Ok(Found::pass(format!("{ENDURED} answers")))
    })
}

fn clean_stdout(subject: &mut Subject) -> Found {
    subject.untold_noise()
}
