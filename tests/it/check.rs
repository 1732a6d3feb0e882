//! `filewright check`: each pitfall is named by its check, and a server without any passes whole.

use std::collections::VecDeque;
use std::fs;
use std::path::PathBuf;
use std::process::Output;
use std::sync::Mutex;
use std::thread;

use serde_json::Value;
use tempfile::TempDir;

use crate::launch::Launch;
use crate::pages;

/// What speaks up when a server behaves like this: a fail, or a note where clients must bear it.
const PITFALLS: &[(&str, &[&str])] = &[
    ("healthy", &[]),
    ("offers-no-tools", &["note handshake/capabilities"]),
    ("pings-with-our-ids", &[]),
    ("ends-late", &[]),
    ("exits-at-initialize", &["fail start/running"]),
    ("silent", &["fail start/first-reply"]),
    ("logs-to-stdout", &["fail stream/stdout"]),
    (
        "logs-in-calls",
        &["fail protocol/clean-stdout", "fail tools/clean-stdout"],
    ),
    ("prints-in-a-tool", &["fail tools/clean-stdout"]),
    ("pretty-prints", &["fail stream/one-line"]),
    ("writes-gbk", &["fail stream/utf-8"]),
    ("begins-with-mark", &["fail stream/byte-order-mark"]),
    ("ends-lines-in-crlf", &["note stream/line-ends"]),
    ("writes-in-pieces", &["note stream/writes"]),
    (
        "does-not-flush",
        &["note start/first-reply", "fail stream/flush"],
    ),
    (
        "ends-no-line",
        &["note start/first-reply", "fail stream/flush"],
    ),
    ("cuts-at-pipe-size", &["fail stream/whole"]),
    ("answers-at-length", &["fail stream/size"]),
    ("floods-stderr", &["fail stream/stderr"]),
    ("writes-to-stderr", &["fail stream/stderr"]),
    ("dies-at-discover", &["fail handshake/discover"]),
    ("silent-at-discover", &["note handshake/discover"]),
    ("refuses-initialize", &["fail handshake/initialize"]),
    ("gives-no-version", &["fail handshake/versions"]),
    ("gives-version-as-number", &["fail handshake/versions"]),
    ("gives-odd-version", &["fail handshake/versions"]),
    ("gives-no-server-info", &["fail handshake/server-info"]),
    ("gives-no-capabilities", &["fail handshake/capabilities"]),
    ("answers-initialized", &["fail handshake/initialized"]),
    ("silent-until-initialized", &["note handshake/early-ping"]),
    (
        "ids-as-text",
        &["note start/first-reply", "fail protocol/ids"],
    ),
    ("ids-as-floats", &["fail protocol/ids"]),
    (
        "ignores-ping",
        &["note handshake/early-ping", "fail protocol/ping"],
    ),
    ("forgets-jsonrpc", &["fail stream/json-rpc"]),
    ("answers-ping-with-text", &["fail stream/json-rpc"]),
    ("answers-twice", &["fail protocol/concurrent"]),
    ("answers-notifications", &["fail protocol/notifications"]),
    ("knows-every-method", &["fail protocol/unknown-method"]),
    ("dies-on-bad-line", &["fail protocol/parse-error"]),
    (
        // One pitfall, met wherever a message takes more than one read.
        "parses-chunks",
        &[
            "fail stream/whole",
            "fail protocol/pieces",
            "fail protocol/large-argument",
        ],
    ),
    ("parses-short-chunks", &["fail protocol/pieces"]),
    ("takes-one-of-a-read", &["fail protocol/one-write"]),
    ("loses-large-lines", &["fail protocol/large-argument"]),
    ("blocks-in-a-call", &["note protocol/ping-during-call"]),
    ("answers-cancelled", &["fail protocol/cancellation"]),
    ("dies-after-sixty", &["fail protocol/endurance"]),
    ("hangs-after-sixty", &["fail protocol/endurance"]),
    ("has-no-list", &["fail tools/list"]),
    ("names-with-dots", &["note tools/names"]),
    ("array-without-items", &["fail tools/schemas"]),
    ("union-types", &["note tools/schemas"]),
    ("describes-nothing", &["note tools/descriptions"]),
    ("gives-no-hints", &["note tools/annotations"]),
    ("knows-every-tool", &["fail tools/unknown-tool"]),
    ("fails-unknown-tools", &["note tools/unknown-tool"]),
    ("errors-for-failures", &["note tools/failing-call"]),
    ("fails-without-text", &["fail tools/failing-call"]),
    ("ignores-eof", &["fail end/end-of-input"]),
    #[cfg(unix)]
    ("leaves-orphan", &["fail end/orphans"]),
];

