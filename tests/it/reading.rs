//! Reading files of every size and kind: budgets, continuations, large directories.

use std::fs::{self, File};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;
use crate::shapes::Revision;

/// The largest text of a result, and the largest line of an answer.
const BUDGET: usize = 65_536;
const LINE: usize = 256 * 1024;

fn serving(name: &str, content: &[u8]) -> (Client, TempDir) {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join(name), content).unwrap();
    (
        Client::speaking(Revision::November2025, directory.path()),
        directory,
    )
}

/// The arguments that a result's last line says to go on with.
fn continuation(text: &str) -> Option<Value> {
    continuation_of("read_file", text)
}

fn continuation_of(tool: &str, text: &str) -> Option<Value> {
    let notice = text.trim_end().lines().next_back()?;
    let next = notice.strip_prefix('[')?.strip_suffix(']')?;
    let (_, next) = next.split_once(&format!("{tool} "))?;
    let pairs = next.split_whitespace().filter_map(|it| it.split_once('='));
    let pairs = pairs.map(|(name, value)| (name.to_owned(), json!(value)));
    Some(Value::Object(pairs.collect()))
}

/// A result without the notices around it: bracketed lines before and, where there is a continuation, after.
fn body(text: &str) -> String {
    let mut text = text;
    while let Some((first, rest)) = text.split_once('\n') {
        if !(first.starts_with("[decoded")
            || first.starts_with("[lines")
            || first.starts_with("[bytes"))
        {
            break;
        }
        text = rest;
    }
    if continuation(text).is_none() {
        return text.to_owned();
    }
    let start = text.trim_end().rfind('\n').map_or(0, |it| it + 1);
    let (before, notice) = text.split_at(start);
    // A cut inside a line adds one line feed before its notice.
    let before = if notice.contains("mid-line") {
        before.strip_suffix('\n').unwrap()
    } else {
        before
    };
    before.to_owned()
}

/// Follows the notices to the end and joins what they lead to.
fn read_to_the_end(client: &mut Client, path: &str, first: &Value) -> String {
    let mut arguments = first.clone();
    let mut whole = String::new();
    loop {
        arguments["path"] = json!(path);
        let answer = client.call("read_file", arguments);
        let size = answer.0.to_string().len();
        assert!(size <= LINE, "an answer of {size} bytes");
        let text = answer.text();
        let part = body(text);
        assert!(part.len() <= BUDGET, "a text of {} bytes", part.len());
        whole += &part;
        match continuation(text) {
            Some(next) => arguments = next,
            None => return whole,
        }
        assert!(!part.is_empty(), "no progress: {text}");
    }
}

#[test]
fn a_file_of_the_budgets_size_is_whole_and_one_byte_more_is_cut() {
    for size in [65_535, 65_536, 65_537] {
        let text: String = "0123456789abcdef"
            .chars()
            .cycle()
            .take(size - 1)
            .chain(['\n'])
            .collect();
        let lines: String = "0123456789abcde\n".chars().cycle().take(size).collect();
        for text in [text, lines] {
            let (mut client, _directory) = serving("t.txt", text.as_bytes());
            let answer = client.call("read_file", json!({"path": "t.txt"}));
            let whole = answer.text() == text;
            assert_eq!(whole, size <= BUDGET, "{size}");
            assert_eq!(read_to_the_end(&mut client, "t.txt", &json!({})), text);
        }
    }
}

#[test]
fn text_of_wide_characters_is_cut_between_characters() {
    for size in [65_535, 65_536, 65_537] {
        let mut text: String = "漢字仮名".chars().cycle().take(size / 3).collect();
        text.extend(std::iter::repeat_n('x', size - text.len()));
        let (mut client, _directory) = serving("t.txt", text.as_bytes());
        assert_eq!(read_to_the_end(&mut client, "t.txt", &json!({})), text);
        assert_eq!(
            client.call("read_file", json!({"path": "t.txt"})).text() == text,
            size <= BUDGET
        );
    }
}

