//! The documents match the program: what they show is run, what they name exists.
//!
//! `UPDATE=1 cargo test` rewrites the generated parts: docs/tools.md, the table of tools in
//! README.md and the answers under its `bash` blocks. Read the difference before keeping it.

use std::fs;

use serde_json::Value;

use crate::launch::Launch;
use crate::pages::*;

/// Options of cargo and of package managers that the README shows.
const OF_OTHERS: [&str; 5] = [
    "--locked",
    "--path",
    "--allow-untrusted",
    "--no-index",
    "--find-links",
];

const TABLE_BEGINS: &str = "<!-- tools: written by the tests -->\n";
const TABLE_ENDS: &str = "<!-- end of tools -->\n";

#[test]
fn the_tools_page_is_what_the_program_lists() {
    let tools = listed_tools();
    let mut page = String::from(
        "# Tools\n\nWritten by the tests from what the program answers to `tools/list`; do not edit. What `encoding` takes is in\n\
         [encodings.md](encodings.md).\n",
    );
    for tool in &tools {
        page.push_str(&tool_section(tool));
    }
    hold("docs/tools.md", &page);
}

#[test]
fn the_tool_table_of_the_readme_is_what_the_program_lists() {
    let mut table = String::from("| tool | what it does |\n| --- | --- |\n");
    for tool in &listed_tools() {
        let description = text(&tool["description"]);
        let sentence = description.split_inclusive(". ").next().unwrap();
        table.push_str(&format!(
            "| `{}` | {} |\n",
            text(&tool["name"]),
            sentence.trim()
        ));
    }
    let readme = read("README.md");
    let (before, rest) = readme
        .split_once(TABLE_BEGINS)
        .expect("README.md has a table of tools");
    let (_, after) = rest
        .split_once(TABLE_ENDS)
        .expect("the table of tools ends");
    let wanted = format!("{before}{TABLE_BEGINS}\n{table}\n{TABLE_ENDS}{after}");
    hold("README.md", &wanted);
}

