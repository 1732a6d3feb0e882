//! What a person types after `filewright check`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// Tries a stdio server as a host would, layer by layer, and says which one fails.
///
/// Exit code 0: nothing failed; 1: something did; 2: wrong usage.
#[derive(Debug, Parser)]
#[command(name = "filewright check", version, disable_help_subcommand = true)]
pub(crate) struct CheckArgs {
    /// One JSON object a check, for scripts
    #[arg(long)]
    pub(crate) json: bool,
    /// Seconds to wait for an answer, for all methods or for one [default: 10, for the first 60; with
    /// --watch 30, for tools/call 300]
    #[arg(long = "timeout", value_name = "[METHOD=]S")]
    pub(crate) timeouts: Vec<String>,
    /// Only this layer; may be repeated
    #[arg(long, value_name = "LAYER", value_enum)]
    pub(crate) only: Vec<LayerName>,
    /// Speak to the server in this era of the protocol
    #[arg(long, value_enum)]
    pub(crate) era: Option<EraName>,
    /// The directory in which the server starts
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Set an environment variable; may be repeated
    #[arg(long = "env", value_name = "NAME=VALUE")]
    pub(crate) variables: Vec<String>,
    /// Start the server with no variables but those given by --env
    #[arg(long)]
    pub(crate) clean_env: bool,
    /// Start it with the PATH that programs with windows have on this system
    #[arg(long)]
    pub(crate) gui_path: bool,
    /// Call this tool with these arguments too
    #[arg(long, num_args = 2, value_names = ["TOOL", "JSON"])]
    pub(crate) call: Option<Vec<String>>,
    /// Record every frame in this file, one JSON line each
    #[arg(long, value_name = "FILE")]
    pub(crate) transcript: Option<PathBuf>,
    /// Keep the server running, with heartbeats, and tell what happens until interrupted
    #[arg(long, conflicts_with_all = ["json", "only", "era", "call", "transcript"])]
    pub(crate) watch: bool,
    /// Seconds between two heartbeats of --watch [default: 30]
    #[arg(long, value_name = "S", requires = "watch")]
    pub(crate) every: Option<String>,
    /// The server's command and arguments; without one, filewright itself
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// What has to work before the next can, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum LayerName {
    Start,
    Stream,
    Handshake,
    Protocol,
    Tools,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EraName {
    /// Sessions that initialize opens
    Legacy,
    /// Requests that name their revision
    Modern,
}
