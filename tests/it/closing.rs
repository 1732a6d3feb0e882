//! How the program ends: at the end of input, without a reader, by a signal; and never otherwise.

use std::fs;
use std::process::Stdio;

use serde_json::json;
use tempfile::TempDir;

use crate::client::Client;
use crate::launch::Launch;
use crate::shapes::Revision;
use crate::slow;

// B01, T06
#[test]
fn the_end_of_input_is_the_end_with_or_without_a_session() {
    let directory = TempDir::new().unwrap();
    let ending = Client::serving(directory.path()).finish();
    assert!(ending.status.success() && ending.stderr.is_empty());
    for revision in Revision::ALL {
        let ending = Client::speaking(revision, directory.path()).finish();
        assert!(ending.status.success() && ending.stderr.is_empty());
    }
    let output = Launch::new([directory.path()]).output();
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty());
}

// T07
#[test]
fn what_was_read_before_the_end_is_answered() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("a.txt"), "a\n").unwrap();
    let mut client = Client::speaking(Revision::July2026, directory.path());
    for _ in 0..200 {
        client.post_call("wordcount", json!({"path": "a.txt"}));
    }
    let ending = client.finish();
    assert_eq!(ending.lines.len(), 200);
    assert!(ending.status.success());
}

#[test]
fn a_slow_call_is_answered_after_the_end_of_input() {
    let slow = slow::directory();
    let mut client = Client::serving(slow.path());
    client.post("tools/call", slow::brief_call());
    let ending = client.finish();
    assert_eq!(ending.lines.len(), 1);
    assert!(
        ending.lines[0]["result"]["structuredContent"]["chars"].is_u64(),
        "{:?}",
        ending.lines
    );
    assert!(ending.status.success());
}

#[test]
fn a_cancelled_call_does_not_delay_the_end() {
    let slow = slow::directory();
    let mut client = Client::serving(slow.path());
    for _ in 0..100 {
        let id = client.post("tools/call", slow::call(None));
        client.cancel(id);
    }
    let ending = client.finish();
    assert!(ending.lines.is_empty() && ending.status.success());
}

// T05, B14
#[test]
fn a_last_line_without_its_end_is_served() {
    let directory = TempDir::new().unwrap();
    let mut client = Client::serving(directory.path());
    client.send_bytes("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    let ending = client.finish();
    assert_eq!(
        ending.lines,
        [json!({"jsonrpc": "2.0", "id": 1, "result": {}})]
    );
    assert!(ending.status.success());
}

#[test]
fn a_last_line_cut_short_is_answered_too() {
    let directory = TempDir::new().unwrap();
    let mut client = Client::serving(directory.path());
    client.send_bytes("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi");
    let ending = client.finish();
    assert_eq!(ending.lines.len(), 1);
    assert_eq!(ending.lines[0]["id"], 1);
    assert_eq!(ending.lines[0]["error"]["code"], -32700);
}

// B05
#[test]
fn an_answer_does_not_wait_for_more_input() {
    let directory = TempDir::new().unwrap();
    let mut client = Client::serving(directory.path());
    client.send_bytes("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\"");
    assert_eq!(client.receive()["id"], 1);
    client.send_bytes(":\"2.0\",\"id\":2,\"method\":\"ping\"}\n");
    assert_eq!(client.receive()["id"], 2);
}

/// Not MCP, but clients written after the language server protocol say it.
#[test]
fn the_notification_exit_acts_as_the_end_of_input() {
    let directory = TempDir::new().unwrap();
    let mut client = Client::serving(directory.path());
    client.request("shutdown", json!({}));
    client.send(&json!({"jsonrpc": "2.0", "method": "exit"}));
    let ending = client.ended();
    assert!(ending.status.success() && ending.lines.is_empty());
}

// T08, B02
#[test]
fn a_closed_stdout_ends_the_program_in_silence() {
    let directory = TempDir::new().unwrap();
    let mut client = Launch::new([directory.path()]).unread().start();
    client.close_stdout();
    for _ in 0..10 {
        client.post("ping", json!({}));
    }
    client.read();
    let ending = client.ended();
    assert_eq!(ending.stderr, "");
    assert_ne!(
        ending.status.code(),
        Some(101),
        "no panic: {}",
        ending.status
    );
    assert!(ending.status.code().is_some());
}

/// A hundred slow calls take minutes, and nobody is left to read their answers.
#[test]
fn a_client_that_is_gone_altogether_stops_the_work() {
    let slow = slow::directory();
    let mut client = Launch::new([slow.path()]).unread().start();
    for _ in 0..100 {
        client.post("tools/call", slow::call(None));
    }
    client.flush();
    client.close_stdout();
    client.close_stdin();
    client.read();
    let ending = client.ended();
    assert_eq!(ending.stderr, "");
    assert!(ending.status.code().is_some());
}

// T09: two megabytes of frames against a stderr that nobody reads.
#[test]
fn an_unread_stderr_holds_up_neither_the_answers_nor_the_end() {
    let directory = TempDir::new().unwrap();
    let mut client = Launch::new(["--mcp-debug"])
        .with(|it| it.arg(directory.path()))
        .unread()
        .start();
    client.read_stdout();
    for _ in 0..100 {
        client
            .call("read_file", json!({"path": "a".repeat(20_000)}))
            .fault();
    }
    let ending = client.finish();
    assert!(ending.status.success());
}

/// A host may start the program with no stderr at all.
#[test]
fn a_closed_stderr_is_no_reason_to_stop() {
    let directory = TempDir::new().unwrap();
    let mut client = Launch::new(["--mcp-debug"])
        .with(|it| it.arg(directory.path()))
        .unread()
        .start();
    client.close_stderr();
    client.read();
    for _ in 0..20 {
        assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    }
}

// B130
#[test]
fn an_empty_environment_is_enough() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("a.txt"), "a\n").unwrap();
    let mut client = Launch::new([directory.path()])
        .with(|it| it.env_clear().current_dir("/"))
        .start();
    assert_eq!(
        client.call("read_file", json!({"path": "a.txt"})).text(),
        "a\n"
    );
}

#[test]
fn requests_and_answers_may_be_files() {
    let directory = TempDir::new().unwrap();
    let (requests, answers) = (
        directory.path().join("requests"),
        directory.path().join("answers"),
    );
    let ping = |id| {
        format!(
            "{}\n",
            json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
        )
    };
    fs::write(&requests, (0..20).map(ping).collect::<String>()).unwrap();
    let status = Launch::new([directory.path()])
        .with(|it| {
            it.stdin(fs::File::open(&requests).unwrap());
            it.stdout(fs::File::create(&answers).unwrap())
                .stderr(Stdio::null())
        })
        .start()
        .ended()
        .status;
    assert!(status.success());
    assert_eq!(fs::read_to_string(&answers).unwrap().lines().count(), 20);
}
