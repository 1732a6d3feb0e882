//! What the tools do, and the one table that lists them.
//!
//! **Tools know no revision and no message**: they take arguments and give text.

mod arguments;
mod error;
mod list_dir;
mod output;
mod read_file;
mod read_lines;
mod schema;
mod text;
mod wordcount;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::fs::{Charset, Roots, Stopped, Watch};
use arguments::Alias;
pub(crate) use arguments::NotAnObject;
pub(crate) use error::ToolError;
pub(crate) use output::{Outcome, Output};

/// Every tool there is, in the order in which they are listed.
const TOOLS: [&Tool; 4] = [
    &read_file::TOOL,
    &read_lines::TOOL,
    &list_dir::TOOL,
    &wordcount::TOOL,
];

/// Everything about one tool.
#[derive(Debug)]
struct Tool {
    name: &'static str,
    title: &'static str,
    /// For the model; the first sentence says it all.
    description: &'static str,
    /// It can return a whole page of text, which hosts must be told of.
    returns_pages: bool,
    input: fn() -> Map<String, Value>,
    output: Option<fn() -> Map<String, Value>>,
    /// Names that models use for our arguments.
    aliases: &'static [Alias],
    run: fn(&Context<'_>, Map<String, Value>) -> Result<Output, ToolError>,
}

/// What the protocol tells a client of a tool.
#[derive(Debug)]
pub(crate) struct Spec {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) input_schema: Value,
    pub(crate) output_schema: Option<Value>,
    pub(crate) annotations: Value,
    pub(crate) meta: Option<Value>,
}

/// What a call has at hand.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) roots: &'a Roots,
    pub(crate) settings: Settings,
    pub(crate) watch: &'a Watch<'a>,
}

/// What the user set for all tools.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// Bytes of text in one result, notices apart.
    pub(crate) max_bytes: usize,
    /// What text is in where its bytes leave the choice.
    pub(crate) fallback: Option<Charset>,
}

/// The tools that this server offers.
#[derive(Debug)]
pub(crate) struct Toolbox {
    tools: Vec<(&'static Tool, Map<String, Value>)>,
}

impl Toolbox {
    /// `wanted` chooses by name.
    pub(crate) fn new(wanted: impl Fn(&str) -> bool) -> Toolbox {
        let tools = TOOLS.into_iter().filter(|it| wanted(it.name));
        Toolbox {
            tools: tools.map(|it| (it, (it.input)())).collect(),
        }
    }

    /// Every tool there is, offered or not.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        TOOLS.iter().map(|it| it.name)
    }

    pub(crate) fn specs(&self) -> Vec<Spec> {
        self.tools
            .iter()
            .map(|(tool, input)| tool.spec(input))
            .collect()
    }

    /// Every name that a tool takes an argument by, those that are published first. Nothing where
    /// there is no such tool.
    pub(crate) fn argument_names(&self, tool: &str) -> Option<Vec<&str>> {
        let (tool, schema) = self.tools.iter().find(|(it, _)| it.name == tool)?;
        let published = schema::properties(schema).keys().map(String::as_str);
        let others = tool.aliases.iter().chain(arguments::COMMON_ALIASES);
        Some(published.chain(others.map(|it| it.from)).collect())
    }

    /// Runs one tool. The error is for arguments that are no JSON object at all.
    pub(crate) fn call(
        &self,
        name: &str,
        arguments: Option<&RawValue>,
        context: &Context<'_>,
    ) -> Result<Result<Outcome, Stopped>, NotAnObject> {
        let Some((tool, schema)) = self.tools.iter().find(|(it, _)| it.name == name) else {
            let known = self
                .tools
                .iter()
                .map(|(it, _)| it.name)
                .collect::<Vec<_>>()
                .join(", ");
            let text = format!("there is no tool {name}; the tools are {known}");
            return Ok(Ok(Outcome::failed(text)));
        };
        let given = arguments::read(arguments)?;
        Ok(tool.call(given, schema, context))
    }
}

impl Tool {
    fn call(
        &self,
        given: Map<String, Value>,
        schema: &Map<String, Value>,
        context: &Context<'_>,
    ) -> Result<Outcome, Stopped> {
        let (arguments, ignored) = match arguments::understand(given, schema, self.aliases) {
            Ok(understood) => understood,
            Err(error) => return Ok(Outcome::failed(error.text(context.roots))),
        };
        match (self.run)(context, arguments) {
            Ok(output) => Ok(output.ignoring(&ignored, schema).render()),
            Err(ToolError::File {
                error: crate::fs::Error::Stopped(Stopped::Cancelled),
                ..
            }) => Err(Stopped::Cancelled),
            Err(error) => Ok(Outcome::failed(error.text(context.roots))),
        }
    }

    fn spec(&self, input: &Map<String, Value>) -> Spec {
        // Names this key for hosts that cut long results; the unit is characters.
        let meta = json!({"anthropic/maxResultSizeChars": 100_000});
        Spec {
            name: self.name,
            title: self.title,
            description: self.description,
            input_schema: schema::published(input.clone()),
            output_schema: self.output.map(|it| Value::Object(it())),
            annotations: json!({
                "readOnlyHint": true,
                "destructiveHint": false,
                "idempotentHint": true,
                "openWorldHint": false,
            }),
            meta: self.returns_pages.then_some(meta),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alias_leads_to_an_argument_that_is_published_and_shadows_none() {
        for tool in TOOLS {
            let properties = schema::properties(&(tool.input)()).clone();
            for alias in tool.aliases.iter().chain(arguments::COMMON_ALIASES) {
                if let arguments::To::Name(name) = alias.to {
                    let is_common = arguments::COMMON_ALIASES
                        .iter()
                        .any(|it| it.from == alias.from);
                    assert!(
                        properties.contains_key(name) || is_common,
                        "{} {name}",
                        tool.name
                    );
                }
                assert!(
                    !properties.contains_key(alias.from),
                    "{} {}",
                    tool.name,
                    alias.from
                );
            }
        }
    }
}
