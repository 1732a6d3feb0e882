//! Arguments as models and hosts really send them, for every tool that is published.
//!
//! **The tools and their promises are read from `tools/list`, so a new tool is held to this without a new test.**

use std::fs;

use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::client::{Answer, Client};
use crate::shapes::Revision;

/// A tool as it is published.
struct Tool(Value);

impl Tool {
    fn name(&self) -> &str {
        self.0["name"].as_str().unwrap()
    }

    fn arguments(&self) -> impl Iterator<Item = (&str, &Value)> {
        let properties = self.0["inputSchema"]["properties"].as_object().unwrap();
        properties
            .iter()
            .map(|(name, schema)| (name.as_str(), schema))
    }

    fn requires(&self, argument: &str) -> bool {
        let required = self.0["inputSchema"]["required"].as_array();
        required.is_some_and(|it| it.iter().any(|it| it == argument))
    }

    /// The least that a call needs.
    fn call(&self) -> Map<String, Value> {
        let path = if self.name() == "list_dir" {
            "."
        } else {
            "n.txt"
        };
        let needed = self.arguments().map(|(name, _)| name);
        let needed = needed.filter(|it| self.requires(it) || *it == "path");
        needed.map(|it| (it.to_owned(), json!(path))).collect()
    }

    /// The same with one more argument.
    fn call_with(&self, argument: &str, value: Value) -> Value {
        let mut call = self.call();
        call.insert(argument.to_owned(), value);
        Value::Object(call)
    }
}

/// A program at work, with the tools it publishes.
fn session() -> (Client, Vec<Tool>, TempDir) {
    let directory = TempDir::new().unwrap();
    let lines: String = (1..=20).map(|it| format!("{it}\n")).collect();
    fs::write(directory.path().join("n.txt"), lines).unwrap();
    let mut client = Client::speaking(Revision::November2025, directory.path());
    let list = client.request("tools/list", json!({}));
    let tools = list["result"]["tools"].as_array().unwrap();
    let tools = tools.iter().map(|it| Tool(it.clone())).collect();
    (client, tools, directory)
}

/// What a call without the argument in question says.
fn plain(client: &mut Client, tool: &Tool) -> String {
    let answer = client.call(tool.name(), Value::Object(tool.call()));
    answer.text().to_owned()
}

#[track_caller]
fn assert_names(answer: &Answer, words: &[&str]) {
    let fault = answer.fault();
    for word in words {
        assert!(fault.contains(word), "{word:?} is not in: {fault}");
    }
    for smell in ["Error:", "os error", "invalid type", "serde", "u64"] {
        assert!(!fault.contains(smell), "{smell:?} is for no model: {fault}");
    }
}

// C03, B36
#[test]
fn a_missing_argument_is_named() {
    let (mut client, tools, _directory) = session();
    for tool in tools {
        for (argument, _) in tool.arguments().filter(|(name, _)| tool.requires(name)) {
            for nothing in [None, Some(Value::Null), Some(json!(""))] {
                let mut call = tool.call();
                call.remove(argument);
                call.extend(nothing.map(|it| (argument.to_owned(), it)));
                let answer = client.call(tool.name(), Value::Object(call));
                assert_names(&answer, &[argument]);
            }
        }
    }
}

// C03
#[test]
fn a_value_of_the_wrong_type_is_refused_by_its_name() {
    let (mut client, tools, _directory) = session();
    for tool in tools {
        for (argument, schema) in tool.arguments() {
            let wrong = match schema["type"].as_str().unwrap() {
                "integer" => vec![
                    json!("ten"),
                    json!(10.5),
                    json!("10.5"),
                    json!(true),
                    json!({"a": 1}),
                ],
                "boolean" => vec![json!("maybe"), json!(7), json!({"a": 1})],
                "string" => vec![json!({"a": 1}), json!(["a", "b"]), json!([])],
                other => panic!("{argument} has the type {other}, which nobody thought of here"),
            };
            for value in wrong {
                let answer = client.call(tool.name(), tool.call_with(argument, value));
                assert_names(&answer, &[argument]);
            }
        }
    }
}

// B45
#[test]
fn a_number_below_the_published_minimum_is_refused_with_name_value_and_range() {
    let (mut client, tools, _directory) = session();
    for tool in tools {
        for (argument, schema) in tool.arguments() {
            let Some(minimum) = schema["minimum"].as_i64() else {
                continue;
            };
            let value = minimum - 1;
            let answer = client.call(tool.name(), tool.call_with(argument, json!(value)));
            assert_names(
                &answer,
                &[argument, &value.to_string(), &minimum.to_string()],
            );
        }
    }
}

#[test]
fn a_value_that_is_no_choice_is_refused_with_the_choices() {
    let (mut client, tools, _directory) = session();
    for tool in tools {
        for (argument, schema) in tool.arguments() {
            let Some(choices) = schema["enum"].as_array() else {
                continue;
            };
            let mut words: Vec<&str> = choices.iter().map(|it| it.as_str().unwrap()).collect();
            for choice in &words {
                client
                    .call(tool.name(), tool.call_with(argument, json!(choice)))
                    .text();
            }
            words.extend([argument, "colour"]);
            let answer = client.call(tool.name(), tool.call_with(argument, json!("colour")));
            assert_names(&answer, &words);
        }
    }
}

