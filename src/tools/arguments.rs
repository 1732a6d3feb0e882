//! Arguments as models and hosts really send them, made to fit the schema that was published.
//!
//! One table-driven layer between the JSON of a call and the tool: what is absent, `null` or empty
//! is not given; numbers may be strings; other common names stand for ours; unknown names never
//! fail a call. Values that cannot be meant are refused by name.

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::error::ToolError;
use super::schema;

/// The arguments of a call are not a JSON object, nor the text of one.
#[derive(Debug)]
pub(crate) struct NotAnObject(pub(crate) String);

/// Another name for an argument, accepted and not published. The real name wins.
#[derive(Debug)]
pub(super) struct Alias {
    pub(super) from: &'static str,
    pub(super) to: To,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum To {
    Name(&'static str),
    /// Sets other arguments from the value, unless they are set already. False when it takes no such
    /// value, but this.
    Computed(Compute, &'static str),
}

type Compute = fn(&Value, &mut Map<String, Value>) -> bool;

pub(super) const fn named(from: &'static str, to: &'static str) -> Alias {
    Alias {
        from,
        to: To::Name(to),
    }
}

/// Names that every tool with a `path` takes for it.
pub(super) const COMMON_ALIASES: &[Alias] = &[
    named("file_path", "path"),
    named("filePath", "path"),
    named("filepath", "path"),
    named("file", "path"),
    named("filename", "path"),
    named("directory", "path"),
    named("dir", "path"),
];

/// What hosts add for themselves. Ignored without a word, like anything that begins with `_`.
const BOOKKEEPING: [&str; 6] = [
    "task_progress",
    "toolCallId",
    "tool_call_id",
    "sessionId",
    "session_id",
    "requestId",
];

/// Reads the JSON of a call's arguments; the text of an object is as good as the object.
pub(super) fn read(raw: Option<&RawValue>) -> Result<Map<String, Value>, NotAnObject> {
    let Some(raw) = raw else {
        return Ok(Map::new());
    };
    let refuse = |what: &str| NotAnObject(format!("arguments must be an object{what}"));
    let value = serde_json::from_str(raw.get());
    let value = value.map_err(|error| refuse(&format!(": {error}")))?;
    match value {
        Value::Object(object) => Ok(object),
        Value::Null => Ok(Map::new()),
        Value::String(text) if text.trim().is_empty() => Ok(Map::new()),
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Object(object)) => Ok(object),
            _ => Err(refuse("; the string is not the JSON of one")),
        },
        _ => Err(refuse("")),
    }
}

/// Makes arguments fit the schema. Also returns the names that mean nothing here.
pub(super) fn understand(
    mut given: Map<String, Value>,
    schema: &Map<String, Value>,
    aliases: &[Alias],
) -> Result<(Map<String, Value>, Vec<String>), ToolError> {
    let properties = schema::properties(schema);
    given.retain(|name, value| {
        let type_name = properties.get(name).and_then(|it| it["type"].as_str());
        !is_not_given(value, type_name)
    });
    for alias in aliases.iter().chain(COMMON_ALIASES) {
        apply(alias, &mut given, properties)?;
    }
    let mut understood = Map::new();
    for (name, property) in properties {
        if let Some(value) = given.shift_remove(name) {
            understood.insert(name.clone(), fit(name, value, property)?);
        } else if schema::is_required(schema, name) {
            return Err(ToolError::Missing { name: name.clone() });
        }
    }
    let is_noise = |it: &String| it.starts_with('_') || BOOKKEEPING.contains(&it.as_str());
    let ignored = given.keys().filter(|it| !is_noise(it)).cloned().collect();
    Ok((understood, ignored))
}

/// The typed arguments of a tool. The schema was made from the same type, so this cannot fail for
/// anything that fits it.
pub(super) fn typed<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, ToolError> {
    let parsed = serde_json::from_value(Value::Object(arguments));
    parsed.map_err(|error| ToolError::Arguments(error.to_string()))
}

fn is_not_given(value: &Value, type_name: Option<&str>) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) if text.is_empty() => true,
        Value::String(text) => type_name.is_some_and(|it| it != "string") && text.trim() == "null",
        _ => false,
    }
}

fn apply(
    alias: &Alias,
    given: &mut Map<String, Value>,
    properties: &Map<String, Value>,
) -> Result<(), ToolError> {
    if properties.contains_key(alias.from) {
        return Ok(());
    }
    match alias.to {
        To::Name(name) => {
            if properties.contains_key(name)
                && let Some(value) = given.shift_remove(alias.from)
            {
                given.entry(name).or_insert(value);
            }
        }
        To::Computed(set, wanted) => {
            let value = given.shift_remove(alias.from);
            if let Some(value) = value.filter(|it| !is_not_given(it, Some("integer")))
                && !set(&value, given)
            {
                return Err(ToolError::wrong(alias.from, shown(&value), wanted));
            }
        }
    }
    Ok(())
}