#[test]
fn following_the_notices_gives_the_whole_text_in_any_encoding() {
    let text: String = (0..40_000)
        .map(|it| format!("第{it}行、かな交じりの文。\n"))
        .collect();
    let long = text.replace('\n', "");
    for encoding in [
        encoding_rs::UTF_8,
        encoding_rs::SHIFT_JIS,
        encoding_rs::EUC_JP,
        encoding_rs::ISO_2022_JP,
    ] {
        for (text, name) in [(&text, "lines.txt"), (&long, "long.txt")] {
            let (bytes, _, _) = encoding.encode(text);
            let (mut client, _directory) = serving(name, &bytes);
            let first = json!({"encoding": encoding.name()});
            let whole = read_to_the_end(&mut client, name, &first);
            assert!(
                whole == *text,
                "{} {name}: {} of {} bytes",
                encoding.name(),
                whole.len(),
                text.len()
            );
        }
    }
    // One escape sequence in front, and pages of pairs of bytes after it.
    let kanji = "漢字仮名交文".repeat(250_000);
    let (bytes, _, _) = encoding_rs::ISO_2022_JP.encode(&kanji);
    let (mut client, _directory) = serving("kanji.txt", &bytes);
    let whole = read_to_the_end(
        &mut client,
        "kanji.txt",
        &json!({"encoding": "iso-2022-jp"}),
    );
    assert!(whole == kanji, "{} of {} bytes", whole.len(), kanji.len());
    let mut utf16 = vec![0xff, 0xfe];
    utf16.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    let (mut client, _directory) = serving("utf16.txt", &utf16);
    assert!(read_to_the_end(&mut client, "utf16.txt", &json!({})) == text);
}

#[test]
fn text_that_grows_when_escaped_stays_within_a_line_of_the_wire() {
    let text = "\"\\\u{1}\t".repeat(30_000);
    let (mut client, _directory) = serving("t.txt", text.as_bytes());
    for tool in ["read_file", "read_lines"] {
        let answer = client.call(tool, json!({"path": "t.txt", "encoding": "utf-8"}));
        answer.text();
        assert!(answer.0.to_string().len() <= LINE);
    }
    let quotes = "\"".repeat(100_000);
    let (mut client, _directory) = serving("q.txt", quotes.as_bytes());
    assert_eq!(read_to_the_end(&mut client, "q.txt", &json!({})), quotes);
}

// B71
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_says_it_is_empty_and_is_not_is_read() {
    let mut client = Client::serving(std::path::Path::new("/proc/self"));
    assert!(
        client
            .call("read_file", json!({"path": "status"}))
            .text()
            .contains("Pid:")
    );
}

// S02, B91
#[test]
fn a_sparse_file_of_ten_gigabytes_is_answered_within_bounds() {
    let directory = TempDir::new().unwrap();
    File::create(directory.path().join("huge.bin"))
        .unwrap()
        .set_len(10 << 30)
        .unwrap();
    let mut client = Client::serving(directory.path());
    client
        .call("read_file", json!({"path": "huge.bin"}))
        .fault();
    let hex = client.call("read_file", json!({"path": "huge.bin", "encoding": "hex"}));
    assert!(hex.text().len() < LINE);
}

// B77, B78
#[test]
fn a_large_directory_is_listed_in_parts_that_leave_nothing_out() {
    let directory = TempDir::new().unwrap();
    for number in 0..1_200 {
        fs::write(directory.path().join(format!("file-{number:04}")), "").unwrap();
    }
    let mut client = Client::serving(directory.path());
    let mut names = Vec::new();
    let mut offset = 0;
    while names.len() < 1_200 {
        let listing = client.call("list_dir", json!({"offset": offset}));
        let text = listing.text().to_owned();
        let found = text.lines().filter_map(|it| it.split_whitespace().nth(1));
        names.extend(
            found
                .filter(|it| it.starts_with("file-"))
                .map(str::to_owned),
        );
        assert!(names.len() > offset, "{text}");
        offset = names.len();
        let next = format!("offset={offset}");
        assert_eq!(text.contains(&next), offset < 1_200, "{text}");
        assert!(
            text.contains("1,200") || text.contains("1200"),
            "the total is said: {text}"
        );
    }
    assert_eq!(names[0], "file-0000");
    assert!(names.is_sorted());
}

