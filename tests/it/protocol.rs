//! What MCP asks of a server beside single lines; ids in comments are those of the protocol checklist.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, dressed, hello};
use crate::shapes::Revision;
use crate::slow;

/// A directory with one small file of each kind the tools are tried on.
fn directory() -> TempDir {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("hello.txt"), "hello\n").unwrap();
    directory
}

// T01, C05, C06, C07, M02, M03: the client's referee looks at every answer.
#[test]
fn every_tool_answers_in_the_shape_of_every_revision() {
    let directory = directory();
    for revision in Revision::ALL {
        let mut client = Client::speaking(revision, directory.path());
        let list = client.request("tools/list", json!({}));
        for tool in list["result"]["tools"].as_array().unwrap() {
            let name = tool["name"].as_str().unwrap();
            let path = if name == "list_dir" { "." } else { "hello.txt" };
            client.call(name, json!({"path": path})).text();
            client.call(name, json!({"path": "missing"})).fault();
        }
        assert_eq!(client.call("no_such_tool", json!({})).code(), -32602);
    }
}

// T01
#[test]
fn text_that_looks_like_line_ends_stays_inside_one_line() {
    let directory = TempDir::new().unwrap();
    let text = "a\r\nb\u{2028}c\u{2029}d e \\n \"\u{1f600}\"\n";
    fs::write(directory.path().join("ends.txt"), text).unwrap();
    fs::write(directory.path().join("long.txt"), "x".repeat(1 << 20)).unwrap();
    let mut client = Client::serving(directory.path());
    assert_eq!(
        client.call("read_file", json!({"path": "ends.txt"})).text(),
        text
    );
    let long = client.call("read_file", json!({"path": "long.txt"}));
    assert!(long.text().contains("mid-line"), "{}", long.text().len());
}

// T03
#[test]
fn a_name_in_any_script_is_the_same_name_inside() {
    let directory = TempDir::new().unwrap();
    // Windows has no double quotes in names.
    let quoted = if cfg!(windows) {
        "a b'c.txt"
    } else {
        "a b'c\"d.txt"
    };
    for name in ["grün.txt", "日本語.txt", "😀.txt", quoted] {
        fs::write(directory.path().join(name), name).unwrap();
        let mut client = Client::serving(directory.path());
        assert_eq!(client.call("read_file", json!({"path": name})).text(), name);
        let count = client.call("wordcount", json!({"path": name})).json();
        assert_eq!(count["path"], name);
    }
}

// L07
#[test]
fn handshake_and_first_requests_may_come_in_one_write() {
    let directory = directory();
    for revision in Revision::LEGACY {
        let mut client = Client::serving(directory.path());
        let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello(revision.name())});
        let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
        let call = json!({"name": "read_file", "arguments": {"path": "hello.txt"}});
        let call = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call});
        client.send_bytes(format!("{initialize}\n{list}\n{call}\n"));
        assert_eq!(
            client.answer(1)["result"]["protocolVersion"],
            revision.name()
        );
        assert!(client.answer(2)["result"]["tools"].is_array());
        assert_eq!(client.answer(3)["result"]["content"][0]["text"], "hello\n");
    }
}

// L16, M24
#[test]
fn what_belongs_to_features_we_never_declared_is_passed_over() {
    let directory = directory();
    let params = json!({
        "name": "read_file",
        "arguments": {"path": "hello.txt"},
        "task": {"ttl": 1000},
        "inputResponses": {"confirm": {"action": "accept"}},
        "requestState": "v1.9f2c.opaque",
    });
    for revision in [Revision::November2025, Revision::July2026] {
        let mut client = Client::speaking(revision, directory.path());
        let answer = client.request("tools/call", params.clone());
        assert_eq!(answer["result"]["content"][0]["text"], "hello\n");
    }
}

