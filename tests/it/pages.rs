//! Reads the documents, runs what they show, and holds them to what the program says.

use std::env;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::launch::Launch;

/// A fenced block: the word after the fence, and the lines in it.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub(crate) struct Block<'a> {
    pub(crate) language: &'a str,
    pub(crate) text: &'a str,
}

pub(crate) fn blocks(page: &str) -> Vec<Block<'_>> {
    let fenced: Vec<&str> = page.split("\n```").collect();
    assert!(fenced.len() % 2 == 1, "every fence is closed");
    let inside = fenced.into_iter().skip(1).step_by(2);
    inside
        .map(|it| it.split_once('\n').expect("a fence ends its line"))
        .map(|(language, text)| Block { language, text })
        .collect()
}

/// The words of a page that are written as code, in its text or in its fenced blocks.
pub(crate) fn code_words(page: &str) -> Vec<String> {
    page.split('`')
        .skip(1)
        .step_by(2)
        .flat_map(|it| it.split_whitespace())
        .map(|it| it.trim_end_matches([',', ':', ';', '.', '…']).to_owned())
        .collect()
}

pub(crate) fn documents() -> Vec<String> {
    let mut found: Vec<String> = [
        "README.md",
        "README.zh-CN.md",
        "CHANGELOG.md",
        "dist/README.md",
    ]
    .map(str::to_owned)
    .to_vec();
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        found.push(format!(
            "docs/{}",
            entry.unwrap().file_name().to_string_lossy()
        ));
    }
    found
}

pub(crate) fn tool_section(tool: &Value) -> String {
    let mut section = format!("\n## {}\n\n", text(&tool["name"]));
    section.push_str(&format!("{}\n\n", text(&tool["description"])));
    section.push_str("| argument | type | |\n| --- | --- | --- |\n");
    let schema = &tool["inputSchema"];
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for (name, property) in schema["properties"]
        .as_object()
        .expect("a tool has properties")
    {
        let mut facts = vec![text(&property["description"]).to_owned()];
        for (key, word) in [
            ("minimum", "At least"),
            ("maximum", "At most"),
            ("default", "Default:"),
        ] {
            if let Some(value) = property.get(key) {
                facts.push(format!("{word} `{}`.", plain(value)));
            }
        }
        if let Some(values) = property["enum"].as_array() {
            let values: Vec<String> = values.iter().map(|it| format!("`{}`", plain(it))).collect();
            facts.push(format!("One of {}.", values.join(", ")));
        }
        if required.contains(&Value::from(name.as_str())) {
            facts.insert(0, "**Required.**".to_owned());
        }
        let row = format!(
            "| `{name}` | {} | {} |\n",
            text(&property["type"]),
            facts.join(" ")
        );
        section.push_str(&row);
    }
    let hints = tool["annotations"]
        .as_object()
        .expect("a tool has annotations");
    let hints: Vec<String> = hints
        .iter()
        .filter(|(name, _)| name.ends_with("Hint"))
        .map(|(name, value)| format!("`{name}` {value}"))
        .collect();
    section.push_str(&format!("\nAnnotations: {}.\n", hints.join(", ")));
    section
}

pub(crate) fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

pub(crate) fn text(value: &Value) -> &str {
    value
        .as_str()
        .unwrap_or_else(|| panic!("a string is expected, not {value}"))
}

pub(crate) fn listed_tools() -> Vec<Value> {
    let request = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n";
    let answer = run(Launch::new([root()]), request);
    let answer: Value = serde_json::from_str(&answer).expect("one answer");
    let tools = answer["result"]["tools"].as_array();
    tools.expect("a list of tools").clone()
}

/// Runs a block of the README in the checkout, with the built program first in PATH.
#[cfg(unix)]
pub(crate) fn in_bash(block: &str) -> String {
    let block = block.replace("cargo install --locked --path . && ", "");
    let folder = crate::launch::program().parent().unwrap().to_owned();
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(std::iter::once(folder).chain(env::split_paths(&path))).unwrap();
    let launch = Launch::of("bash", ["-euc", &block]).with(|it| it.env("PATH", path));
    run(launch, "")
}

/// Runs a program in the checkout to its end; what it said on stdout.
pub(crate) fn run(launch: Launch, input: &str) -> String {
    let output = launch.with(|it| it.current_dir(root())).output_of(input);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success() && complaint.is_empty(),
        "{}: {complaint}",
        output.status
    );
    String::from_utf8(output.stdout).expect("the output is UTF-8")
}

/// The file has to be `wanted`; under UPDATE=1 it is made so.
pub(crate) fn hold(file: &str, wanted: &str) {
    let path = root().join(file);
    let there = fs::read_to_string(&path).unwrap_or_default();
    if there == wanted {
        return;
    }
    if env::var_os("UPDATE").is_some_and(|it| it == "1") {
        fs::write(&path, wanted).unwrap();
        return;
    }
    let pairs = there.lines().zip(wanted.lines()).enumerate();
    let first = pairs.into_iter().find(|(_, (old, new))| old != new);
    panic!(
        "{file} is not what the program says; run UPDATE=1 cargo test and read the difference.\n\
         First difference (line, there, wanted): {first:?}"
    );
}

pub(crate) fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
