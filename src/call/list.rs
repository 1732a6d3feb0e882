//! The tools as a person reads them, from the very descriptions that a model gets.

use std::fmt::Write as _;

use serde_json::Value;

use crate::tools::{Spec, Toolbox};

/// All tools, or one of them.
pub(super) fn tools(toolbox: &Toolbox, only: Option<&str>) -> String {
    let specs = toolbox.specs();
    let wanted = specs
        .iter()
        .filter(|it| only.is_none_or(|only| it.name == only));
    wanted.map(tool).collect::<Vec<_>>().join("\n")
}

fn tool(spec: &Spec) -> String {
    let mut text = format!("{}\n  {}\n", spec.name, spec.description);
    let schema = &spec.input_schema;
    let is_required = |name: &str| {
        let required = schema["required"].as_array();
        required.is_some_and(|all| all.iter().any(|it| it == name))
    };
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let kind = match property["enum"].as_array() {
            Some(values) => {
                let values = values.iter().filter_map(Value::as_str);
                values.collect::<Vec<_>>().join("|")
            }
            None => property["type"].as_str().unwrap_or_default().to_uppercase(),
        };
        let note = match &property["default"] {
            _ if is_required(name) => " (required)".to_owned(),
            Value::Null => String::new(),
            Value::String(default) => format!(" [default: {default}]"),
            default => format!(" [default: {default}]"),
        };
        let description = property["description"].as_str().unwrap_or_default();
        let pair = format!("{name}={kind}");
        // Writing into a String cannot fail.
        let _ = writeln!(text, "    {pair:<27} {description}{note}");
    }
    text
}
