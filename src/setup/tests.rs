//! Properties of the changes, over generated files: all that is there stays, and comes back.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::CstRootNode;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::document::Slot;
use super::entry::Entry;
use super::hosts;

/// A member of an object, with what a person may have written around it.
#[derive(Clone, Debug)]
struct Member {
    key: String,
    value: Node,
    above: Option<String>,
    behind: Option<String>,
    has_blank_line: bool,
}

#[derive(Clone, Debug)]
enum Node {
    Leaf(Value),
    Object(Vec<Member>),
}

#[derive(Clone, Debug)]
struct Layout {
    indent: &'static str,
    newline: &'static str,
    mark: &'static str,
    end: &'static str,
    has_trailing_commas: bool,
}

fn comment() -> impl Strategy<Value = Option<String>> {
    option::weighted(0.3, "(// [a-z\"{},: 中]{0,9}|/\\*[a-z\"{},:/ \n]{0,9}\\*/)")
}

fn leaf() -> impl Strategy<Value = Node> {
    prop_oneof![
        any::<i32>().prop_map(|it| json!(it)),
        any::<bool>().prop_map(|it| json!(it)),
        ".{0,6}".prop_map(|it| json!(it)),
        vec(".{0,3}", 0..3).prop_map(|it| json!(it)),
        Just(Value::Null),
        Just(json!({})),
    ]
    .prop_map(Node::Leaf)
}

fn members(value: impl Strategy<Value = Node>) -> impl Strategy<Value = Vec<Member>> {
    let member = (
        "[a-z é中\"]{1,5}",
        value,
        comment(),
        comment(),
        any::<bool>(),
    );
    let member = member.prop_map(|(key, value, above, behind, has_blank_line)| Member {
        key,
        value,
        above,
        behind,
        has_blank_line,
    });
    vec(member, 0..4).prop_map(distinct)
}

fn distinct(mut members: Vec<Member>) -> Vec<Member> {
    let mut seen = std::collections::HashSet::new();
    members.retain(|it| seen.insert(it.key.clone()));
    members
}

/// A file of a host, with servers or without.
fn file() -> impl Strategy<Value = Vec<Member>> {
    let inner = || members(leaf()).prop_map(Node::Object);
    let either = prop_oneof![2 => leaf(), 1 => inner()];
    let servers = option::of((inner(), comment(), any::<prop::sample::Index>()));
    (members(either), servers).prop_map(|(mut members, servers)| {
        if let Some((value, above, place)) = servers {
            let place = place.index(members.len() + 1);
            let servers = Member {
                key: "mcpServers".to_owned(),
                value,
                above,
                behind: None,
                has_blank_line: false,
            };
            members.insert(place, servers);
        }
        members
    })
}

fn layout() -> impl Strategy<Value = Layout> {
    let indent = prop::sample::select(vec!["  ", "    ", "\t", ""]);
    let newline = prop::sample::select(vec!["\n", "\r\n"]);
    let mark = prop::sample::select(vec!["", "\u{feff}"]);
    (indent, newline, mark, any::<bool>(), any::<bool>()).prop_map(
        |(indent, newline, mark, ends_line, has_trailing_commas)| Layout {
            indent,
            newline,
            mark,
            end: if ends_line { newline } else { "" },
            has_trailing_commas,
        },
    )
}

fn render(members: &[Member], layout: &Layout) -> String {
    let mut text = layout.mark.to_owned();
    object(members, layout, 0, &mut text);
    text.push_str(layout.end);
    text
}

fn object(members: &[Member], layout: &Layout, depth: usize, text: &mut String) {
    let line = |depth| format!("{}{}", layout.newline, layout.indent.repeat(depth));
    text.push('{');
    for (index, member) in members.iter().enumerate() {
        if member.has_blank_line && index > 0 {
            text.push_str(layout.newline);
        }
        if let Some(comment) = &member.above {
            text.push_str(&line(depth + 1));
            text.push_str(&comment.replace('\n', layout.newline));
        }
        text.push_str(&line(depth + 1));
        text.push_str(&format!("{}: ", json!(member.key)));
        match &member.value {
            Node::Leaf(value) => text.push_str(&value.to_string()),
            Node::Object(members) => object(members, layout, depth + 1, text),
        }
        if index + 1 < members.len() || layout.has_trailing_commas {
            text.push(',');
        }
        if let Some(comment) = &member.behind {
            text.push(' ');
            text.push_str(&comment.replace('\n', layout.newline));
        }
    }
    if !members.is_empty() {
        text.push_str(&line(depth));
    }
    text.push('}');
}

fn value(text: &str) -> Map<String, Value> {
    let body = text.trim_start_matches('\u{feff}');
    let root = CstRootNode::parse(body, &ParseOptions::default()).unwrap();
    match root.to_serde_value() {
        Some(Value::Object(object)) => object,
        other => panic!("{text:?} is {other:?}"),
    }
}

