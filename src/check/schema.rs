//! What model APIs and hosts refuse in the description of a tool.
//!
//! One such tool disables all of them: the request that carries the list is refused as a whole.

use serde_json::Value;

/// Words of JSON Schema that some model API refuses.
const REFUSED_BY_SOME: [&str; 11] = [
    "$schema",
    "$ref",
    "$defs",
    "definitions",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "format",
    "pattern",
    "const",
];

/// What no client can work with.
pub(super) fn faults(tool: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let schema = &tool["inputSchema"];
    match schema {
        Value::Object(_) if schema["type"] == "object" => {
            walk(schema, "", &mut |place, schema| {
                let is_array = match &schema["type"] {
                    Value::Array(types) => types.iter().any(|it| it == "array"),
                    kind => kind == "array",
                };
                let has_items = schema.get("items").is_some_and(|it| !it.is_array());
                if is_array && !has_items && schema.get("prefixItems").is_none() {
                    faults.push(format!("{place} is an array without items"));
                }
            });
            for name in schema["required"].as_array().into_iter().flatten() {
                let is_there = name
                    .as_str()
                    .is_some_and(|it| schema["properties"].get(it).is_some());
                if !is_there {
                    faults.push(format!("{name} is required and is no property"));
                }
            }
        }
        Value::Object(_) => faults.push("the type of inputSchema is not \"object\"".to_owned()),
        Value::Null => faults.push("inputSchema is missing".to_owned()),
        _ => faults.push("inputSchema is no object".to_owned()),
    }
    faults
}

/// What some clients refuse.
pub(super) fn doubts(tool: &Value) -> Vec<String> {
    let mut doubts = Vec::new();
    let schema = &tool["inputSchema"];
    walk(schema, "", &mut |place, schema| {
        for word in REFUSED_BY_SOME {
            if schema.get(word).is_some() {
                doubts.push(format!("{word} at {}", or_root(place)));
            }
        }
        if schema.get("prefixItems").is_some() || schema["items"].is_boolean() {
            doubts.push(format!(
                "items that are no single schema at {}",
                or_root(place)
            ));
        }
        if schema["type"].is_array() {
            doubts.push(format!("a list of types at {}", or_root(place)));
        }
        if schema.get("default").is_some_and(Value::is_null) {
            doubts.push(format!("a default of null at {}", or_root(place)));
        }
    });
    doubts
}

fn or_root(place: &str) -> &str {
    if place.is_empty() { "the root" } else { place }
}

/// Visits each schema inside this one, with the path of properties that leads there.
fn walk(schema: &Value, place: &str, visit: &mut impl FnMut(&str, &Value)) {
    if !schema.is_object() {
        return;
    }
    visit(place, schema);
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let place = match place {
            "" => name.clone(),
            place => format!("{place}.{name}"),
        };
        walk(property, &place, visit);
    }
    walk(&schema["items"], &format!("{place}[]"), visit);
    walk(
        &schema["additionalProperties"],
        &format!("{place}.*"),
        visit,
    );
    for word in ["anyOf", "oneOf", "allOf"] {
        for choice in schema[word].as_array().into_iter().flatten() {
            walk(choice, place, visit);
        }
    }
    for definition in schema["$defs"].as_object().into_iter().flatten() {
        walk(definition.1, definition.0, visit);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(schema: Value) -> Value {
        json!({"name": "t", "inputSchema": schema})
    }

    #[test]
    fn what_no_client_takes_is_a_fault() {
        let list = json!({"type": "object", "properties": {"a": {"type": "array"}}});
        assert_eq!(faults(&tool(list)), ["a is an array without items"]);
        let nested = json!({"type": "object", "properties": {"a": {
            "type": "array", "items": {"type": "object", "properties": {"b": {"type": "array"}}}
        }}});
        assert_eq!(faults(&tool(nested)), ["a[].b is an array without items"]);
        let required = json!({"type": "object", "properties": {}, "required": ["a"]});
        assert_eq!(
            faults(&tool(required)),
            ["\"a\" is required and is no property"]
        );
        for hidden in [
            json!({"anyOf": [{"type": "array"}, {"type": "string"}]}),
            json!({"type": ["array", "null"]}),
        ] {
            let schema = json!({"type": "object", "properties": {"a": hidden}});
            assert_eq!(faults(&tool(schema)), ["a is an array without items"]);
        }
        assert_eq!(faults(&json!({"name": "t"})), ["inputSchema is missing"]);
        assert_eq!(faults(&tool(json!({"type": "string"}))).len(), 1);
        assert!(faults(&tool(json!({"type": "object"}))).is_empty());
    }

    #[test]
    fn what_some_refuse_is_a_doubt() {
        let schema = json!({"$schema": "x", "type": "object", "properties": {
            "a": {"anyOf": []}, "b": {"type": ["string", "null"], "default": null},
            "const": {"type": "string"}
        }});
        let expected = [
            "$schema at the root",
            "anyOf at a",
            "a list of types at b",
            "a default of null at b",
        ];
        assert_eq!(doubts(&tool(schema)), expected);
    }
}
