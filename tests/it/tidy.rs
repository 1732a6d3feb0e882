//! The house rules that a compiler does not know: who may use whom, what is named where, how long a file is.

use std::fs;
use std::path::{Path, PathBuf};

/// For each layer, the layers of ours it may name beside itself. A layer is a file or a directory under `src/`.
const MAY_USE: [(&str, &[&str]); 16] = [
    ("platform", &[]),
    ("words", &[]),
    ("fs", &["platform"]),
    ("rpc", &["platform"]),
    ("tools", &["fs", "words"]),
    ("protocol", &["rpc", "tools", "words"]),
    ("log", &["platform"]),
    ("record", &["platform"]),
    ("debug", &["log", "platform", "protocol", "record", "rpc"]),
    ("cli", &[]),
    (
        "config",
        &["cli", "debug", "fs", "log", "platform", "tools", "words"],
    ),
    (
        "server",
        &["debug", "fs", "platform", "protocol", "rpc", "tools"],
    ),
    ("call", &["cli", "config", "fs", "tools", "words"]),
    ("client", &["protocol", "rpc", "words"]),
    (
        "check",
        &["cli", "client", "log", "protocol", "record", "rpc", "words"],
    ),
    (
        "setup",
        &["cli", "client", "config", "fs", "protocol", "rpc", "words"],
    ),
];

/// Where files may be opened.
const OPENS_FILES: [&str; 6] = [
    "src/fs/",
    "src/config",
    "src/record.rs",
    "src/log",
    "src/setup/",
    // The list of processes.
    "src/client/group.rs",
];

const MOST_LINES: usize = 400;

struct Source {
    /// With `/` between the parts, from the directory of the crate.
    path: String,
    text: String,
}

fn sources(directory: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    collect(&root.join(directory), &mut found);
    found.sort();
    let sources = found.iter().map(|path| Source {
        path: path
            .strip_prefix(root)
            .unwrap()
            .to_string_lossy()
            .replace('\\', "/"),
        text: fs::read_to_string(path).unwrap(),
    });
    sources.collect()
}

fn collect(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|it| it == "rs") {
            found.push(path);
        }
    }
}

impl Source {
    fn layer(&self) -> &str {
        let inside = self.path.strip_prefix("src/").unwrap();
        let first = inside.split('/').next().unwrap();
        first.trim_end_matches(".rs")
    }

    /// The lines that are code, tests at the end of the file or in one of their own apart.
    fn code(&self) -> impl Iterator<Item = &str> {
        let tests = "#[cfg(test)]\nmod tests {";
        let product = match self.path.ends_with("/tests.rs") {
            true => "",
            false => self.text.split(tests).next().unwrap(),
        };
        let lines = product.lines().map(str::trim_start);
        lines.filter(|it| !it.starts_with("//"))
    }

    /// The layers named as `crate::layer` in the code.
    fn used(&self) -> Vec<String> {
        let code: Vec<&str> = self.code().collect();
        let code = code.join("\n");
        let mut used = Vec::new();
        for part in code.split("crate::").skip(1) {
            // `crate::{a::…, b::…}` names several.
            let names = match part.strip_prefix('{') {
                Some(list) => first_words(list),
                None => vec![word(part)],
            };
            used.extend(names);
        }
        used
    }
}

fn word(text: &str) -> String {
    let end = text.find(|it: char| !it.is_alphanumeric() && it != '_');
    text[..end.unwrap_or(text.len())].to_owned()
}

/// The first word of each part of a braced list.
fn first_words(list: &str) -> Vec<String> {
    let mut depth = 0;
    let mut words = Vec::new();
    let mut start = true;
    for (place, character) in list.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => start = true,
            it if start && it.is_alphabetic() => {
                words.push(word(&list[place..]));
                start = false;
            }
            _ => {}
        }
    }
    words
}

#[test]
fn layers_use_only_the_layers_below_them() {
    for source in sources("src") {
        let layer = source.layer();
        if layer == "main" {
            continue;
        }
        let rule = MAY_USE.iter().find(|(name, _)| *name == layer);
        let (_, allowed) = rule.unwrap_or_else(|| {
            panic!("{}: tests/it/tidy.rs does not know this layer", source.path)
        });
        for used in source.used() {
            assert!(
                used == layer || allowed.contains(&&*used),
                "{} names crate::{used}",
                source.path
            );
        }
    }
}