#[test]
fn the_client_configuration_of_the_readme_starts_the_program() {
    let readme = read("README.md");
    let block = blocks(&readme)
        .into_iter()
        .find(|it| it.language == "json" && it.text.contains("mcpServers"))
        .expect("README.md shows a client's configuration");
    let configuration: Value = serde_json::from_str(block.text).expect("the block is JSON");
    let entry = &configuration["mcpServers"]["filewright"];
    assert_eq!(entry["command"], "filewright", "the command of the entry");
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("here.txt"), "here\n").unwrap();
    let arguments = entry["args"].as_array().expect("the entry has args");
    assert!(
        arguments.iter().any(|it| text(it).contains("/path/to/")),
        "one argument is a directory to replace: {arguments:?}"
    );
    let arguments = arguments.iter().map(|it| match text(it) {
        it if it.contains("/path/to/") => directory.path().as_os_str().to_owned(),
        it => it.into(),
    });
    let answers = run(
        Launch::new(arguments),
        concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"docs","version":"1"}}}"#,
            "\n",
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            "\n",
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
            "\n",
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_dir","arguments":{}}}"#,
            "\n",
        ),
    );
    assert!(answers.contains(r#""name":"read_file""#), "{answers}");
    assert!(answers.contains("here.txt"), "{answers}");
}

#[cfg(unix)]
#[test]
fn the_commands_that_are_shown_give_the_answers_shown() {
    for (file, least) in [("README.md", 3), ("docs/by-hand.md", 3)] {
        hold_answers(file, least);
    }
}

#[cfg(unix)]
fn hold_answers(file: &str, least: usize) {
    let readme = read(file);
    let blocks = blocks(&readme);
    let mut wanted = readme.clone();
    let mut compared = 0;
    for pair in blocks.windows(2).filter(|it| it[0].language == "bash") {
        let [command, shown] = [pair[0], pair[1]];
        let old = format!(
            "```bash\n{}\n```\n\n```{}\n{}\n```",
            command.text, shown.language, shown.text
        );
        assert!(
            readme.contains(&old),
            "an answer follows `{}`",
            command.text
        );
        let answer = in_bash(command.text);
        let new = format!(
            "```bash\n{}\n```\n\n```{}\n{}\n```",
            command.text,
            shown.language,
            answer.trim_end_matches('\n')
        );
        wanted = wanted.replace(&old, &new);
        compared += 1;
    }
    assert!(
        compared >= least,
        "{file} shows commands with their answers"
    );
    hold(file, &wanted);
}

#[test]
fn the_chinese_readme_has_the_same_blocks() {
    let (english, chinese) = (read("README.md"), read("README.zh-CN.md"));
    let (english, chinese) = (blocks(&english), blocks(&chinese));
    for (one, other) in english.iter().zip(&chinese) {
        assert_eq!(one, other, "the blocks of README.md and README.zh-CN.md");
    }
    assert_eq!(english.len(), chinese.len(), "the number of blocks");
}

#[test]
fn the_chinese_readme_names_every_tool() {
    let readme = read("README.zh-CN.md");
    for tool in listed_tools() {
        let row = format!("| `{}` |", text(&tool["name"]));
        assert!(readme.contains(&row), "README.zh-CN.md has no row {row}");
    }
}

#[test]
fn the_changelog_has_a_heading_for_this_version() {
    let changelog = read("CHANGELOG.md");
    let headings: Vec<&str> = changelog
        .lines()
        .filter(|it| it.starts_with("## "))
        .collect();
    assert_eq!(headings.first(), Some(&"## Unreleased"), "CHANGELOG.md");
    let version = format!("## {}", env!("CARGO_PKG_VERSION"));
    assert!(
        headings
            .iter()
            .any(|it| it.split(" - ").next() == Some(&version)),
        "CHANGELOG.md has no heading {version}: {headings:?}"
    );
}

#[test]
fn every_path_that_a_document_names_exists() {
    let mut missing = Vec::new();
    for document in documents() {
        for word in code_words(&read(&document)) {
            let ours = [
                "src/", "tests/", "docs/", "dist/", "benches/", ".ci/", ".github/",
            ];
            let is_path = ours.iter().any(|it| word.starts_with(it));
            // `NAME` and `*` stand for something.
            let is_pattern = word.contains(|it: char| it.is_ascii_uppercase() || it == '*');
            let made_later = word.ends_with(".txt") && word.starts_with("tests/clients");
            if is_path && !is_pattern && !made_later && !root().join(&word).exists() {
                missing.push(format!("{document} names {word}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_link_between_documents_leads_somewhere() {
    let mut broken = Vec::new();
    for document in documents() {
        let page = read(&document);
        let folder = root().join(&document).parent().unwrap().to_owned();
        for target in page
            .split("](")
            .skip(1)
            .filter_map(|it| it.split(')').next())
        {
            let file = target.split('#').next().unwrap();
            let elsewhere = target.contains("://") || file.is_empty();
            if !elsewhere && !folder.join(file).exists() {
                broken.push(format!("{document} links to {target}"));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_variable_and_option_of_the_readme_is_known() {
    let mut known = run(Launch::new(["--help"]), "") + &read("config.example.toml");
    for command in ["call", "check", "setup"] {
        known += &run(Launch::new([command, "--help"]), "");
    }
    let readme = read("README.md");
    let mut unknown = Vec::new();
    for word in readme.split(|it: char| !it.is_ascii_uppercase() && it != '_') {
        let variable = word.starts_with("FILEWRIGHT_") && word.len() > "FILEWRIGHT_".len();
        if (variable || word == "MCP_LOG_LEVEL") && !known.contains(word) {
            unknown.push(word.to_owned());
        }
    }
    for option in code_words(&readme).iter().filter(|it| it.starts_with("--")) {
        let option = option.split('=').next().unwrap();
        if !known.contains(option) && !OF_OTHERS.contains(&option) {
            unknown.push(option.to_owned());
        }
    }
    assert!(
        unknown.is_empty(),
        "not in --help nor config.example.toml: {unknown:?}"
    );
}

#[test]
fn the_readme_names_the_example_configuration() {
    assert!(read("README.md").contains("(config.example.toml)"));
    assert!(root().join("config.example.toml").exists());
}

#[test]
fn ci_runs_the_tests_as_the_readme_says() {
    let readme = read("README.md");
    let command = blocks(&readme)
        .into_iter()
        .filter(|it| it.language == "sh")
        .flat_map(|it| it.text.lines())
        .find(|it| it.starts_with("cargo test"))
        .expect("README.md says how to run the tests");
    for script in [".ci/run", ".github/workflows/ci.yml"] {
        assert!(
            read(script).contains(command),
            "{script} does not run `{command}`"
        );
    }
}
