//! Messages and arguments nobody thought of: each is answered, passed over or refused, and the next one works.

use std::fs;

use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::client::Client;
use crate::shapes::Revision;

// D04
#[test]
fn any_first_message_is_answered_or_passed_over_and_the_next_one_works() {
    let directory = TempDir::new().unwrap();
    let mut dice = Dice(20_260_728);
    for _ in 0..200 {
        let message = dice.message();
        let mut client = Client::serving(directory.path());
        client.send_bytes([&message[..], b"\n"].concat());
        client.send(&json!({"jsonrpc": "2.0", "id": "next", "method": "ping"}));
        assert_eq!(client.answer("next")["result"], json!({}));
        while !client.unanswered().is_empty() {
            client.receive();
        }
        let ending = client.finish();
        assert!(
            ending.status.success(),
            "{:?}",
            String::from_utf8_lossy(&message)
        );
        assert_eq!(ending.stderr, "");
    }
}

/// The client's referee looks at every answer; a panic would show on stderr when the client is dropped.
#[test]
fn any_arguments_are_answered_once_and_never_break_a_tool() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("a.txt"), "one\ntwo\n漢字\n").unwrap();
    fs::write(directory.path().join("b.bin"), [0, 1, 2, 255, 254]).unwrap();
    let mut client = Client::speaking(Revision::November2025, directory.path());
    let list = client.request("tools/list", json!({}));
    let tools = list["result"]["tools"].as_array().unwrap();
    let mut dice = Dice(20_251_125);
    for _ in 0..2_000 {
        let tool = &tools[dice.roll(tools.len())];
        let arguments = dice.arguments(tool);
        let answer = client.call(tool["name"].as_str().unwrap(), arguments).0;
        let text = answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_default();
        assert!(!text.is_empty(), "{answer}");
        assert!(!text.contains("a fault of its own"), "{answer}");
    }
}

/// A small generator of numbers, so that every run sends the same messages.
struct Dice(u64);

const SEEDS: [&str; 8] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_dir","arguments":{"path":".","depth":2}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3,"reason":"x"}}"#,
    r#"{"jsonrpc":"2.0","id":4,"result":{"roots":[]}}"#,
    r#"[{"jsonrpc":"2.0","id":5,"method":"ping"},{"jsonrpc":"2.0","id":6,"method":"ping"}]"#,
    "Content-Length: 40",
];

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        // Knuth's MMIX constants.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    /// A real message with a few accidents.
    fn message(&mut self) -> Vec<u8> {
        let mut bytes = SEEDS[self.roll(SEEDS.len())].as_bytes().to_vec();
        for _ in 0..self.roll(4) {
            let place = self.roll(bytes.len());
            match self.roll(5) {
                0 => bytes.truncate(place + 1),
                1 => bytes[place] = u8::try_from(self.roll(256)).unwrap(),
                2 => drop(bytes.remove(place)),
                3 => bytes.insert(place, b"{}[]\",:0n\\"[self.roll(10)]),
                _ => bytes.extend_from_within(place..),
            }
            if bytes.is_empty() {
                bytes.push(b'x');
            }
        }
        bytes
    }

    /// Values for some of a tool's arguments, fitting or not.
    fn arguments(&mut self, tool: &Value) -> Value {
        let properties = tool["inputSchema"]["properties"].as_object().unwrap();
        let mut arguments = Map::new();
        for name in properties.keys() {
            if name == "path" || self.roll(2) == 0 {
                let value = self.value(name);
                arguments.insert(name.clone(), value);
            }
        }
        Value::Object(arguments)
    }

    fn value(&mut self, name: &str) -> Value {
        let paths = [
            "a.txt", "b.bin", ".", "..", "/", "", "a.txt/", "\u{0}", "~", "file:///", "*",
        ];
        let numbers = [
            "0",
            "1",
            "-1",
            "2",
            "-3",
            "1e3",
            "9223372036854775807",
            "-9223372036854775808",
            "1e300",
            "0.5",
        ];
        match self.roll(8) {
            0 => json!(paths[self.roll(paths.len())]),
            1 => json!(
                [
                    "utf-8",
                    "utf-16be",
                    "gb18030",
                    "iso-2022-jp",
                    "hex",
                    "x-user-defined",
                    "replacement"
                ][self.roll(7)]
            ),
            2 => [json!([]), json!([[]]), json!([1, 2]), json!(["a.txt"])][self.roll(4)].clone(),
            3 => json!({"a": 1}),
            _ if name == "path" => json!(paths[self.roll(2)]),
            _ => serde_json::from_str(numbers[self.roll(numbers.len())]).unwrap(),
        }
    }
}
