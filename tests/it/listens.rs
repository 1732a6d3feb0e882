//! `subscriptions/listen` in number, and how listens end.

use std::fmt::Write;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, dressed};

fn listen(id: &Value) -> Value {
    let params = dressed(json!({"notifications": {"toolsListChanged": true}}));
    json!({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params})
}

fn cancelled(id: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
}

// M21
#[test]
fn five_thousand_listens_may_be_opened_and_cancelled() {
    let directory = TempDir::new().unwrap();
    let mut client = Client::serving(directory.path());
    let mut lines = String::new();
    for id in 0..5_000 {
        let id = json!(id);
        writeln!(lines, "{}\n{}", listen(&id), cancelled(&id)).unwrap();
    }
    client.send_bytes(lines);
    for id in 0..5_000 {
        let meta = &client.receive()["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/subscriptionId"], id);
    }
    client.assert_silent();
}

// M22
#[test]
fn the_end_of_input_ends_open_listens_with_their_result() {
    let directory = TempDir::new().unwrap();
    let mut client = Client::serving(directory.path());
    for id in [json!("a"), json!(2)] {
        client.send(&listen(&id));
        assert!(client.receive()["method"].is_string());
    }
    let ending = client.finish();
    let mut ids: Vec<String> = ending.lines.iter().map(|it| it["id"].to_string()).collect();
    ids.sort();
    assert_eq!(ids, ["\"a\"", "2"]);
    assert!(ending.status.success());
}

// M19: the acknowledgement is the first message that bears the subscription's id.
#[test]
fn a_listen_cancelled_at_once_is_acknowledged_at_most_once() {
    let directory = TempDir::new().unwrap();
    let mut client = Client::serving(directory.path());
    let id = json!("brief");
    client.send_bytes(format!("{}\n{}\n", listen(&id), cancelled(&id)));
    assert!(client.until_silent().len() <= 1);
    client.assert_silent();
}
