//! What a person types after `filewright setup`, unchecked.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use super::Options;

const AFTER_HELP: &str = "\
The options of the server (--root to --log-file) are passed on: they become part of the entry.
Without HOST the hosts are listed. Without --write-config, --remove or --dry-run nothing is changed:
the entry, or the command that adds it, is on stdout, and what to do with it on stderr.";

/// Shows the entry for a host, or puts it into the host's configuration.
#[derive(Debug, Parser)]
#[command(name = "filewright setup", version, after_help = AFTER_HELP, disable_help_subcommand = true)]
pub(crate) struct SetupArgs {
    /// The host, for example claude-desktop
    pub(crate) host: Option<String>,
    /// Directories (or single files) that it may read
    #[arg(value_name = "DIR")]
    pub(crate) dirs: Vec<OsString>,
    /// Put the entry into the host's configuration file, or into this one, and try it
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub(crate) write_config: Option<Option<PathBuf>>,
    /// Take the entry out of the configuration file again
    #[arg(long)]
    pub(crate) remove: bool,
    /// Show what would change in the configuration file, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// The name of the entry
    #[arg(long, value_name = "NAME", default_value = "filewright")]
    pub(crate) name: String,
    /// Whether the entry is for the user or for the project in the current directory [default: user]
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Option<Scope>,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// Whose configuration it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    User,
    Project,
}
