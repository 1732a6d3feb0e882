//! What is counted and shown, against a plain reference, on texts made at random.

use std::fs;

use proptest::prelude::{Strategy, prop};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;
use crate::shapes::Revision;

fn serving(name: &str, content: &[u8]) -> (Client, TempDir) {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join(name), content).unwrap();
    (
        Client::speaking(Revision::November2025, directory.path()),
        directory,
    )
}

fn figures(count: &Value) -> [u64; 4] {
    ["chars", "cjk", "words", "lines"].map(|it| count[it].as_u64().unwrap())
}

#[test]
fn the_same_text_counts_the_same_in_every_encoding() {
    let text = "二〇二六年、東京で会議。filewright test\r\nカタカナ ｱｲｳ １２３\n最後の行";
    let mut counts = Vec::new();
    for encoding in [
        encoding_rs::UTF_8,
        encoding_rs::SHIFT_JIS,
        encoding_rs::EUC_JP,
        encoding_rs::GB18030,
    ] {
        let (bytes, _, lost) = encoding.encode(text);
        assert!(!lost, "{}", encoding.name());
        let (mut client, _directory) = serving("t.txt", &bytes);
        let count = client.call(
            "wordcount",
            json!({"path": "t.txt", "encoding": encoding.name()}),
        );
        counts.push(figures(&count.json()));
    }
    for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        let bytes: Vec<u8> = units.flat_map(to_bytes).collect();
        let (mut client, _directory) = serving("t.txt", &bytes);
        counts.push(figures(
            &client.call("wordcount", json!({"path": "t.txt"})).json(),
        ));
    }
    assert!(counts.iter().all(|it| *it == counts[0]), "{counts:?}");
}

/// The formulas of the program this one replaces: JavaScript's `length`, and `[\u4e00-\u9fa5]`.
#[test]
fn counts_equal_the_well_known_formulas_on_ordinary_text() {
    let text = "你好，世界！ Hello, world.\nÄöü 中文字数统计，共两行。\n";
    let (mut client, _directory) = serving("t.txt", text.as_bytes());
    let count = client.call("wordcount", json!({"path": "t.txt"})).json();
    assert_eq!(count["chars"], text.encode_utf16().count());
    let han = text
        .chars()
        .filter(|it| ('\u{4e00}'..='\u{9fa5}').contains(it));
    assert_eq!(count["cjk"], han.count());
    assert_eq!(count["bytes"], text.len());
}

/// What the design says `wordcount` counts: characters, Han characters, words, lines.
fn reference(text: &str) -> [u64; 4] {
    let mut words = 0;
    let mut inside = false;
    for character in text.chars() {
        let wide = is_wide(character);
        let part_of_word = !wide && !character.is_whitespace();
        words += u64::from(wide || part_of_word && !inside);
        inside = part_of_word;
    }
    let count = |it: usize| u64::try_from(it).unwrap();
    let han = text.chars().filter(|it| is_han(*it)).count();
    [
        count(text.chars().count()),
        count(han),
        words,
        count(text.lines().count()),
    ]
}

fn is_han(character: char) -> bool {
    matches!(character,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'
        | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3038}'..='\u{303b}')
}

fn is_wide(character: char) -> bool {
    is_han(character)
        || matches!(character,
            '\u{2e80}'..='\u{2fff}' | '\u{3001}'..='\u{312f}' | '\u{31a0}'..='\u{31ff}' | '\u{fe30}'..='\u{fe4f}'
            | '\u{ff01}'..='\u{ff9f}' | '\u{ffe0}'..='\u{ffe6}' | '\u{1b000}'..='\u{1b16f}')
}

/// Texts of the pieces where counts go wrong: edges of ranges, spaces of all kinds, marks, line ends.
fn text() -> impl Strategy<Value = String> {
    let pieces = vec![
        "a",
        "word",
        " ",
        "\t",
        "\n",
        "\r\n",
        "\u{a0}",
        "\u{3000}",
        "\u{2028}",
        "\u{200b}",
        "é",
        "e\u{301}",
        "漢",
        "々",
        "〇",
        "〆",
        "〡",
        "。",
        "、",
        "かな",
        "ｶﾅ",
        "！",
        "￥",
        "한국",
        "\u{9fff}",
        "\u{a000}",
        "\u{33ff}",
        "\u{3400}",
        "\u{20000}",
        "𠮷",
        "😀",
        "\u{1f468}\u{200d}\u{1f469}",
        "\u{2e7f}",
        "⺀",
        "\u{ff00}",
        "ß",
        "Ж",
        "—",
        "…",
        "\u{1b000}",
        "\u{feff}",
    ];
    // A mark in front would be the file's own.
    let pieces = prop::collection::vec(prop::sample::select(pieces), 0..60);
    pieces.prop_map(|it| it.concat().trim_start_matches('\u{feff}').to_owned())
}

