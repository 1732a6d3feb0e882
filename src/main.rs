//! filewright: tools on local files for AI assistants, over MCP on stdin and stdout.

mod call;
mod check;
mod cli;
mod client;
mod config;
mod debug;
mod fs;
mod log;
mod platform;
mod protocol;
mod record;
mod rpc;
mod server;
mod setup;
mod tools;
mod words;

use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};

use cli::Command;
use config::Config;
use debug::Tap;
use log::Log;
use record::Recording;

/// Wrong usage, as clap has it.
const USAGE: u8 = 2;

/// How long a session that is looked at waits for its directories before it begins.
const ROOTS_WAIT: Duration = Duration::from_millis(50);

/// How long the exit waits for somebody to read the last log lines.
const LOG_WAIT: Duration = Duration::from_millis(200);

fn main() -> ExitCode {
    let _console = platform::Utf8Console::set();
    let command = match cli::parse(std::env::args_os()) {
        Ok(command) => command,
        Err(error) => {
            // Help goes to stdout and errors to stderr; a closed stream is no reason to fail.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(USAGE));
        }
    };
    let outcome = match command {
        Command::Serve(args) => match config::load(args.dirs, args.options) {
            Ok(config) => serve(config).map(|()| ExitCode::SUCCESS),
            Err(error) => return usage(&error),
        },
        Command::Check(args) => {
            let outcome = match args.watch {
                true => check::watch(&args, platform::output()).map(|()| true),
                false => check::check(&args, platform::output()),
            };
            match outcome {
                Ok(passed) => Ok(ExitCode::from(u8::from(!passed))),
                Err(error) => return usage(&error),
            }
        }
        Command::Call(mut args) => {
            match config::load(Vec::new(), std::mem::take(&mut args.options)) {
                Ok(config) => match call::call(&args, config, platform::output(), io::stderr()) {
                    Ok(done) => Ok(ExitCode::from(u8::from(!done))),
                    Err(error) => return usage(&error),
                },
                Err(error) => return usage(&error),
            }
        }
        Command::Print(text) => print(&text).map(|()| ExitCode::SUCCESS),
        Command::Setup(args) => match setup::setup(&args, platform::output(), io::stderr()) {
            Ok(done) => Ok(ExitCode::from(u8::from(!done))),
            Err(error) => return usage(&error),
        },
    };
    outcome.unwrap_or_else(|error| {
        say(&error);
        ExitCode::FAILURE
    })
}

fn serve(config: Config) -> Result<()> {
    let log = Log::open(config.log_level, config.log_file.as_deref());
    let log = Arc::new(log.with_context(|| format!("cannot write {}", shown(&config.log_file)))?);
    let recording = config.record.as_deref().map(Recording::create).transpose();
    let recording = recording.with_context(|| format!("cannot write {}", shown(&config.record)))?;
    report_panics(&log);
    let tap = Arc::new(Tap {
        log: Arc::clone(&log),
        echo: config.echo,
        recording,
    });
    introduce(&tap, &config);
    if io::stdin().is_terminal() {
        log.show(
            "filewright: waiting for MCP messages on stdin, one JSON object a line; to try a tool: \
             filewright call --help\n",
        );
    }
    let roots = fs::Roots::open(config.roots, config.home, config.deny);
    introduce_roots(&tap, &roots);
    let setup = server::Setup {
        roots,
        toolbox: config.toolbox,
        settings: config.settings,
        call_timeout: config.call_timeout,
        max_line: config.max_line,
        tap: Arc::clone(&tap),
        output_is_gone: platform::output_is_gone,
    };
    let served = server::serve(setup, platform::input(), platform::output());
    tap.note("exit");
    log.finish(LOG_WAIT);
    served.context("cannot start a thread")
}

fn print(text: &[u8]) -> Result<()> {
    let written = platform::output().write_all(text);
    written.context("cannot write to stdout")
}

/// What a person wants to know first when a session is looked at.
fn introduce(tap: &Tap, config: &Config) {
    let directory = std::env::current_dir().unwrap_or_default();
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    tap.note(&format!(
        "filewright {} on {system} {processor}",
        env!("CARGO_PKG_VERSION")
    ));
    tap.note(&format!("working directory: {}", directory.display()));
    for (name, value) in &config.environment {
        tap.note(&format!("environment: {name}={value}"));
    }
}

/// Which directories there are, and why one is not.
fn introduce_roots(tap: &Tap, roots: &fs::Roots) {
    if !tap.hears_notes() {
        return;
    }
    roots.wait(ROOTS_WAIT);
    let states = roots.states();
    if states.is_empty() {
        tap.note("no directory was given");
    }
    for (given, state) in states {
        let state = match state {
            fs::RootState::Ready { path, .. } => format!("is {}", path.display()),
            fs::RootState::Opening => "is still being opened".to_owned(),
            fs::RootState::Unusable(reason) => format!("cannot be used: {reason}"),
        };
        tap.note(&format!("directory {} {state}", given.display()));
    }
}

/// A panic is some call's error; its full text goes to the log and never blocks on stderr.
fn report_panics(log: &Arc<Log>) {
    let log = Arc::clone(log);
    std::panic::set_hook(Box::new(move |panic| log.error(&format!("{panic}"))));
}

fn usage(error: &anyhow::Error) -> ExitCode {
    say(error);
    ExitCode::from(USAGE)
}

fn say(error: &anyhow::Error) {
    // Without anybody to read it there is nothing left to do about it.
    let _ = writeln!(io::stderr(), "filewright: {error:#}");
}

fn shown(path: &Option<std::path::PathBuf>) -> String {
    path.as_deref()
        .unwrap_or(std::path::Path::new(""))
        .display()
        .to_string()
}