/// Makes one value fit its property, or says what would.
fn fit(name: &str, value: Value, property: &Value) -> Result<Value, ToolError> {
    let wrong = |value: &Value, wanted: String| ToolError::Wrong {
        name: name.to_owned(),
        value: shown(value),
        wanted,
    };
    // A lone value in a list is what some models make of a single path; some send the list as text.
    let listed = match &value {
        Value::String(text) if text.starts_with("[\"") => serde_json::from_str(text).ok(),
        _ => None,
    };
    let value = match listed.unwrap_or(value) {
        Value::Array(mut items) if items.len() == 1 => items.remove(0),
        Value::Array(items) => {
            let count = items.len();
            return Err(wrong(
                &Value::Array(items),
                format!("one value a call, not {count}"),
            ));
        }
        other => other,
    };
    match property["type"].as_str() {
        Some("integer") => {
            let Some(number) = integer(&value) else {
                return Err(wrong(&value, range(property)));
            };
            let minimum = property["minimum"].as_i64().unwrap_or(i64::MIN);
            let maximum = property["maximum"].as_i64().unwrap_or(i64::MAX);
            if number < minimum {
                return Err(wrong(&value, range(property)));
            }
            Ok(number.min(maximum).into())
        }
        Some("boolean") => match boolean(&value) {
            Some(flag) => Ok(flag.into()),
            None => Err(wrong(&value, "true or false".to_owned())),
        },
        _ => string(&value, property, wrong),
    }
}

fn string(
    value: &Value,
    property: &Value,
    wrong: impl Fn(&Value, String) -> ToolError,
) -> Result<Value, ToolError> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        _ => return Err(wrong(value, "a string".to_owned())),
    };
    let Some(choices) = property["enum"].as_array() else {
        return Ok(text.into());
    };
    let chosen = choices
        .iter()
        .filter_map(Value::as_str)
        .find(|it| it.eq_ignore_ascii_case(text.trim()));
    chosen.map(Value::from).ok_or_else(|| {
        let names: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
        wrong(value, format!("one of {}", names.join(", ")))
    })
}

/// A whole number, however it was written; what is too large to hold is the largest there is.
pub(super) fn integer(value: &Value) -> Option<i64> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_owned(),
        _ => return None,
    };
    if let Ok(number) = text.parse::<i64>() {
        return Some(number);
    }
    let number: f64 = text.parse().ok()?;
    // Out of range saturates, which is what is wanted of a limit.
    (number.is_finite() && number.fract() == 0.0).then_some(number as i64)
}

pub(super) fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::Number(number) => match number.as_f64() {
            Some(0.0) => Some(false),
            Some(1.0) => Some(true),
            _ => None,
        },
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" => Some(true),
            "false" | "no" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

pub(super) const WHOLE_NUMBER: &str = "a whole number";

fn range(property: &Value) -> String {
    match (property["minimum"].as_i64(), property["maximum"].as_i64()) {
        (Some(low), Some(high)) => format!("a whole number from {low} to {high}"),
        (Some(low), None) => format!("a whole number, {low} or more"),
        _ => WHOLE_NUMBER.to_owned(),
    }
}

/// A value as the caller sent it, short enough for a message.
fn shown(value: &Value) -> String {
    crate::words::clipped(&value.to_string(), 60).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whole_numbers_are_understood_however_they_are_written() {
        for value in [
            json!(10),
            json!(10.0),
            json!("10"),
            json!(" 10 "),
            json!("10.0"),
            json!(1e1),
        ] {
            assert_eq!(integer(&value), Some(10), "{value}");
        }
        assert_eq!(
            integer(&json!(18_446_744_073_709_551_615_u64)),
            Some(i64::MAX)
        );
        assert_eq!(integer(&json!(1e30)), Some(i64::MAX));
        assert_eq!(integer(&json!(-1e30)), Some(i64::MIN));
        for value in [
            json!(10.5),
            json!("ten"),
            json!("NaN"),
            json!(true),
            json!({}),
            json!("inf"),
        ] {
            assert_eq!(integer(&value), None, "{value}");
        }
    }

    #[test]
    fn the_real_name_wins_over_its_aliases() {
        let schema = json!({"properties": {"path": {"type": "string"}}, "required": ["path"]});
        let schema = schema.as_object().unwrap();
        let understand = |given: Value| {
            let given = given.as_object().unwrap().clone();
            understand(given, schema, &[]).map(|(known, ignored)| (Value::Object(known), ignored))
        };
        let (known, ignored) =
            understand(json!({"file": "b", "path": "a", "x": 1, "_y": 2})).unwrap();
        assert_eq!(known, json!({"path": "a"}));
        assert_eq!(ignored, ["x"]);
        assert_eq!(
            understand(json!({"dir": ["b"], "path": null})).unwrap().0,
            json!({"path": "b"})
        );
        assert!(understand(json!({"path": ""})).is_err());
        assert!(understand(json!({"path": ["a", "b"]})).is_err());
        assert_eq!(
            understand(json!({"path": 2024})).unwrap().0,
            json!({"path": "2024"})
        );
    }
}
