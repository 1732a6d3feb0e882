//! Files that are not what their size says: of the system's own, changed between two pages or during one, sparse.

use std::fs::{self, File};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;

/// Text of 18 pages: lines of seven bytes.
fn lines(count: usize) -> String {
    (0..count).map(|it| format!("{it:06}\n")).collect()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::path::Path;

    use super::*;
    use crate::launch::Launch;

    /// Of the most memory that a process had at once, kilobytes.
    fn most_memory(client: &Client) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", client.pid())).unwrap();
        let line = status.lines().find(|it| it.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    // B71
    #[test]
    fn a_file_of_the_system_is_read_to_its_end_by_every_tool() {
        let mut client = Client::serving(Path::new("/proc/self"));
        let whole = client.call("read_file", json!({"path": "status"}));
        let whole = whole.text().to_owned();
        assert!(whole.starts_with("Name:\tfilewright\n"), "{whole}");
        let count = whole.lines().count();
        let name = |line: &str| line.split('\t').next().unwrap().to_owned();
        let last = name(whole.lines().next_back().unwrap());
        for (tool, arguments) in [
            ("read_file", json!({"path": "status", "offset": -1})),
            ("read_file", json!({"path": "status", "offset": count})),
            (
                "read_lines",
                json!({"path": "status", "start": -1, "numbers": false}),
            ),
            (
                "read_lines",
                json!({"path": "status", "start": count, "numbers": false}),
            ),
        ] {
            let answer = client.call(tool, arguments);
            let shown = answer
                .text()
                .lines()
                .find(|it| !it.starts_with('['))
                .unwrap();
            assert_eq!(name(shown), last, "{tool}: {}", answer.text());
        }
        let counted = client.call("wordcount", json!({"path": "status"})).json();
        assert_eq!(counted["lines"], count);
        let dump = client.call("read_file", json!({"path": "status", "encoding": "hex"}));
        assert!(
            dump.text().contains("|Name:.filewright|"),
            "{}",
            dump.text()
        );
    }

    #[test]
    fn a_part_of_a_file_of_the_system_claims_no_size() {
        let mut client = Client::serving(Path::new("/proc/self"));
        let part = client.call("read_file", json!({"path": "status", "limit": 1}));
        let expected = "[lines 1 to 1 of status, size unknown]\nName:\tfilewright\n";
        assert!(part.text().starts_with(expected), "{}", part.text());
        let past = client.call(
            "read_file",
            json!({"path": "status", "byte_offset": 100_000}),
        );
        assert_eq!(past.text(), "(no byte 100,000)\n");
        let past = json!({"path": "status", "byte_offset": 100_000, "encoding": "hex"});
        assert_eq!(client.call("read_file", past).text(), "(no byte 100,000)\n");
    }

    #[test]
    fn a_dump_of_a_file_of_the_system_goes_on_to_its_real_end() {
        let mut client = Launch::new([Path::new("/proc/self")])
            .with(|it| it.arg("--max-bytes=1024"))
            .start();
        let mut dumped = 0;
        loop {
            let arguments = json!({"path": "maps", "encoding": "hex", "byte_offset": dumped});
            let page = client.call("read_file", arguments);
            let last = page.text().lines().next_back().unwrap().to_owned();
            let rows = page.text().lines().filter(|it| !it.starts_with('['));
            let end = dumped + 16 * rows.count();
            let goes_on =
                format!("[more follows. Continue: read_file byte_offset={end} encoding=hex]");
            if last != goes_on {
                assert!(!last.starts_with('['), "{last}");
                break;
            }
            dumped = end;
        }
        // The list of what is mapped into a process is longer than that.
        assert!(dumped > 0);
    }

    /// Those of sysfs state the size of a page of memory, and have less.
    #[test]
    fn the_end_of_a_file_that_states_too_much_is_where_its_bytes_end() {
        let mut client = Client::serving(Path::new("/sys"));
        let path = "kernel/uevent_seqnum";
        let Ok(content) = fs::read_to_string(Path::new("/sys").join(path)) else {
            // A sandbox without one.
            return;
        };
        let read = client.call(
            "read_lines",
            json!({"path": path, "start": -1, "numbers": false}),
        );
        assert_eq!(read.text().lines().count(), content.lines().count());
        let read = client.call("read_lines", json!({"path": path, "start": -5}));
        assert!(read.text().contains("    -1\t"), "{}", read.text());
        for arguments in [json!({"offset": -1}), json!({"offset": 1})] {
            let mut given = arguments;
            given["path"] = json!(path);
            let read = client.call("read_file", given);
            assert!(!read.text().contains("no byte"), "{}", read.text());
        }
        let dump = client.call("read_file", json!({"path": path, "encoding": "hex"}));
        assert!(!dump.text().contains("more follows"), "{}", dump.text());
    }

    /// Every tool at every place of a file of that size, with a text in front and NULs after it.
    fn calls(size: u64) -> Vec<(&'static str, Value)> {
        vec![
            ("read_file", json!({"path": "t.txt"})),
            ("read_file", json!({"path": "t.txt", "offset": 90_000})),
            ("read_file", json!({"path": "t.txt", "offset": 1_000_000})),
            ("read_file", json!({"path": "t.txt", "offset": -1})),
            (
                "read_file",
                json!({"path": "t.txt", "byte_offset": size / 2, "encoding": "utf-8"}),
            ),
            (
                "read_file",
                json!({"path": "t.txt", "byte_offset": size / 2 + 1, "encoding": "gb18030"}),
            ),
            (
                "read_file",
                json!({"path": "t.txt", "byte_offset": size / 2, "encoding": "iso-2022-jp"}),
            ),
            (
                "read_file",
                json!({"path": "t.txt", "byte_offset": size - 100, "encoding": "hex"}),
            ),
            ("read_lines", json!({"path": "t.txt", "count": 100})),
            (
                "read_lines",
                json!({"path": "t.txt", "start": 99_999, "encoding": "utf-8"}),
            ),
            (
                "read_lines",
                json!({"path": "t.txt", "start": 1_000_000, "encoding": "utf-8"}),
            ),
            (
                "read_lines",
                json!({"path": "t.txt", "start": -3, "encoding": "utf-8"}),
            ),
            ("wordcount", json!({"path": "t.txt"})),
            ("wordcount", json!({"path": "t.txt", "encoding": "utf-8"})),
            (
                "wordcount",
                json!({"path": "t.txt", "encoding": "shift_jis"}),
            ),
            ("list_dir", json!({"details": true})),
        ]
    }

    // B91, S02
    #[test]
    fn ten_gigabytes_take_no_more_memory_than_a_page() {
        const SIZE: u64 = 10 << 30;
        const MOST: u64 = 8 * 1024;
        let directory = TempDir::new().unwrap();
        let settings = TempDir::new().unwrap();
        let config = settings.path().join("c.toml");
        fs::write(&config, "call_timeout = 0.5\n").unwrap();
        fs::write(directory.path().join("small.txt"), "small\n").unwrap();
        fs::write(directory.path().join("t.txt"), lines(100_000)).unwrap();
        let file = File::options()
            .write(true)
            .open(directory.path().join("t.txt"))
            .unwrap();
        file.set_len(SIZE).unwrap();
        let mut client = Launch::new([directory.path()])
            .with(|it| it.arg("--config").arg(&config))
            .start();
        client
            .call("read_file", json!({"path": "small.txt"}))
            .text();
        let idle = most_memory(&client);
        for (tool, arguments) in calls(SIZE) {
            let answer = client.call(tool, arguments.clone());
            assert!(
                answer.0["result"].is_object(),
                "{tool} {arguments}: {}",
                answer.0
            );
            let more = most_memory(&client) - idle;
            assert!(more <= MOST, "{tool} {arguments}: {more} kB more than idle");
        }
        let count = client
            .call("wordcount", json!({"path": "t.txt", "encoding": "utf-8"}))
            .json();
        assert_eq!(count["partial"], true, "{count}");
    }
}

// B91: what is near the start of a huge file is there at once, whatever follows.
#[test]
fn the_start_of_a_huge_file_is_read() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("t.txt");
    fs::write(&path, lines(100_000)).unwrap();
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(6 << 30)
        .unwrap();
    let mut client = Client::serving(directory.path());
    let answer = client.call("read_lines", json!({"path": "t.txt", "count": 2}));
    assert!(
        answer.text().starts_with(
            "[lines 1 to 2 of t.txt, 6,442,450,944 bytes in all]\n     1\t000000\n     2\t000001\n"
        ),
        "{}",
        answer.text()
    );
    let answer = client.call(
        "read_file",
        json!({"path": "t.txt", "offset": 2, "limit": 1}),
    );
    assert!(answer.text().contains("\n000001\n"), "{}", answer.text());
}

