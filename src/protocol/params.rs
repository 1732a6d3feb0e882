//! The params of requests, read two levels deep and no further.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Call, invalid_params};
use crate::rpc::message::as_string;
use crate::rpc::reply::ErrorObject;
use crate::tools::Spec;
use crate::words::clipped;

pub(crate) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
pub(crate) const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
pub(super) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// The members of `params` that any method here knows, as raw text. `null` is absent.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Params<'a> {
    #[serde(borrow)]
    pub(crate) name: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) cursor: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) notifications: Option<&'a RawValue>,
    #[serde(borrow, rename = "protocolVersion")]
    pub(super) protocol_version: Option<&'a RawValue>,
    #[serde(borrow, rename = "requestId")]
    pub(super) request_id: Option<&'a RawValue>,
}

/// The JSON object that a tool is called with; absent means empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arguments<'a>(pub(crate) Option<&'a RawValue>);

/// The members of `_meta`. Here `null` is told apart from absent.
#[derive(Debug, Default)]
pub(super) struct Meta<'a>(BTreeMap<Cow<'a, str>, &'a RawValue>);

impl<'a> Params<'a> {
    pub(crate) fn read(params: Option<&'a RawValue>) -> Result<Params<'a>, ErrorObject> {
        let Some(params) = params else {
            return Ok(Params::default());
        };
        serde_json::from_str(params.get()).map_err(|it| invalid_params(format!("params: {it}")))
    }

    pub(super) fn meta(&self) -> Result<Meta<'a>, ErrorObject> {
        let Some(meta) = self.meta else {
            return Ok(Meta::default());
        };
        let members = serde_json::from_str(meta.get());
        members
            .map(Meta)
            .map_err(|_| invalid_params("_meta must be an object"))
    }

    /// Reads the params of `tools/call`.
    pub(super) fn call(&self, meta: &Meta<'a>, tools: &[Spec]) -> Result<Call<'a>, ErrorObject> {
        let name = self
            .name
            .ok_or_else(|| invalid_params("name is missing: the tool to call"))?;
        let name = as_string(name).ok_or_else(|| invalid_params("name must be a string"))?;
        let tool = tools.iter().find(|it| it.name == name).ok_or_else(|| {
            let known: Vec<&str> = tools.iter().map(|it| it.name).collect();
            let name = clipped(&name, 100);
            invalid_params(format!(
                "Unknown tool: {name}; the tools are {}",
                known.join(", ")
            ))
        })?;
        Ok(Call {
            tool: tool.name,
            arguments: Arguments(self.arguments),
            progress_token: meta.progress_token(),
        })
    }
}

impl<'a> Meta<'a> {
    pub(super) fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.0.get(key).copied()
    }

    /// Any of these three keys makes a request a modern one, well-formed or not.
    pub(super) fn claims_modern(&self) -> bool {
        let keys = [PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO];
        keys.iter().any(|key| self.0.contains_key(*key))
    }

    /// A token is a string or an integer; anything else asks for nothing.
    fn progress_token(&self) -> Option<&'a RawValue> {
        self.get("progressToken")
            .filter(|it| crate::rpc::Id::from_raw(it).is_some())
    }
}
