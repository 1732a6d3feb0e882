//! What the person who runs the program gets to see: frames, records, logs.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;
use crate::launch::Launch;

fn directory() -> TempDir {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("hello.txt"), "hello\n").unwrap();
    directory
}

/// A call sent by hand; the lines as they went over the wire come back.
fn talk(client: &mut Client) -> (String, String) {
    let params = json!({"name": "read_file", "arguments": {"path": "hello.txt"}});
    let sent = json!({"jsonrpc": "2.0", "id": "call-1", "method": "tools/call", "params": params})
        .to_string();
    client.send_bytes(format!("{sent}\n"));
    (sent, client.receive_line().0)
}

#[test]
fn mcp_debug_shows_each_frame_under_a_header() {
    let directory = directory();
    let mut client = Launch::new(["--mcp-debug"])
        .with(|it| it.arg(directory.path()))
        .loud()
        .start();
    let (sent, received) = talk(&mut client);
    let stderr = client.finish().stderr;
    let lines: Vec<&str> = stderr.lines().collect();
    let under = |frame: &str| {
        let place = lines.iter().position(|it| it.trim() == frame);
        lines[place.unwrap_or_else(|| panic!("{frame} is not in: {stderr}")) - 1]
    };
    for word in [
        "<-",
        "call-1",
        "tools/call",
        "read_file",
        &sent.len().to_string(),
    ] {
        assert!(
            under(&sent).contains(word),
            "{word:?} is not in {}",
            under(&sent)
        );
    }
    for word in ["->", "call-1", &received.len().to_string(), "ms"] {
        assert!(
            under(&received).contains(word),
            "{word:?} is not in {}",
            under(&received)
        );
    }
    assert!(
        !stderr.contains('\u{1b}'),
        "no colours where no terminal is"
    );
    let root = directory.path().file_name().unwrap().to_str().unwrap();
    for word in [env!("CARGO_PKG_VERSION"), root] {
        assert!(stderr.contains(word), "{word:?} is not in: {stderr}");
    }
}

#[test]
fn mcp_debug_shows_damaged_frames_and_clips_long_ones() {
    let directory = directory();
    let mut client = Launch::new(["--mcp-debug"])
        .with(|it| it.arg(directory.path()))
        .loud()
        .start();
    client.send_bytes("garbage in\n");
    client.receive();
    client
        .call("read_file", json!({"path": "a".repeat(100_000)}))
        .fault();
    let stderr = client.finish().stderr;
    assert!(stderr.contains("garbage in"), "{stderr}");
    assert!(
        stderr.lines().all(|it| it.len() < 8_000),
        "a frame is clipped past 4 KB"
    );
    assert!(stderr.contains("100"), "and its length is said");
}

#[test]
fn mcp_debug_can_be_asked_for_by_variable_and_in_pretty_form() {
    let directory = directory();
    for (variable, value) in [
        ("FILEWRIGHT_MCP_DEBUG", "1"),
        ("FILEWRIGHT_MCP_DEBUG", "pretty"),
    ] {
        let mut client = Launch::new([directory.path()])
            .with(|it| it.env(variable, value))
            .loud()
            .start();
        talk(&mut client);
        let stderr = client.finish().stderr;
        assert!(stderr.contains("tools/call"), "{stderr}");
        let indented = stderr
            .lines()
            .any(|it| it.trim() == "\"method\": \"tools/call\",");
        assert_eq!(indented, value == "pretty", "{stderr}");
    }
}

#[test]
fn a_record_holds_every_frame_as_it_was() {
    let directory = directory();
    let record = directory.path().join("frames.jsonl");
    let mut client = Launch::new(["--record"])
        .with(|it| it.arg(&record).arg(directory.path()))
        .start();
    let mut frames = vec![String::from(
        "{ \"jsonrpc\":\"2.0\", \"id\": 7 ,\"method\":\"ping\"}",
    )];
    client.send_bytes(format!("{}\n", frames[0]));
    frames.push(client.receive_line().0);
    frames.push(String::from("no json at all"));
    client.send_bytes("no json at all\n");
    frames.push(client.receive_line().0);
    let (sent, received) = talk(&mut client);
    frames.extend([sent, received]);
    drop(client);
    let text = fs::read_to_string(&record).unwrap();
    let records: Vec<Value> = text
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    for frame in frames {
        let holding = records.iter().filter(|it| {
            let members = it.as_object().unwrap().values();
            members.into_iter().any(|it| it == frame.as_str())
        });
        assert_eq!(holding.count(), 1, "{frame} is not there once: {text}");
    }
}

#[test]
fn a_log_file_takes_the_log_and_leaves_stderr_empty() {
    let directory = directory();
    let log = directory.path().join("log.txt");
    let mut client = Launch::new(["--log-file"])
        .with(|it| it.arg(&log).arg(directory.path()))
        .start();
    talk(&mut client);
    drop(client);
    assert!(
        fs::read_to_string(&log)
            .unwrap()
            .contains(env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn the_log_level_decides_what_is_on_stderr() {
    let directory = directory();
    let stderr = |name: &str, level: &str| {
        let launch = Launch::new([directory.path()])
            .with(|it| it.env(name, level))
            .loud();
        let mut client = launch.start();
        talk(&mut client);
        client.finish().stderr
    };
    for name in ["MCP_LOG_LEVEL", "FILEWRIGHT_LOG_LEVEL"] {
        assert_ne!(stderr(name, "debug"), "", "{name}");
        assert_eq!(stderr(name, "error"), "", "{name}");
        assert_eq!(stderr(name, ""), "", "{name}");
    }
}
