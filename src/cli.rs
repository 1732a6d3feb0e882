//! What a person types, unchecked. Defaults are not here: the environment and the file come between.

mod check;
mod generate;
mod setup;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, ValueHint};

pub(crate) use check::{CheckArgs, EraName, LayerName};
pub(crate) use setup::{Scope, SetupArgs};

/// What a command accepts.
type Accepts = fn() -> clap::Command;

/// The commands by the word that comes first. Completions and the man page have those that are not hidden.
const COMMANDS: [(&str, Accepts); 7] = [
    ("serve", ServeArgs::command),
    ("mcp", ServeArgs::command),
    ("call", CallArgs::command),
    ("check", CheckArgs::command),
    ("setup", SetupArgs::command),
    ("completions", generate::CompletionsArgs::command),
    ("man", generate::ManArgs::command),
];

const AFTER_HELP: &str = "\
Commands (as the first argument; a directory of that name is written ./call):
  serve [OPTIONS] [DIR]...            serve on stdin and stdout, as without a command (also: mcp)
  call TOOL [NAME=VALUE]... [OPTIONS] run one tool and print its text
  check [OPTIONS] [-- COMMAND...]     try a stdio server, this one or any other, layer by layer
  setup [HOST] [DIR]... [OPTIONS]     show the entry for a host, or put it into its configuration

Every option can be set by an environment variable: FILEWRIGHT_ROOT (directories, separated as in
PATH), FILEWRIGHT_CONFIG, FILEWRIGHT_TOOLS, FILEWRIGHT_DISABLE, FILEWRIGHT_MAX_BYTES,
FILEWRIGHT_ENCODING, FILEWRIGHT_MCP_DEBUG, FILEWRIGHT_RECORD, FILEWRIGHT_LOG_LEVEL (also
MCP_LOG_LEVEL), FILEWRIGHT_LOG_FILE. An option wins over the environment, and that over the file.

Try it:
  echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}' | filewright .
  filewright call read_file path=README.md";

/// Serves tools on local files to an AI assistant, over MCP on stdin and stdout.
#[derive(Debug, Parser)]
#[command(name = "filewright", version, after_help = AFTER_HELP, disable_help_subcommand = true)]
pub(crate) struct ServeArgs {
    /// Directories (or single files) that may be read
    #[arg(value_name = "DIR", value_hint = ValueHint::AnyPath)]
    pub(crate) dirs: Vec<OsString>,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// Runs one tool and prints its text; notices go to stderr. Exit code 1 if the tool failed.
#[derive(Debug, Parser)]
#[command(name = "filewright call", version, disable_help_subcommand = true)]
pub(crate) struct CallArgs {
    /// The tool, for example read_file
    #[arg(required_unless_present = "list")]
    pub(crate) tool: Option<String>,
    /// Its arguments, for example path=notes.txt limit=20
    #[arg(value_name = "NAME=VALUE")]
    pub(crate) arguments: Vec<String>,
    /// Arguments as a JSON object; NAME=VALUE wins over it
    #[arg(long, value_name = "JSON")]
    pub(crate) json: Option<String>,
    /// List the tools, or this one, with their arguments
    #[arg(long, conflicts_with_all = ["arguments", "json"])]
    pub(crate) list: bool,
    #[command(flatten)]
    pub(crate) options: Options,
}

#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Options {
    /// A directory that may be read; the same as DIR, and may be repeated
    #[arg(long = "root", value_name = "DIR")]
    pub(crate) roots: Vec<PathBuf>,
    /// The configuration file; see config.example.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Offer only these tools
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) tools: Option<Vec<String>>,
    /// Do not offer these tools
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) disable: Option<Vec<String>>,
    /// Bytes of text in one result [default: 65536]
    #[arg(long, value_name = "N")]
    pub(crate) max_bytes: Option<String>,
    /// The encoding to assume where a file's bytes leave the choice
    #[arg(long, value_name = "NAME")]
    pub(crate) encoding: Option<String>,
    /// Echo every frame to stderr, as it is or indented (--mcp-debug=pretty)
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true,
          default_missing_value = "true")]
    pub(crate) mcp_debug: Option<String>,
    /// Record every frame in this file, one JSON line each
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// off, error, warn, info or debug [default: warn; for --log-file debug]
    #[arg(long, value_name = "LEVEL")]
    pub(crate) log_level: Option<String>,
    /// Write log lines to this file too
    #[arg(long, value_name = "FILE")]
    pub(crate) log_file: Option<PathBuf>,
}

#[derive(Debug)]
pub(crate) enum Command {
    Serve(ServeArgs),
    Call(CallArgs),
    Check(CheckArgs),
    /// Nothing is left to do but to print this.
    Print(Vec<u8>),
    Setup(SetupArgs),
}

/// Understands the command line. The error prints itself and knows its exit code.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, clap::Error> {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    let first = arguments
        .get(1)
        .and_then(|it| it.to_str())
        .unwrap_or_default();
    let Some((word, _)) = COMMANDS.iter().find(|(word, _)| *word == first) else {
        return serve(arguments);
    };
    arguments.remove(1);
    if let "serve" | "mcp" = *word {
        return serve(arguments);
    }
    arguments[0] = format!("filewright {word}").into();
    match *word {
        "call" => read(arguments).map(Command::Call),
        "check" => read(arguments).map(Command::Check),
        "completions" => read(arguments).map(|it| Command::Print(generate::completions(&it))),
        "man" => read(arguments).map(|_: generate::ManArgs| Command::Print(generate::man_page())),
        _ => read(arguments).map(Command::Setup),
    }
}

fn serve(arguments: Vec<OsString>) -> Result<Command, clap::Error> {
    let args: ServeArgs = read(arguments)?;
    // A command after the first word is a slip that would otherwise serve a missing directory.
    let slip = args
        .dirs
        .iter()
        .filter_map(|it| it.to_str())
        .find(|it| COMMANDS.iter().any(|(word, _)| word == it));
    if let Some(word) = slip {
        let text = format!("the command {word} must come first; a directory is written ./{word}");
        return Err(ServeArgs::command().error(clap::error::ErrorKind::InvalidValue, text));
    }
    Ok(Command::Serve(args))
}

fn read<T: CommandFactory + FromArgMatches>(arguments: Vec<OsString>) -> Result<T, clap::Error> {
    let matches = T::command().try_get_matches_from(arguments)?;
    T::from_arg_matches(&matches)
}