/// The comments outside texts, in order.
fn comments(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['"', '/', '#']) {
        let at = &rest[start..];
        let length = if let Some(inside) = at.strip_prefix('"') {
            let inside = inside.char_indices();
            let mut is_escaped = false;
            let mut end = inside.filter(|(_, it)| {
                let ends = *it == '"' && !is_escaped;
                is_escaped = *it == '\\' && !is_escaped;
                ends
            });
            end.next().map_or(at.len(), |(place, _)| place + 2)
        } else if let Some(inside) = at.strip_prefix("/*") {
            inside.find("*/").map_or(at.len(), |it| it + 4)
        } else {
            at.find(['\r', '\n']).unwrap_or(at.len())
        };
        if !at.starts_with('"') {
            found.push(&at[..length]);
        }
        rest = &at[length..];
    }
    found
}

fn slot(host: &str) -> Slot<'static> {
    Slot {
        host: hosts::find(host).unwrap(),
        name: "filewright",
        program: "/opt/filewright",
    }
}

fn entry() -> impl Strategy<Value = Entry> {
    let command = prop::sample::select(vec![
        "/opt/my tools/filewright".to_owned(),
        r#"C:\Users\测试 "x"\filewright.exe"#.to_owned(),
    ]);
    (command, vec(any::<String>(), 0..3)).prop_map(|(command, args)| Entry { command, args })
}

/// As order counts: maps are equal whatever theirs.
fn ordered(object: &Map<String, Value>) -> String {
    Value::Object(object.clone()).to_string()
}

fn without_empty_servers(mut object: Map<String, Value>) -> Map<String, Value> {
    if object.get("mcpServers") == Some(&json!({})) {
        object.shift_remove("mcpServers");
    }
    object
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn json_keeps_everything_else(members in file(), layout in layout(), entry in entry()) {
        let text = render(&members, &layout);
        let slot = slot("gemini");
        let written = slot.written(&text, &entry).unwrap();
        let mut expected = value(&text);
        expected.entry("mcpServers").or_insert(json!({}))["filewright"] =
            Value::Object(entry.fields(slot.host));
        prop_assert_eq!(ordered(&value(&written)), ordered(&expected));
        prop_assert_eq!(comments(&written), comments(&text));
        prop_assert_eq!(written.starts_with('\u{feff}'), layout.mark == "\u{feff}");
        if layout.newline == "\r\n" && !members.is_empty() {
            prop_assert!(!written.replace("\r\n", "").contains('\n'), "{:?}", written);
        }
        prop_assert_eq!(slot.written(&written, &entry).unwrap(), written.clone());

        let removed = slot.removed(&written).unwrap();
        let (removed_value, old_value) = (value(&removed), value(&text));
        prop_assert_eq!(
            ordered(&without_empty_servers(removed_value)),
            ordered(&without_empty_servers(old_value))
        );
        prop_assert_eq!(comments(&removed), comments(&text));
        // Where nothing is indented, trailing commas are not found out about.
        let is_plain = !layout.indent.is_empty() || !layout.has_trailing_commas;
        let had_servers = value(&text).get("mcpServers").is_some_and(|it| *it != json!({}));
        if is_plain && had_servers {
            prop_assert_eq!(removed, text);
        }
    }

    #[test]
    fn an_entry_is_brought_up_to_date_in_its_place(
        members in file(), layout in layout(), old in entry(), new in entry()
    ) {
        let slot = slot("gemini");
        let text = slot.written(&render(&members, &layout), &old).unwrap();
        let text = text.replacen("\"command\"", "\"timeout\": 5, /* mine */ \"command\"", 1);
        let written = slot.written(&text, &new).unwrap();
        let mut expected = value(&text);
        expected["mcpServers"]["filewright"]["command"] = json!(new.command);
        expected["mcpServers"]["filewright"]["args"] = json!(new.args);
        prop_assert_eq!(ordered(&value(&written)), ordered(&expected));
        prop_assert_eq!(comments(&written), comments(&text));
    }

    #[test]
    fn toml_keeps_every_byte(
        lines in vec(toml_line(), 0..12), newline in prop::sample::select(vec!["\n", "\r\n"]),
        old in entry(), new in entry()
    ) {
        let lines = lines.iter().enumerate().map(|(number, line)| {
            line.replace('N', &number.to_string()) + newline
        });
        let text: String = lines.collect();
        let slot = slot("codex");
        let written = slot.written(&text, &old).unwrap();
        if !text.trim().is_empty() {
            prop_assert!(written.starts_with(&text));
        }
        prop_assert_eq!(slot.read(&written).unwrap(), Some(old.clone()));
        prop_assert_eq!(slot.written(&written, &old).unwrap(), written.clone());
        let updated = slot.written(&written, &new).unwrap();
        prop_assert_eq!(slot.read(&updated).unwrap(), Some(new));
        prop_assert_eq!(slot.written(&updated, &old).unwrap(), written.clone());
        if !text.trim().is_empty() {
            prop_assert_eq!(slot.removed(&updated).unwrap(), text);
        }
    }
}

fn toml_line() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "",
        "# note [x] \"N\"",
        "[tableN] # head",
        "[mcp_servers.otherN]",
        "[mcp_servers.otherN.env]",
        "[[listN]]",
        "keyN = 'value' # why",
        "keyN.part = [1, # one\n  2]",
        "keyN = \"\"\"\n[mcp_servers.filewright]\n\"\"\"",
    ])
    .prop_map(str::to_owned)
}