#[test]
fn files_are_opened_in_few_places() {
    for source in sources("src") {
        if OPENS_FILES.iter().any(|it| source.path.starts_with(it)) {
            continue;
        }
        for line in source.code() {
            for word in [
                "std::fs",
                "cap_std",
                "cap_fs_ext",
                " File::open",
                "(File::open",
                " File::create",
                "(File::create",
                "OpenOptions",
            ] {
                assert!(!line.contains(word), "{}: {line}", source.path);
            }
        }
    }
}

#[test]
fn revision_dates_are_known_to_the_protocol_alone() {
    for source in sources("src") {
        if source.path.starts_with("src/protocol/") {
            continue;
        }
        let dated = source.code().find(|it| has_quoted_date(it));
        assert_eq!(dated, None, "{}", source.path);
    }
}

/// `"2025-…"`, whatever the date.
fn has_quoted_date(line: &str) -> bool {
    let starts = line.split('"').filter_map(|it| it.get(..10));
    starts.into_iter().any(|it| {
        let mut shape = it.bytes().zip(b"dddd-dd-dd");
        shape.all(|(byte, kind)| {
            if *kind == b'd' {
                byte.is_ascii_digit()
            } else {
                byte == *kind
            }
        })
    })
}

#[test]
fn the_lower_layers_do_not_know_what_the_upper_ones_do() {
    let tools = ["read_file", "read_lines", "list_dir", "wordcount"];
    let methods = [
        "\"initialize\"",
        "\"tools/call\"",
        "\"tools/list\"",
        "\"server/discover\"",
    ];
    for source in sources("src") {
        let foreign: Vec<&str> = match source.layer() {
            "rpc" | "fs" => [&tools[..], &methods[..]].concat(),
            "protocol" => tools.to_vec(),
            "server" => [&tools[..], &methods[..]].concat(),
            "tools" => methods.to_vec(),
            _ => continue,
        };
        for word in foreign {
            let line = source.code().find(|it| it.contains(word));
            assert_eq!(line, None, "{} knows {word}", source.path);
        }
    }
}

#[test]
fn standard_output_and_error_have_their_writers() {
    for source in sources("src") {
        let printing = source.code().find(|it| {
            ["println!", "print!(", "eprint!("]
                .iter()
                .any(|word| it.contains(word))
        });
        assert_eq!(printing, None, "{}", source.path);
    }
}

#[test]
fn every_file_says_what_it_is_for_and_stays_short() {
    for source in sources("src")
        .into_iter()
        .chain(sources("tests"))
        .chain(sources("benches"))
    {
        assert!(
            source.text.starts_with("//! "),
            "{} has no //! line",
            source.path
        );
        let lines = source.text.lines().count();
        assert!(lines <= MOST_LINES, "{} has {lines} lines", source.path);
    }
}

#[test]
fn tests_are_never_skipped_and_never_wait_for_the_clock() {
    // Spelt so that this file does not find itself.
    let words = [
        concat!("#[ign", "ore"),
        concat!("should", "_panic"),
        concat!("thread::sl", "eep"),
        concat!("fn te", "st_"),
    ];
    for source in sources("tests") {
        for word in words {
            assert!(!source.text.contains(word), "{}: {word}", source.path);
        }
    }
}

/// The scripts of a release leave out by name what cannot be where they test; a test that is renamed would be run there.
#[test]
fn what_a_release_leaves_out_are_tests_that_exist() {
    let tests = sources("tests/it");
    for script in ["dist/test-linux", "dist/test-windows"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(script);
        let text = fs::read_to_string(path).unwrap();
        let named: Vec<&str> = text
            .split(|it: char| !it.is_ascii_alphanumeric() && !"_:".contains(it))
            .filter(|it| it.contains("::"))
            .collect();
        assert!(!named.is_empty(), "{script} leaves tests out");
        for name in named {
            let (module, test) = (word(name), name.rsplit("::").next().unwrap_or_default());
            let file = format!("tests/it/{module}.rs");
            let function = if test.is_empty() {
                String::new()
            } else {
                format!("fn {test}(")
            };
            let exists = tests
                .iter()
                .any(|it| it.path == file && it.text.contains(&function));
            assert!(exists, "{script}: there is no {name}");
        }
    }
}
