//! Bytes on the pipes: pieces, sizes, numbers, and clients that do not read.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;
use crate::launch::Launch;
use crate::shapes::Revision;
use crate::slow;

fn ping(id: u64) -> String {
    format!(
        "{}\n",
        json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
    )
}

fn call(id: u64, tool: &str, arguments: Value) -> String {
    let params = json!({"name": tool, "arguments": arguments});
    let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
    format!("{request}\n")
}

/// A directory with a small file and one of 64 KiB.
fn directory() -> TempDir {
    let directory = TempDir::new().unwrap();
    let text = format!("{}\n", "0123456".repeat(9)).repeat(1024);
    assert_eq!(text.len(), 65_536);
    fs::write(directory.path().join("big.txt"), text).unwrap();
    fs::write(directory.path().join("a.txt"), "a\n").unwrap();
    directory
}

#[test]
fn a_request_may_come_in_pieces() {
    let directory = TempDir::new().unwrap();
    let mut client = Client::serving(directory.path());
    for piece in ping(1).as_bytes().chunks(7) {
        client.send_bytes(piece);
        client.flush();
    }
    assert_eq!(client.answer(1)["result"], json!({}));
}

// T04, B12
#[test]
fn two_requests_may_come_in_one_write_with_any_line_end_between() {
    let directory = TempDir::new().unwrap();
    let mut client = Client::serving(directory.path());
    let (first, second) = (ping(1), ping(2));
    client.send_bytes(format!(
        "\r\n\n   \n{}\r\n\n\u{feff}{second}",
        first.trim_end()
    ));
    assert_eq!(client.receive()["id"], 1);
    assert_eq!(client.receive()["id"], 2);
    client.assert_silent();
}

#[test]
fn a_huge_argument_gets_a_small_answer() {
    let directory = TempDir::new().unwrap();
    let mut client = Client::serving(directory.path());
    for size in [300_000, 20_000_000] {
        let answer = client.call("read_file", json!({"path": "a".repeat(size)}));
        let fault = answer.fault();
        assert!(
            fault.len() < 10_000,
            "the error repeats {} bytes",
            fault.len()
        );
    }
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
}

// J11, B21
#[test]
fn a_line_over_the_cap_is_refused_by_its_id_and_the_next_one_works() {
    let directory = directory();
    let config = directory.path().join("small.toml");
    fs::write(&config, "max_line = 65536\n").unwrap();
    let mut client = Launch::new([directory.path()])
        .with(|it| it.arg("--config").arg(&config))
        .start();
    let long = "a".repeat(100_000);
    client.send_bytes(call(1, "read_file", json!({"path": long})));
    let refused = client.answer(1);
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    // An id behind the cap can't be known, and one inside the params is none.
    client.send_bytes(format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"params\":{{\"id\":5,\"x\":\"{long}\"}},\"id\":true}}\n"
    ));
    let refused = client.receive();
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    assert_eq!(refused["id"], Value::Null);
    client.send_bytes(ping(3));
    assert_eq!(client.answer(3)["result"], json!({}));
    client.send_bytes(call(4, "read_file", json!({"path": "a".repeat(60_000)})));
    assert_eq!(client.answer(4)["result"]["isError"], true);
}

// B06: the client writes everything before it reads anything.
#[test]
fn two_hundred_large_answers_wait_for_a_client_that_writes_first() {
    let directory = directory();
    let mut client = Launch::new([directory.path()]).unread().start();
    for id in 1..=200 {
        client.send_bytes(call(id, "read_file", json!({"path": "big.txt"})));
    }
    client.flush();
    client.read();
    for id in 1..=200 {
        let text = &client.answer(id)["result"]["content"][0]["text"];
        assert_eq!(text.as_str().map(str::len), Some(65_536));
    }
}

#[test]
fn twenty_thousand_pipelined_calls_are_all_answered_once() {
    let directory = directory();
    let mut client = Launch::new([directory.path()]).unread().start();
    let lines: String = (1..=20_000)
        .map(|id| call(id, "read_file", json!({"path": "a.txt"})))
        .collect();
    client.send_bytes(lines);
    client.flush();
    client.read();
    // The referee requires that each answer is asked for and, at the end, that each request is answered.
    for _ in 0..20_000 {
        assert_eq!(client.receive()["result"]["content"][0]["text"], "a\n");
    }
}

#[test]
fn ping_and_lists_are_answered_whatever_runs() {
    let slow = slow::directory();
    for number in [8, 40] {
        let mut client = Client::speaking(Revision::November2025, slow.path());
        let post = |_| client.post("tools/call", slow::call(None));
        let ids: Vec<u64> = (0..number).map(post).collect();
        for method in ["ping", "tools/list", "resources/list"] {
            let id = client.post(method, json!({}));
            assert_eq!(client.receive()["id"], id);
        }
        ids.into_iter().for_each(|id| client.cancel(id));
        client.assert_silent();
    }
}

// B118
#[test]
fn ten_copies_serve_one_directory_side_by_side() {
    let directory = directory();
    let mut clients: Vec<Client> = (0..10).map(|_| Client::serving(directory.path())).collect();
    for client in &mut clients {
        client.post_call("read_file", json!({"path": "a.txt"}));
    }
    for client in &mut clients {
        assert_eq!(client.receive()["result"]["content"][0]["text"], "a\n");
    }
    drop(clients);
    let left = fs::read_dir(directory.path()).unwrap().count();
    assert_eq!(left, 2, "nothing was left behind");
}

// B09, T02
#[test]
fn nothing_but_messages_is_on_stdout_when_things_go_wrong() {
    let directory = directory();
    fs::write(
        directory.path().join("bad.txt"),
        b"\x00\x01\x02\xff\xfe\x00\x00",
    )
    .unwrap();
    let mut client = Client::serving(directory.path());
    client.call("no_such_tool", json!({})).code();
    client.call("read_file", json!({"path": {"a": 7}})).fault();
    client.call("read_file", json!({"path": "bad.txt"})).fault();
    client.request("nope", json!({}));
    for line in [&b"{\"jsonrpc\":\n"[..], b"\x1b[31m\xff\x00\n"] {
        client.send_bytes(line);
        assert_eq!(client.receive()["error"]["code"], -32700);
    }
    client.assert_silent();
}
