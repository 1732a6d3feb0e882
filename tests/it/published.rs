//! What is published to hosts and models: names, hints, descriptions, and how much room they take.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, hello};
use crate::shapes::Revision;

fn tools() -> Vec<Value> {
    let directory = TempDir::new().unwrap();
    let mut client = Client::speaking(Revision::November2025, directory.path());
    let list = client.request("tools/list", json!({}));
    list["result"]["tools"].as_array().unwrap().clone()
}

#[test]
fn the_reading_tools_are_there_and_no_writing_one() {
    let tools = tools();
    let names: Vec<&str> = tools
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["read_file", "read_lines", "list_dir", "wordcount"]);
}

// B115
#[test]
fn a_reading_tool_says_that_it_is_harmless() {
    for tool in tools() {
        let hints = &tool["annotations"];
        for (hint, value) in [
            ("readOnlyHint", true),
            ("destructiveHint", false),
            ("idempotentHint", true),
            ("openWorldHint", false),
        ] {
            assert_eq!(hints[hint], value, "{hint} of {}", tool["name"]);
        }
        assert!(tool["title"].is_string());
    }
}

// B116
#[test]
fn descriptions_are_short_whole_sentences() {
    for tool in tools() {
        let name = &tool["name"];
        let text = tool["description"].as_str().unwrap();
        assert!(text.len() < 400, "{name}: {} bytes", text.len());
        assert_sentence(text);
        for (argument, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
            let text = schema["description"].as_str();
            assert_sentence(text.unwrap_or_else(|| panic!("{name} {argument} is not described")));
        }
    }
}

#[track_caller]
fn assert_sentence(text: &str) {
    assert!(
        text.ends_with('.') || text.ends_with(".)"),
        "no full stop: {text}"
    );
    assert!(
        text.starts_with(|it: char| it.is_uppercase() || !it.is_alphabetic()),
        "{text}"
    );
    assert!(!text.contains("  ") && !text.contains('\n'), "{text}");
}

#[test]
fn the_list_of_tools_takes_little_of_a_models_context() {
    let tools = tools();
    for tool in &tools {
        let size = tool.to_string().len();
        assert!(size < 1_000, "{}: {size} bytes", tool["name"]);
    }
    let size = json!(tools).to_string().len();
    assert!(size < 8_000, "{size} bytes");
}

#[test]
fn tools_that_return_much_text_ask_the_host_for_room() {
    for tool in tools() {
        let asks = tool["_meta"]["anthropic/maxResultSizeChars"].as_u64();
        let expected = (tool["name"] != "wordcount").then_some(100_000);
        assert_eq!(asks, expected, "{}", tool["name"]);
    }
}

// B37
#[test]
fn only_the_tool_that_answers_in_json_promises_a_shape() {
    for tool in tools() {
        let promises = tool.get("outputSchema").is_some();
        assert_eq!(promises, tool["name"] == "wordcount", "{}", tool["name"]);
    }
}

// B113: the referee knows the plain keywords.
#[test]
fn arguments_that_are_required_are_published() {
    for tool in tools() {
        let schema = &tool["inputSchema"];
        for name in schema["required"].as_array().into_iter().flatten() {
            let property = &schema["properties"][name.as_str().unwrap()];
            assert!(property.is_object(), "{} requires {name}", tool["name"]);
        }
    }
}

#[test]
fn instructions_are_short_and_name_the_directory() {
    let directory = TempDir::new().unwrap();
    let mut client = Client::serving(directory.path());
    let answer = client.request("initialize", hello("2025-11-25"));
    let text = answer["result"]["instructions"].as_str().unwrap();
    assert!(text.len() < 600, "{} bytes: {text}", text.len());
    let name = directory.path().file_name().unwrap().to_str().unwrap();
    assert!(text.contains(name), "{text}");
}
