//! The client side: starts a server, talks to it, and notices whatever becomes of it.
//!
//! Reading, writing and stderr have a thread each, so that neither side can block the other, and every
//! wait has a limit. **Independent of this program's own server**: it shares JSON-RPC with it, and the
//! table of revisions.

mod conversation;
mod group;
mod handshake;
mod inbox;
mod keeper;
mod launch;
mod oddity;
mod process;
mod raw_line;
mod tools;
mod writer;

pub(crate) use conversation::{Client, Failure, Limits};
pub(crate) use handshake::{Greeting, greet_legacy, greet_modern, probe};
pub(crate) use inbox::Listener;
pub(crate) use keeper::{Event, Keeper};
pub(crate) use launch::Launch;
pub(crate) use oddity::Oddity;
pub(crate) use process::{Death, Ending, end_servers_on_signals};
