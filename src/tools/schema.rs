//! JSON Schemas of arguments and results, made from the types that are parsed.
//!
//! Only keywords that every host takes: several drop a tool, or all of them, for any other.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Keywords that may be published in an input schema.
#[cfg(test)]
pub(super) const PLAIN: [&str; 9] = [
    "type",
    "properties",
    "required",
    "description",
    "enum",
    "items",
    "minimum",
    "maximum",
    "default",
];

/// The schema of a type, in plain keywords.
pub(super) fn of<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|it| {
        it.inline_subschemas = true;
        it.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut object = match schema.to_value() {
        Value::Object(object) => object,
        _ => Map::new(),
    };
    plain(&mut object);
    object
        .entry("properties")
        .or_insert_with(|| Value::Object(Map::new()));
    object
}

/// The schema of a result: names and types only, since models read the result itself.
pub(super) fn of_result<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = of::<T>();
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            property.retain(|name, _| matches!(name.as_str(), "type" | "items"));
        }
    }
    schema
}

/// The arguments by name.
pub(super) fn properties(schema: &Map<String, Value>) -> &Map<String, Value> {
    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    schema
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&NONE)
}

pub(super) fn is_required(schema: &Map<String, Value>, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|it| it == name))
}

/// What goes into the list of tools.
pub(super) fn published(schema: Map<String, Value>) -> Value {
    Value::Object(schema)
}

/// Takes away what generators add and hosts refuse. An optional argument is one that may be left
/// out, which `required` says already, so its type need not say `null` too.
fn plain(object: &mut Map<String, Value>) {
    for name in ["title", "format", "$schema"] {
        object.remove(name);
    }
    if let Some(Value::Array(types)) = object.get("type") {
        let first = types.iter().find(|it| *it != "null").cloned();
        object.extend(first.map(|it| ("type".to_owned(), it)));
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|it| !it.is_null());
    }
    // What anybody would expect of an argument that is left out need not be said.
    let is_plain = |it: &Value| it.is_null() || *it == false || *it == 0;
    if object.get("default").is_some_and(is_plain) {
        object.remove("default");
    }
    // Descriptions come from doc comments, which are wrapped.
    if let Some(Value::String(text)) = object.get_mut("description") {
        *text = text.replace('\n', " ");
    }
    for (name, value) in object.iter_mut() {
        match value {
            Value::Object(members) if name == "properties" => {
                members
                    .values_mut()
                    .filter_map(Value::as_object_mut)
                    .for_each(plain);
            }
            Value::Object(inner) if name == "items" => plain(inner),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::TOOLS;
    use super::*;

    #[track_caller]
    fn check_plain(object: &Map<String, Value>) {
        for (name, value) in object {
            assert!(PLAIN.contains(&name.as_str()), "{name} in {object:?}");
            if name == "properties" {
                value.as_object().unwrap().values().for_each(|it| {
                    check_plain(it.as_object().unwrap());
                });
            }
        }
    }

    #[test]
    fn input_schemas_use_plain_keywords_and_describe_every_argument() {
        for tool in TOOLS {
            let schema = (tool.input)();
            assert_eq!(schema["type"], "object");
            for (name, property) in properties(&schema) {
                let text = property["description"].as_str().unwrap();
                assert!(
                    text.ends_with('.') || text.ends_with(')'),
                    "{} {name}",
                    tool.name
                );
                assert!(
                    property["type"].is_string(),
                    "{} {name}: {property}",
                    tool.name
                );
            }
            for (name, value) in &schema {
                if name == "properties" {
                    value.as_object().unwrap().values().for_each(|it| {
                        check_plain(it.as_object().unwrap());
                    });
                }
            }
        }
    }
}
