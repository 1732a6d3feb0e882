//! What is no text, or not all of it: named instead of dumped, and never sent raw.

use std::fs;

use serde_json::json;
use tempfile::TempDir;

use crate::client::Client;

fn serving(files: &[(&str, &[u8])]) -> (Client, TempDir) {
    let directory = TempDir::new().unwrap();
    for (name, content) in files {
        fs::write(directory.path().join(name), content).unwrap();
    }
    (Client::serving(directory.path()), directory)
}

// B87
#[test]
fn what_is_no_text_is_named_by_every_tool_that_reads() {
    let mut elf = b"\x7fELF\x02\x01\x01".to_vec();
    elf.resize(64, 0);
    let late = [&b"a".repeat(9_000)[..], b"\0\0\0"].concat();
    let later = [&b"a line of text\n".repeat(20_000)[..], b"\0\0\0"].concat();
    let files: [(&str, &[u8], &str); 6] = [
        (
            "i.png",
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
            "image/png, 16 bytes",
        ),
        (
            "n.pdf",
            b"%PDF-1.4\n1 0 obj\n<< >>\nendobj\n",
            "application/pdf, 30 bytes",
        ),
        ("d.docx", b"PK\x03\x04\x14\0", "application/zip, 6 bytes"),
        ("e.elf", &elf, "executable, 64 bytes"),
        ("late.dat", &late, "binary data, 9,003 bytes"),
        ("later.dat", &later, "binary data, 300,003 bytes"),
    ];
    let (mut client, _directory) = serving(&files.map(|(name, content, _)| (name, content)));
    for (path, _, what) in files {
        let last_page = json!({"path": path, "offset": -1});
        let last_lines = json!({"path": path, "start": -1});
        for (tool, arguments) in [
            ("read_file", last_page),
            ("read_lines", last_lines),
            ("wordcount", json!({"path": path})),
        ] {
            let answer = client.call(tool, arguments);
            let fault = answer.fault();
            assert!(
                fault.starts_with(&format!("{path} is not text: ")),
                "{tool}: {fault}"
            );
            assert!(fault.contains(what), "{tool}: {fault}");
            assert!(fault.contains("encoding=\"hex\""), "{tool}: {fault}");
        }
        let dump = client.call("read_file", json!({"path": path, "encoding": "hex"}));
        assert!(dump.text().contains("\n00000000  "), "{}", dump.text());
    }
}

// B87: pages before the one with the bytes that no text has are text.
#[test]
fn binary_data_far_behind_is_met_on_its_own_page() {
    let content = [&b"a line of text\n".repeat(20_000)[..], b"\0\0\0"].concat();
    let (mut client, _directory) = serving(&[("t.dat", &content)]);
    let first = client.call("read_file", json!({"path": "t.dat"}));
    assert!(first.text().contains("a line of text\n"));
    let line = client.call(
        "read_lines",
        json!({"path": "t.dat", "start": 10_000, "count": 1}),
    );
    assert!(
        line.text().contains(" 10000\ta line of text"),
        "{}",
        line.text()
    );
}

// B88
#[test]
fn a_lone_nul_deep_in_a_log_is_shown_and_said() {
    let mut log: String = (1..=2_000).map(|it| format!("line {it} ok\n")).collect();
    log.push_str("x\0y \x1b[31mred\x1b[0m\n");
    let (mut client, _directory) = serving(&[("log.txt", log.as_bytes())]);
    let shown = r"x\x00y \x1B[31mred\x1B[0m";
    let notice = r"[3 control characters shown as \xNN]";
    for (tool, arguments, line) in [
        (
            "read_lines",
            json!({"path": "log.txt", "start": 2_001}),
            format!("  2001\t{shown}\n"),
        ),
        (
            "read_file",
            json!({"path": "log.txt", "offset": -1}),
            format!("{shown}\n"),
        ),
    ] {
        let answer = client.call(tool, arguments);
        assert!(answer.text().ends_with(&line), "{}", answer.text());
        assert_eq!(
            answer.text().matches(notice).count(),
            1,
            "{}",
            answer.text()
        );
        assert!(!answer.0.to_string().contains(r"\u0000"), "{}", answer.0);
        assert!(!answer.0.to_string().contains(r"\u001b"), "{}", answer.0);
    }
    let count = client.call("wordcount", json!({"path": "log.txt"})).json();
    assert_eq!(count["lines"], 2_001, "{count}");
}