#[test]
fn following_the_notices_of_read_lines_shows_every_line_once() {
    let text: String = (1..=10_000)
        .map(|it| format!("line {it} of many\n"))
        .collect();
    let (mut client, _directory) = serving("t.txt", text.as_bytes());
    let mut arguments = json!({"count": 10_000});
    let mut next = 1;
    loop {
        arguments["path"] = json!("t.txt");
        let answer = client.call("read_lines", arguments);
        let shown = answer.text().lines().filter(|it| !it.starts_with('['));
        for line in shown {
            assert_eq!(line, format!("{next:6}\tline {next} of many"));
            next += 1;
        }
        match continuation_of("read_lines", answer.text()) {
            Some(more) => arguments = more,
            None => break,
        }
    }
    assert_eq!(next, 10_001);
}

// B81
#[test]
fn a_large_result_says_so_first_and_last_and_stays_within_its_line() {
    let controls = "\u{1}\u{2}".repeat(60_000);
    let files = [
        (
            "big.txt",
            "all work and no play\n".repeat(250_000),
            json!(null),
        ),
        ("controls.txt", controls, json!("utf-8")),
        ("cjk.txt", "汉字测试\n".repeat(60_000), json!(null)),
        ("quotes.txt", "\"\\\"\n".repeat(60_000), json!(null)),
    ];
    for (name, content, encoding) in files {
        let (mut client, _directory) = serving(name, content.as_bytes());
        for tool in ["read_file", "read_lines"] {
            let arguments = json!({"path": name, "encoding": encoding, "count": 100_000});
            let answer = client.call(tool, arguments);
            let size = answer.0.to_string().len();
            assert!(size <= LINE, "{tool} {name}: an answer of {size} bytes");
            // The rest of a line that was clipped is a continuation as well.
            let text = answer.text();
            let first = text
                .lines()
                .find(|it| it.contains("bytes in all"))
                .unwrap_or_default();
            let is_early = text.find(first).is_some_and(|it| it < 500);
            assert!(
                is_early && (!first.is_empty() || tool == "read_lines"),
                "{tool} {name}: {first}"
            );
            let last = text.trim_end().lines().next_back().unwrap();
            assert!(
                last.contains("_offset=") || last.contains("offset=") || last.contains("start="),
                "{tool} {name}: {last}"
            );
        }
    }
}

// B90
#[test]
fn only_what_ends_lines_ends_them() {
    for (content, lines) in [
        ("a\r\nb\r\n", &["a", "b"][..]),
        ("a\rb\rc", &["a", "b", "c"]),
        (
            "a\u{2028}b\u{c}c\u{b}d\u{85}e\n",
            &["a\u{2028}b\u{c}c\u{b}d\u{85}e"],
        ),
        ("a\r\nb\rc\nd", &["a", "b\rc", "d"]),
    ] {
        let (mut client, _directory) = serving("t.txt", content.as_bytes());
        let count = client.call("wordcount", json!({"path": "t.txt"})).json();
        assert_eq!(count["lines"], lines.len(), "{content:?}");
        let answer = client.call("read_file", json!({"path": "t.txt", "offset": lines.len()}));
        let text = answer.text().to_owned();
        let last = content.rfind(lines[lines.len() - 1]).unwrap();
        assert!(
            body(&text).ends_with(&*escaped(&content[last..])),
            "{content:?}: {text:?}"
        );
        let answer = client.call("read_lines", json!({"path": "t.txt"}));
        let shown: Vec<&str> = answer
            .text()
            .lines()
            .filter(|it| !it.starts_with('['))
            .collect();
        let expected: Vec<String> = (1..)
            .zip(lines)
            .map(|(number, line)| format!("{number:6}\t{}", escaped(line).replace('\r', r"\x0D")))
            .collect();
        assert_eq!(shown, expected, "{content:?}");
    }
}

/// With the control characters that are shown as escapes.
fn escaped(text: &str) -> String {
    text.replace('\u{c}', r"\x0C")
        .replace('\u{b}', r"\x0B")
        .replace('\u{85}', r"\u{85}")
}