/// The same texts on every run.
fn for_many_texts(check: impl Fn(&mut Client, &str, &str)) {
    let directory = TempDir::new().unwrap();
    let session =
        std::cell::RefCell::new(Client::speaking(Revision::November2025, directory.path()));
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let config = Config {
        cases: 300,
        failure_persistence: None,
        ..Config::default()
    };
    let outcome = TestRunner::new_with_rng(config, rng).run(&text(), |text| {
        let path = directory.path().join("t.txt");
        fs::write(&path, &text).unwrap();
        let session = &mut *session.borrow_mut();
        let tried = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            check(session, "t.txt", &text)
        }));
        tried.map_err(|_| TestCaseError::fail("see the first panic above"))
    });
    if let Err(fault) = outcome {
        panic!("{fault}");
    }
}

#[test]
fn random_texts_count_as_the_definitions_say() {
    for_many_texts(|client, path, text| {
        let count = client.call("wordcount", json!({"path": path})).json();
        assert_eq!(figures(&count), reference(text), "{text:?}");
        assert_eq!(count["bytes"], text.len());
    });
}

#[test]
fn random_texts_come_back_as_they_are() {
    for_many_texts(|client, path, text| {
        let answer = client.call("read_file", json!({"path": path}));
        let expected = if text.is_empty() {
            "(empty file)\n"
        } else {
            text
        };
        assert_eq!(answer.text(), expected);
    });
}

#[test]
fn random_texts_have_the_lines_that_are_shown() {
    for_many_texts(|client, path, text| {
        let answer = client.call("read_lines", json!({"path": path, "numbers": false}));
        let lines: Vec<&str> = text.lines().collect();
        if !lines.is_empty() {
            let shown = answer.text();
            assert_eq!(shown.strip_suffix('\n').unwrap_or(shown), lines.join("\n"));
        }
    });
}

// B94
#[test]
fn words_are_parted_by_the_spaces_of_unicode_only() {
    for (text, words) in [
        ("ブレス\u{3000}オフ one\u{a0}two\nthree\t\tfour \n", 9),
        ("a\u{2003}b\u{202f}c\u{205f}d\u{1680}e\u{85}f\u{2028}g", 7),
        ("zero\u{200b}width word\u{2060}joiner", 2),
        ("well-known — a dash - alone", 6),
        ("don't l\u{2019}été 3.14", 3),
        ("한국어 말을 셉니다", 3),
        ("  \n\t ", 0),
    ] {
        let (mut client, _directory) = serving("t.txt", text.as_bytes());
        let count = client.call("wordcount", json!({"path": "t.txt"})).json();
        assert_eq!(count["words"], words, "{text:?}");
    }
}

// B95
#[test]
fn a_character_is_a_unicode_scalar_value_whatever_it_is_written_in() {
    let text = "e\u{301} \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\n";
    let utf16 = |to_bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(to_bytes).collect()
    };
    let (gb18030, _, _) = encoding_rs::GB18030.encode(text);
    for (bytes, encoding) in [
        (text.as_bytes().to_vec(), json!(null)),
        (utf16(u16::to_le_bytes), json!(null)),
        (utf16(u16::to_be_bytes), json!(null)),
        (gb18030.into_owned(), json!("gb18030")),
    ] {
        let (mut client, _directory) = serving("t.txt", &bytes);
        let arguments = json!({"path": "t.txt", "encoding": encoding});
        let count = client.call("wordcount", arguments).json();
        assert_eq!(figures(&count), [9, 0, 2, 1], "{count}");
        assert_eq!(count["bytes"], bytes.len());
    }
}

// B96
#[test]
fn what_cannot_be_counted_is_an_error_and_no_zero() {
    let (mut client, directory) = serving("t.txt", b"text\n");
    fs::create_dir(directory.path().join("d")).unwrap();
    for (path, advice) in [
        ("d", "list_dir"),
        (".", "list_dir"),
        ("*.txt", "did you mean t.txt?"),
        ("d/*", "list_dir"),
        ("no.txt", "list_dir"),
    ] {
        let answer = client.call("wordcount", json!({"path": path}));
        assert!(
            answer.fault().contains(advice),
            "{path}: {}",
            answer.fault()
        );
        assert!(
            answer.0["result"]["structuredContent"].is_null(),
            "{}",
            answer.0
        );
    }
}
