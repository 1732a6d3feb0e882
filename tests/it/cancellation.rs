//! Cancelled calls stop and are never answered; progress comes for those who ask.

use serde_json::json;

use crate::client::{Answer, Client};
use crate::launch::Launch;
use crate::shapes::Revision;
use crate::slow;

// X01
#[test]
fn a_cancelled_call_is_never_answered() {
    let slow = slow::directory();
    for revision in [Revision::November2024, Revision::July2026] {
        let mut client = Client::speaking(revision, slow.path());
        let id = client.post("tools/call", slow::call(Some(json!("token"))));
        client.cancel(id);
        client.assert_silent();
        assert_eq!(
            client
                .call("read_file", json!({"path": "quick.txt"}))
                .text(),
            "quick\n"
        );
        client.assert_silent();
    }
}

/// A hundred slow calls take minutes. If they went on, the quick one behind them would not be answered in time.
#[test]
fn cancelling_stops_the_work_and_not_only_the_answer() {
    let slow = slow::directory();
    let mut client = Client::speaking(Revision::November2025, slow.path());
    let post = |_| client.post("tools/call", slow::call(None));
    let ids: Vec<u64> = (0..100).map(post).collect();
    ids.into_iter().for_each(|id| client.cancel(id));
    assert_eq!(
        client
            .call("read_file", json!({"path": "quick.txt"}))
            .text(),
        "quick\n"
    );
}

#[test]
fn cancelled_lines_and_listings_stop_too() {
    let slow = slow::directory();
    let mut client = Client::speaking(Revision::November2025, slow.path());
    for _ in 0..50 {
        let far = client.post_call(
            "read_lines",
            json!({"path": "slow.txt", "start": 9_000_000}),
        );
        let end = client.post_call(
            "read_file",
            json!({"path": "slow.txt", "offset": 9_000_000}),
        );
        client.cancel(far);
        client.cancel(end);
    }
    assert_eq!(
        client
            .call("read_file", json!({"path": "quick.txt"}))
            .text(),
        "quick\n"
    );
    client.assert_silent();
}

// X03
#[test]
fn an_id_is_cancelled_only_in_its_own_type() {
    let slow = slow::directory();
    let mut client = Client::serving(slow.path());
    for id in [json!(7), json!("7")] {
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": slow::brief_call()}));
    }
    client.cancel("7");
    assert_eq!(client.answer(7)["result"]["isError"], false);
    client.assert_silent();
}

/// The same id written otherwise is the same id.
#[test]
fn an_id_is_cancelled_by_any_spelling_of_it() {
    let slow = slow::directory();
    let mut client = Client::serving(slow.path());
    client.send(
        &json!({"jsonrpc": "2.0", "id": "ü", "method": "tools/call", "params": slow::call(None)}),
    );
    client.send_bytes(
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"\\u00fc\"}}\n",
    );
    client.assert_silent();
    client.send(&json!({"jsonrpc": "2.0", "id": "ü", "method": "ping"}));
    assert_eq!(client.answer("ü")["result"], json!({}));
}

/// A batch leaves out what was cancelled.
#[test]
fn a_cancelled_call_in_a_batch_is_left_out_of_its_answer() {
    let slow = slow::directory();
    let mut client = Client::speaking(Revision::March2025, slow.path());
    let call =
        json!({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": slow::call(None)});
    client.send(&json!([call, {"jsonrpc": "2.0", "id": "quick", "method": "ping"}]));
    client.cancel("slow");
    let batch = client.receive();
    assert_eq!(
        batch,
        json!([{"jsonrpc": "2.0", "id": "quick", "result": {}}])
    );
    client.assert_silent();
}

// X04, X05. The referee requires an open request with that token and that progress grows; here it has to come at all.
#[test]
fn progress_comes_for_each_kind_of_token_and_stops_with_the_call() {
    let slow = slow::directory();
    for revision in [
        Revision::November2024,
        Revision::November2025,
        Revision::July2026,
    ] {
        let mut client = Client::speaking(revision, slow.path());
        let mut waiting = vec![json!(0), json!("token")];
        let tokens = waiting.clone().into_iter().map(Some);
        // The calls without a token keep the machine busy, so that those with one take their second.
        let cores = std::thread::available_parallelism().unwrap().get();
        let calls = tokens.chain(std::iter::repeat_n(None, cores * 12));
        let ids: Vec<u64> = calls
            .map(|token| client.post("tools/call", slow::call(token)))
            .collect();
        while !waiting.is_empty() {
            let next = client.receive();
            if next["method"] == "notifications/progress" {
                waiting.retain(|token| *token != next["params"]["progressToken"]);
            }
        }
        ids.into_iter().for_each(|id| client.cancel(id));
        client.until_silent();
        client.assert_silent();
    }
}

// B117
#[test]
fn a_call_that_outlives_its_budget_says_that_it_is_partial() {
    let slow = slow::directory();
    let settings = tempfile::TempDir::new().unwrap();
    let config = settings.path().join("c.toml");
    std::fs::write(&config, "call_timeout = 0.1\n").unwrap();
    let mut client = Launch::new([slow.path()])
        .with(|it| it.arg("--config").arg(&config))
        .start();
    let count = Answer(client.request("tools/call", slow::call(None))).json();
    assert_eq!(count["partial"], true, "{count}");
}