// B46
#[test]
fn null_empty_and_absent_are_the_same_for_every_optional_argument() {
    let (mut client, tools, _directory) = session();
    for tool in tools {
        let expected = plain(&mut client, &tool);
        let optional = tool.arguments().filter(|(name, _)| !tool.requires(name));
        for (argument, schema) in optional.filter(|(name, _)| *name != "path") {
            let mut nothings = vec![Value::Null, json!("")];
            if schema["type"] != "string" {
                nothings.push(json!("null"));
            }
            for nothing in nothings {
                let answer = client.call(tool.name(), tool.call_with(argument, nothing));
                assert_eq!(answer.text(), expected, "{} {argument}", tool.name());
            }
        }
        let everything: Map<String, Value> = tool
            .arguments()
            .map(|(name, _)| (name.to_owned(), Value::Null))
            .chain(tool.call())
            .collect();
        let answer = client.call(tool.name(), Value::Object(everything));
        assert_eq!(answer.text(), expected);
    }
}

// B44
#[test]
fn numbers_and_booleans_may_come_as_text() {
    let (mut client, tools, _directory) = session();
    for tool in tools {
        for (argument, schema) in tool.arguments() {
            let forms = match schema["type"].as_str() {
                Some("integer") => {
                    vec![json!(2), json!(2.0), json!("2"), json!(" 2 "), json!("2.0")]
                }
                Some("boolean") => vec![json!(true), json!("true"), json!("True"), json!(1)],
                _ => continue,
            };
            let texts: Vec<String> = forms
                .into_iter()
                .map(|it| {
                    client
                        .call(tool.name(), tool.call_with(argument, it))
                        .text()
                        .to_owned()
                })
                .collect();
            assert!(
                texts.iter().all(|it| *it == texts[0]),
                "{} {argument}: {texts:#?}",
                tool.name()
            );
        }
    }
}

#[test]
fn a_number_too_large_is_clamped_and_never_breaks_the_answer() {
    let (mut client, tools, _directory) = session();
    for tool in tools {
        for (argument, _) in tool
            .arguments()
            .filter(|(_, schema)| schema["type"] == "integer")
        {
            for value in [
                "4294967296",
                "9223372036854775807",
                "18446744073709551616",
                "1e30",
            ] {
                let value = serde_json::from_str(value).unwrap();
                let answer = client.call(tool.name(), tool.call_with(argument, value));
                assert!(!answer.text().is_empty());
            }
        }
    }
}

// B39
#[test]
fn arguments_may_come_as_json_text_or_not_at_all() {
    let (mut client, tools, _directory) = session();
    for tool in tools {
        let expected = plain(&mut client, &tool);
        let text = Value::Object(tool.call()).to_string();
        assert_eq!(client.call(tool.name(), json!(text)).text(), expected);
        for params in [
            json!({"name": tool.name()}),
            json!({"name": tool.name(), "arguments": null}),
        ] {
            let answer = Answer(client.request("tools/call", params));
            if tool.requires("path") {
                assert_names(&answer, &["path"]);
            } else {
                assert!(!answer.text().is_empty());
            }
        }
    }
}

// B42, B47
#[test]
fn a_path_is_found_under_other_names_and_in_a_list_of_one() {
    let (mut client, tools, _directory) = session();
    for tool in tools.iter().filter(|it| it.call().contains_key("path")) {
        let expected = plain(&mut client, tool);
        let path = tool.call()["path"].clone();
        for name in [
            "file_path",
            "filePath",
            "file",
            "filename",
            "directory",
            "dir",
        ] {
            let mut call = Map::new();
            call.insert(name.to_owned(), path.clone());
            assert_eq!(
                client.call(tool.name(), Value::Object(call)).text(),
                expected
            );
        }
        for list in [json!([path]), json!(json!([path]).to_string())] {
            assert_eq!(
                client
                    .call(tool.name(), tool.call_with("path", list))
                    .text(),
                expected
            );
        }
        // The real name wins.
        let answer = client.call(tool.name(), tool.call_with("file", json!("missing")));
        assert_eq!(answer.text(), expected);
    }
}

// C03 and the ninth decision: an unknown name never makes a call fail.
#[test]
fn unknown_names_are_said_once_and_bookkeeping_is_passed_over() {
    let (mut client, tools, _directory) = session();
    for tool in tools {
        let expected = plain(&mut client, &tool);
        for name in ["task_progress", "toolCallId", "sessionId", "_meta", "_x"] {
            let answer = client.call(tool.name(), tool.call_with(name, json!("x")));
            assert_eq!(answer.text(), expected, "{name}");
        }
        let answer = client.call(tool.name(), tool.call_with("colour", json!("red")));
        let text = answer.text();
        assert!(text.contains("colour"), "{text}");
        let published = tool
            .arguments()
            .filter(|(name, _)| text.contains(name))
            .count();
        assert!(published > 0, "the known names are listed: {text}");
    }
}

// B49
#[test]
fn a_nul_in_a_path_is_refused_by_name_and_never_sent_back() {
    let (mut client, tools, _directory) = session();
    for tool in tools {
        let answer = client.call(tool.name(), tool.call_with("path", json!("a\0b.txt")));
        assert_names(&answer, &["NUL"]);
        let answer = client.call(
            tool.name(),
            tool.call_with("path", json!("a\u{7}\u{1b}[31m.txt")),
        );
        assert!(
            !answer.fault().chars().any(char::is_control),
            "{:?}",
            answer.fault()
        );
    }
}

// B41
#[test]
fn metadata_of_any_kind_never_fails_a_call() {
    let (mut client, _, _directory) = session();
    for token in [
        json!(0),
        json!("x"),
        json!(1.5),
        Value::Null,
        json!({}),
        json!([]),
    ] {
        let meta = json!({"progressToken": token, "traceparent": "00-0", "x": [1]});
        let params =
            json!({"name": "read_file", "arguments": {"path": "n.txt", "limit": 1}, "_meta": meta});
        let answer = Answer(client.request("tools/call", params));
        assert!(answer.text().contains("\n1\n"), "{}", answer.text());
    }
}