// M14, M15
#[test]
fn the_list_of_tools_is_the_same_byte_for_byte_whatever_came_before() {
    let directory = directory();
    let list = |client: &mut Client| {
        let request = json!({"jsonrpc": "2.0", "id": 0, "method": "tools/list", "params": dressed(json!({}))});
        client.send(&request);
        client.receive_line().0
    };
    let first = list(&mut Client::serving(directory.path()));
    let mut client = Client::speaking(Revision::November2024, directory.path());
    client
        .call("read_file", json!({"path": "hello.txt"}))
        .text();
    client.request("tools/list", json!({}));
    for _ in 0..100 {
        assert_eq!(list(&mut client), first);
    }
}

// D02
#[test]
fn modern_and_legacy_requests_take_turns_on_one_pipe() {
    let directory = directory();
    let mut client = Client::speaking(Revision::June2025, directory.path());
    for turn in 0..20 {
        let mut params = json!({"name": "wordcount", "arguments": {"path": "hello.txt"}});
        if turn % 2 == 0 {
            params = dressed(params);
        }
        let result = client.request("tools/call", params)["result"].clone();
        let modern = result.get("resultType").is_some();
        assert_eq!(modern, turn % 2 == 0, "{result}");
        assert_eq!(result["structuredContent"]["words"], 1);
    }
}

// C14
#[test]
fn a_hundred_calls_at_once_are_answered_each_with_its_own_text() {
    let directory = TempDir::new().unwrap();
    for number in 0..100 {
        fs::write(
            directory.path().join(format!("{number}.txt")),
            format!("file {number}\n"),
        )
        .unwrap();
    }
    for revision in [Revision::November2025, Revision::July2026] {
        let mut client = Client::speaking(revision, directory.path());
        let post = |number| client.post_call("read_file", json!({"path": format!("{number}.txt")}));
        let ids: Vec<u64> = (0..100).map(post).collect();
        for (number, id) in ids.into_iter().enumerate() {
            let answer = client.answer(id);
            assert_eq!(
                answer["result"]["content"][0]["text"],
                format!("file {number}\n")
            );
        }
    }
}

// J07
#[test]
fn an_id_in_flight_is_refused_to_a_newcomer_and_the_first_is_answered() {
    let slow = slow::directory();
    let mut client = Client::serving(slow.path());
    let mut send = |method: &str, params: Value| {
        client.send(&json!({"jsonrpc": "2.0", "id": "same", "method": method, "params": params}));
    };
    send("tools/call", slow::brief_call());
    send("ping", json!({}));
    send("tools/call", slow::brief_call());
    for _ in 0..2 {
        let refused = client.receive();
        assert_eq!(refused["error"]["code"], -32600, "{refused}");
        // An answer under that id would be taken for the first one's.
        assert_eq!(refused["id"], Value::Null);
    }
    // A damaged line must not answer in the name of the one in flight either.
    client.send_bytes("{\"jsonrpc\":\"2.0\",\"id\":\"same\",\"method\":\n");
    assert_eq!(client.receive()["id"], Value::Null);
    assert_eq!(client.answer("same")["result"]["isError"], false);
}

// B38, M16: the referee refuses a line with both a method and an id.
#[test]
fn a_client_with_roots_is_never_asked_for_them() {
    let directory = directory();
    let mut client = Client::serving(directory.path());
    let mut params = hello("2025-06-18");
    params["capabilities"] = json!({"roots": {"listChanged": true}});
    client.request("initialize", params);
    for method in [
        "notifications/initialized",
        "notifications/roots/list_changed",
    ] {
        client.send(&json!({"jsonrpc": "2.0", "method": method}));
    }
    client.assert_silent();
    assert_eq!(
        client
            .call("read_file", json!({"path": "hello.txt"}))
            .text(),
        "hello\n"
    );
}

// J08: an executed call would leave its trace in the access time of nothing, so the proof is a call that would take long.
#[test]
fn a_call_without_an_id_is_not_executed() {
    let slow = slow::directory();
    let mut client = Client::serving(slow.path());
    let line = json!({"jsonrpc": "2.0", "method": "tools/call", "params": slow::call(None)});
    for _ in 0..200 {
        client.send(&line);
    }
    assert_eq!(
        client
            .call("read_file", json!({"path": "quick.txt"}))
            .text(),
        "quick\n"
    );
}