// B92
#[test]
fn each_page_states_the_size_as_it_is_now() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("t.txt");
    fs::write(&path, lines(20_000)).unwrap();
    let mut client = Client::serving(directory.path());
    let mut page = |arguments: Value| {
        let mut arguments = arguments;
        arguments["path"] = json!("t.txt");
        client.call("read_file", arguments).text().to_owned()
    };
    let first = page(json!({}));
    assert!(
        first.starts_with("[lines 1 to 9362 of t.txt, 140,000 bytes in all]\n"),
        "{}",
        &first[..80]
    );
    assert!(
        first.ends_with("Continue: read_file offset=9363]"),
        "{first}"
    );
    // It grows: what was read is where it was.
    fs::write(&path, lines(30_000)).unwrap();
    let grown = page(json!({"offset": 9_363}));
    assert!(
        grown.starts_with("[lines 9363 to 18724 of t.txt, 210,000 bytes in all]\n009362\n"),
        "{}",
        &grown[..80]
    );
    // It shrinks, to less than where the next page begins.
    fs::write(&path, lines(10)).unwrap();
    assert_eq!(
        page(json!({"offset": 18_725})),
        "(no line 18,725: 10 lines)\n"
    );
    assert_eq!(
        page(json!({"byte_offset": 131_068})),
        "(no byte 131,068: 70 bytes)\n"
    );
    // It is replaced by another file of the same name.
    let other = directory.path().join("other");
    fs::write(&other, "another\n".repeat(3)).unwrap();
    fs::rename(&other, &path).unwrap();
    assert_eq!(
        page(json!({"offset": 2})),
        "[lines 2 to 3 of t.txt, 24 bytes in all]\nanother\nanother\n"
    );
    // It is emptied, and gone.
    fs::write(&path, "").unwrap();
    assert_eq!(page(json!({"offset": 2})), "(empty file)\n");
    assert_eq!(page(json!({"byte_offset": 0})), "(empty file)\n");
    fs::remove_file(&path).unwrap();
    let gone = client.call("read_file", json!({"path": "t.txt", "offset": 2}));
    assert!(
        gone.fault().starts_with("no file at t.txt"),
        "{}",
        gone.fault()
    );
}