/// What only shows over time, and is tried with `--watch`.
const OVER_TIME: [&str; 1] = ["changes-tools"];

/// Long enough for a busy machine, short enough for the many that wait in vain.
const LIMITS: [&str; 4] = match option_env!("FILEWRIGHT_TEST_SLOWLY") {
    None => ["--timeout", "2", "--timeout", "tools/call=6"],
    // Under an emulator.
    Some(_) => ["--timeout", "8", "--timeout", "tools/call=12"],
};

/// What takes its time to come.
const PATIENT: [&str; 2] = ["--timeout", "20"];

/// What the machine carries at once.
const AT_ONCE: usize = 6;

/// An example, which `cargo test` builds with the tests.
fn example(name: &str) -> PathBuf {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_filewright"));
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let path = program.with_file_name("examples").join(file);
    assert!(
        path.exists(),
        "not there: run `cargo build --examples` first"
    );
    path
}

pub(crate) fn misbehaving() -> PathBuf {
    example("misbehaving-server")
}

fn check(options: &[&str], mode: &str) -> Output {
    let server = misbehaving();
    let server = server.to_str().unwrap();
    let arguments = [&["check"], options, &["--", server, mode]].concat();
    Launch::new(arguments).patient().output()
}

/// The checks that speak up, in order, and all that was said.
fn spoken(output: &Output) -> (Vec<String>, Vec<Value>) {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let all: Vec<Value> = text
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    let field = |it: &Value, name: &str| it[name].as_str().unwrap().to_owned();
    let loud = all.iter().filter_map(|it| {
        let verdict = field(it, "verdict");
        let name = format!("{verdict} {}/{}", field(it, "layer"), field(it, "check"));
        (verdict == "fail" || verdict == "note").then_some(name)
    });
    (loud.collect(), all)
}

#[test]
fn every_pitfall_is_named_by_its_check_and_by_no_other() {
    let left: Mutex<VecDeque<_>> = Mutex::new(PITFALLS.iter().collect());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let Some((mode, expected)) = left.lock().unwrap().pop_front() else {
                        return;
                    };
                    let limits = match *mode {
                        "answers-at-length" => &PATIENT[..],
                        _ => &LIMITS,
                    };
                    let options = [&["--json"], limits].concat();
                    let output = check(&options, mode);
                    let (loud, all) = spoken(&output);
                    assert_eq!(loud, *expected, "{mode}: {all:#?}");
                    let fails = expected.iter().any(|it| it.starts_with("fail"));
                    assert_eq!(output.status.code(), Some(i32::from(fails)), "{mode}");
                }
            });
        }
    });
}

#[test]
fn every_mode_of_the_misbehaving_server_is_tried() {
    let output = Launch::of(misbehaving(), [""; 0]).output();
    let listed = String::from_utf8(output.stderr).unwrap();
    let listed = listed.lines().map(|it| it.split(' ').next().unwrap());
    // The one that needs process groups is tried where there are any.
    let listed: Vec<&str> = listed
        .filter(|it| cfg!(unix) || *it != "leaves-orphan")
        .filter(|it| !OVER_TIME.contains(it))
        .collect();
    let mut tried: Vec<&str> = PITFALLS.iter().map(|(mode, _)| *mode).collect();
    tried.sort_by_key(|it| listed.iter().position(|known| known == it));
    assert_eq!(tried, listed);
}

#[test]
fn filewright_itself_passes_whole_in_both_eras() {
    for era in [&[][..], &["--era", "legacy"], &["--era", "modern"]] {
        let output = Launch::new([&["check", "--json"], era].concat()).output();
        let (loud, all) = spoken(&output);
        assert!(loud.is_empty(), "{loud:?}");
        assert!(output.status.success() && output.stderr.is_empty());
        assert!(all.len() > 40, "{} checks", all.len());
    }
}

