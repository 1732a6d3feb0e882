//! JSON-RPC 2.0 over lines of bytes: frames, envelopes, ids, and the queue of lines to write.
//!
//! **Knows nothing of MCP**: no method name, no era, no tool.

pub(crate) mod answer;
pub(crate) mod batch;
pub(crate) mod frame;
pub(crate) mod id;
pub(crate) mod message;
pub(crate) mod outbox;
mod recover;
pub(crate) mod reply;

pub(crate) use id::Id;
