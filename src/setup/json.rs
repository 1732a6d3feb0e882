//! An entry in a JSON file that people edit too: comments, order and layout stay.

use anyhow::{Result, anyhow, bail};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

/// The file in which the entries of one host are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Json<'a> {
    /// The key that holds the servers.
    pub(super) servers: &'a str,
    /// Whether comments and trailing commas are allowed.
    pub(super) loose: bool,
}

impl Json<'_> {
    /// The entry of this name.
    pub(super) fn entry(&self, text: &str, name: &str) -> Result<Option<Value>> {
        let root = self.parse(text)?;
        let Some(servers) = self.servers(&root)? else {
            return Ok(None);
        };
        let entry = only(&servers, name)?;
        let value = entry.map(|it| {
            let value = it.to_serde_value();
            value.ok_or_else(|| anyhow!("{}.{name} can't be read", self.servers))
        });
        value.transpose()
    }

    /// The text with these fields in the entry. Other fields of an entry that is there stay.
    pub(super) fn with(
        &self,
        text: &str,
        name: &str,
        fields: &Map<String, Value>,
    ) -> Result<String> {
        let root = self.parse(text)?;
        let servers = self.servers(&root)?;
        let servers = match servers {
            Some(servers) => servers,
            None => root.object_value_or_set().object_value_or_set(self.servers),
        };
        match only(&servers, name)? {
            None => {
                servers.append(name, input(&Value::Object(fields.clone())));
            }
            Some(entry) => {
                let Some(entry) = entry.object_value() else {
                    bail!("{}.{name} is not an object", self.servers);
                };
                for (key, value) in fields {
                    match only(&entry, key)? {
                        Some(there) if there.to_serde_value().as_ref() == Some(value) => {}
                        Some(there) => there.set_value(input(value)),
                        None => {
                            entry.append(key, input(value));
                        }
                    }
                }
            }
        }
        Ok(root.to_string())
    }

    /// The text without the entry.
    pub(super) fn without(&self, text: &str, name: &str) -> Result<String> {
        let root = self.parse(text)?;
        if let Some(servers) = self.servers(&root)?
            && let Some(entry) = only(&servers, name)?
        {
            entry.remove();
        }
        Ok(root.to_string())
    }

    fn parse(&self, text: &str) -> Result<CstRootNode> {
        if !self.loose && !text.trim().is_empty() {
            let strictly: Result<IgnoredAny, _> = serde_json::from_str(text);
            strictly.map_err(|error| anyhow!("it is not valid JSON: {error}"))?;
        }
        let options = ParseOptions {
            allow_comments: self.loose,
            allow_trailing_commas: self.loose,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let root = CstRootNode::parse(text, &options)
            .map_err(|error| anyhow!("it is not valid JSON: {error}"))?;
        match root.value() {
            Some(value) if value.as_object().is_none() => bail!("it holds no JSON object"),
            _ => Ok(root),
        }
    }

    /// The object that holds the servers; `None` if there is none yet.
    fn servers(&self, root: &CstRootNode) -> Result<Option<CstObject>> {
        let Some(root) = root.object_value() else {
            return Ok(None);
        };
        let Some(servers) = only(&root, self.servers)? else {
            return Ok(None);
        };
        let object = servers.object_value();
        let object = object.ok_or_else(|| anyhow!("{} is not an object", self.servers))?;
        Ok(Some(object))
    }
}

/// The property of this name. Programs differ in which of two they take, so two are refused.
fn only(object: &CstObject, name: &str) -> Result<Option<CstObjectProp>> {
    let properties = object.properties().into_iter();
    let mut named = properties.filter(|it| it.decoded_name().as_deref() == Some(name));
    let first = named.next();
    if named.next().is_some() {
        bail!("it has the key {name} twice in one object");
    }
    Ok(first)
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(it) => CstInputValue::Bool(*it),
        Value::Number(it) => CstInputValue::Number(it.to_string()),
        Value::String(it) => CstInputValue::String(it.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(key, value)| (key.clone(), input(value)));
            CstInputValue::Object(fields.collect())
        }
    }
}