#[test]
fn the_page_of_symptoms_names_every_check_and_no_other() {
    let output = Launch::new(["check", "--json"]).output();
    let (_, all) = spoken(&output);
    let name = |it: &Value| format!("{}/{}", it["layer"], it["check"]).replace('"', "");
    let known: Vec<String> = all.iter().map(name).collect();
    let page = pages::read("docs/troubleshooting.md");
    let words = pages::code_words(&page);
    for known in &known {
        assert!(
            words.contains(known),
            "docs/troubleshooting.md lacks {known}"
        );
    }
    let layers = ["start", "stream", "handshake", "protocol", "tools", "end"];
    for word in words {
        let layer = word.split_once('/').map_or("", |(layer, _)| layer);
        let is_path = word.contains('.') || word.matches('/').count() > 1;
        if layers.contains(&layer) && !is_path && word != "tools/list" && word != "tools/call" {
            assert!(known.contains(&word), "there is no check {word}");
        }
    }
    let symptoms = page.lines().filter(|it| it.starts_with("## ")).count();
    assert_eq!(symptoms, 7);
}

#[cfg(target_os = "linux")]
#[test]
fn the_page_of_pitfalls_shows_what_its_example_prints() {
    let output = Launch::of(example("chunks"), [""; 0]).patient().output();
    let printed = String::from_utf8(output.stdout).unwrap();
    let page = pages::read("docs/pitfalls.md");
    let shown = pages::blocks(&page)
        .into_iter()
        .find(|it| it.language == "text");
    assert_eq!(shown.unwrap().text, printed.trim_end_matches('\n'));
}

#[test]
fn a_person_reads_one_line_a_check_and_what_to_do_where_one_fails() {
    let output = check(&LIMITS, "exits-at-initialize");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("pass  start/command "), "{text}");
    let failed = lines
        .iter()
        .position(|it| it.starts_with("FAIL  start/running "));
    let failed = failed.unwrap_or_else(|| panic!("{text}"));
    assert!(
        lines[failed]
            .ends_with("exit code 3; last on stderr: Error: Cannot find module 'left-pad'")
    );
    for (line, name) in lines[failed + 1..].iter().zip(["sent:", "means:", "do:"]) {
        assert!(line.trim_start().starts_with(name), "{text}");
    }
    let last = lines.last().unwrap();
    assert!(
        last.contains("the first layer that fails is start"),
        "{last}"
    );
}

#[test]
fn a_command_that_is_not_there_is_looked_for_in_the_path_of_the_server() {
    for arguments in [
        &["--", "no-such-command-of-ours"][..],
        &["--clean-env", "--env", "PATH=/nowhere", "--", "sh"],
    ] {
        let output = Launch::new([&["check", "--json"], arguments].concat()).output();
        let (loud, all) = spoken(&output);
        assert_eq!(loud, ["fail start/command"], "{all:?}");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn layers_can_be_chosen_and_secrets_are_not_shown() {
    let options = ["--only", "start", "--env", "MY_API_KEY=sk-very-secret"];
    let output = check(&options, "healthy");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("MY_API_KEY=***"), "{text}");
    assert!(!text.contains("sk-very-secret"));
    assert!(
        !text.contains("stream/") && !text.contains("end/"),
        "{text}"
    );
}

#[test]
fn a_call_can_be_tried_and_its_text_is_shown() {
    for (arguments, verdict, text) in [
        (r#"{"text": "hello"}"#, None, "hello"),
        (
            r#"{"text": "fail"}"#,
            Some("fail tools/call"),
            "isError: it failed",
        ),
    ] {
        let output = check(&["--json", "--call", "echo", arguments], "healthy");
        let (loud, all) = spoken(&output);
        assert_eq!(loud, verdict.into_iter().collect::<Vec<_>>());
        let call = all.iter().find(|it| it["check"] == "call").unwrap();
        assert!(call["came"].as_str().unwrap().contains(text), "{call}");
    }
}

#[test]
fn every_frame_can_be_recorded_with_its_session() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("frames.jsonl");
    check(&["--transcript", path.to_str().unwrap()], "healthy");
    let frames = fs::read_to_string(path).unwrap();
    let mut directions = Vec::new();
    for line in frames.lines() {
        let frame: Value = serde_json::from_str(line).unwrap();
        directions.push(frame["direction"].as_str().unwrap().to_owned());
    }
    for wanted in [
        "sent (main)",
        "received (main)",
        "sent (modern)",
        "received (2024-11-05)",
    ] {
        assert!(directions.iter().any(|it| it == wanted), "{wanted}");
    }
}

#[test]
fn wrong_usage_is_told_from_a_server_that_fails() {
    for options in [
        &["--timeout", "soon"][..],
        &["--env", "NAME"],
        &["--cwd", "/no/such/directory"],
        &["--call", "echo", "[]"],
        &["--only", "middle"],
        &["--watch", "--json"],
    ] {
        let output = check(options, "healthy");
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        assert!(!output.stderr.is_empty() && output.stdout.is_empty());
    }
}