// B92
#[test]
fn the_lines_and_figures_of_a_changed_file_are_those_it_has_now() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("t.txt");
    fs::write(&path, lines(100_000)).unwrap();
    let mut client = Client::serving(directory.path());
    let first = client.call(
        "read_lines",
        json!({"path": "t.txt", "start": 90_000, "count": 1}),
    );
    assert!(
        first.text().contains(" 90000\t089999\n"),
        "{}",
        first.text()
    );
    fs::write(&path, lines(60_000)).unwrap();
    let past = client.call(
        "read_lines",
        json!({"path": "t.txt", "start": 90_000, "count": 1}),
    );
    assert_eq!(past.text(), "(no line 90,000: 60,000 lines)\n");
    let last = client.call("read_lines", json!({"path": "t.txt", "start": -1}));
    assert!(last.text().contains("    -1\t059999\n"), "{}", last.text());
    // The same size, and other lines.
    fs::write(&path, "x\n".repeat(210_000)).unwrap();
    let line = client.call(
        "read_lines",
        json!({"path": "t.txt", "start": 200_000, "count": 1}),
    );
    assert!(line.text().contains("200000\tx\n"), "{}", line.text());
    let count = client.call("wordcount", json!({"path": "t.txt"})).json();
    assert_eq!(
        [&count["lines"], &count["bytes"]],
        [&json!(210_000), &json!(420_000)]
    );
}

// B92: a log that is written and rotated while it is read; each call is answered and none panics.
#[test]
fn a_file_that_changes_all_the_time_is_read_all_the_same() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("t.txt");
    let (long, short) = (lines(50_000), lines(3));
    fs::write(&path, &long).unwrap();
    let mut client = Client::serving(directory.path());
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for content in [&short, "", &long] {
                    fs::write(&path, content).unwrap();
                }
            }
        });
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for round in 0..150 {
                let (tool, arguments) = match round % 5 {
                    0 => ("read_file", json!({"path": "t.txt", "offset": 40_000})),
                    1 => (
                        "read_file",
                        json!({"path": "t.txt", "byte_offset": 200_003}),
                    ),
                    2 => ("read_lines", json!({"path": "t.txt", "start": 49_000})),
                    3 => ("read_lines", json!({"path": "t.txt", "start": -100})),
                    _ => ("wordcount", json!({"path": "t.txt"})),
                };
                let answer = client.call(tool, arguments);
                assert!(!answer.text().is_empty(), "{tool}: {}", answer.0);
            }
        }));
        done.store(true, Ordering::Relaxed);
        if let Err(fault) = ended {
            std::panic::resume_unwind(fault);
        }
    });
}
