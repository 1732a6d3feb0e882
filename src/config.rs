//! Command line, environment and file, checked and put together.
//!
//! Precedence: option, environment variable, file, default. There is no file but the one that is
//! named, so that a host's entry shows all that is in force.

mod directories;
mod environment;
mod file;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};

use crate::cli::Options;
use crate::debug::Echo;
use crate::fs::{Charset, Deny};
use crate::log::Level;
use crate::tools::{Settings, Toolbox};
use environment::Environment;
use file::ConfigFile;

const MAX_BYTES: usize = 64 * 1024;
const MAX_BYTES_RANGE: std::ops::RangeInclusive<usize> = 1024..=1024 * 1024;
const MAX_LINE: usize = 64 * 1024 * 1024;
/// A shorter line could not even hold a handshake.
const MIN_LINE: usize = 1024;

/// Below the minute after which clients give up.
const CALL_TIMEOUT: f64 = 45.0;

/// Everything that is in force.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) home: Option<PathBuf>,
    pub(crate) deny: Deny,
    pub(crate) toolbox: Toolbox,
    pub(crate) settings: Settings,
    /// How long one call may take.
    pub(crate) call_timeout: Duration,
    /// Bytes of one message.
    pub(crate) max_line: usize,
    pub(crate) echo: Echo,
    pub(crate) record: Option<PathBuf>,
    pub(crate) log_level: Option<Level>,
    pub(crate) log_file: Option<PathBuf>,
    /// The environment variables that were read, for `--mcp-debug`.
    pub(crate) environment: Vec<(String, String)>,
}

/// Puts everything together. Errors are wrong usage: exit code 2.
pub(crate) fn load(dirs: Vec<OsString>, mut options: Options) -> Result<Config> {
    let environment = Environment::read();
    let home = std::env::home_dir().filter(|it| !it.as_os_str().is_empty());
    let typed = dirs.into_iter().map(PathBuf::from).chain(options.roots);
    options.roots = directories::joined(typed.collect());
    let mut options = options.or(environment.options());
    let file = options
        .config
        .as_deref()
        .map_or_else(|| Ok(ConfigFile::default()), file::read)?;
    let limits = (file.call_timeout, file.max_line);
    let deny = deny(file.deny.as_deref())?;
    options = options.or(file.into_options());

    let mut roots = options.roots;
    if roots.is_empty() {
        roots.extend(directories::default_root(home.as_deref()));
    }
    let expand = |it| directories::expand_home(it, home.as_deref());
    Ok(Config {
        roots: roots.into_iter().map(expand).collect(),
        deny,
        toolbox: toolbox(options.tools, options.disable)?,
        settings: Settings {
            max_bytes: max_bytes(options.max_bytes.as_deref())?,
            fallback: options.encoding.as_deref().map(charset).transpose()?,
        },
        call_timeout: timeout(limits.0.unwrap_or(CALL_TIMEOUT))?,
        max_line: max_line(limits.1)?,
        echo: echo(options.mcp_debug.as_deref())?,
        record: options.record,
        log_level: log_level(options.log_level.as_deref(), &environment)?,
        log_file: options.log_file,
        environment: environment.shown(),
        home,
    })
}

impl Options {
    /// What is not set here is taken from there.
    fn or(self, other: Options) -> Options {
        Options {
            roots: if self.roots.is_empty() {
                other.roots
            } else {
                self.roots
            },
            config: self.config.or(other.config),
            tools: self.tools.or(other.tools),
            disable: self.disable.or(other.disable),
            max_bytes: self.max_bytes.or(other.max_bytes),
            encoding: self.encoding.or(other.encoding),
            mcp_debug: self.mcp_debug.or(other.mcp_debug),
            record: self.record.or(other.record),
            log_level: self.log_level.or(other.log_level),
            log_file: self.log_file.or(other.log_file),
        }
    }
}

fn max_bytes(text: Option<&str>) -> Result<usize> {
    let Some(text) = text else {
        return Ok(MAX_BYTES);
    };
    let number = text
        .trim()
        .parse()
        .ok()
        .filter(|it| MAX_BYTES_RANGE.contains(it));
    number.ok_or_else(|| {
        let (low, high) = (MAX_BYTES_RANGE.start(), MAX_BYTES_RANGE.end());
        anyhow!("max-bytes: {text} is not possible; it takes a number from {low} to {high}")
    })
}

fn max_line(bytes: Option<usize>) -> Result<usize> {
    let bytes = bytes.unwrap_or(MAX_LINE);
    if bytes < MIN_LINE {
        bail!("max_line: {bytes} is not possible; it takes a number from {MIN_LINE} up");
    }
    Ok(bytes)
}

fn log_level(name: Option<&str>, environment: &Environment) -> Result<Option<Level>> {
    let Some(name) = name else {
        // Not our variable, so a value that we do not know is no error.
        let name = environment.text("MCP_LOG_LEVEL");
        return Ok(name.and_then(|it| Level::from_name(&it)));
    };
    let level = Level::from_name(name);
    let unknown = || {
        anyhow!(
            "log-level: there is no level {name}; there are {}",
            Level::NAMES
        )
    };
    Ok(Some(level.ok_or_else(unknown)?))
}

fn toolbox(wanted: Option<Vec<String>>, disabled: Option<Vec<String>>) -> Result<Toolbox> {
    let trimmed = |names: Vec<String>| {
        let names = names
            .into_iter()
            .map(|it| it.trim().to_owned())
            .filter(|it| !it.is_empty());
        names.collect::<Vec<_>>()
    };
    let wanted = wanted.map(trimmed).filter(|it| !it.is_empty());
    let disabled = disabled.map(trimmed).unwrap_or_default();
    for name in wanted.iter().flatten().chain(&disabled) {
        if !Toolbox::names().any(|it| it == name) {
            let known: Vec<&str> = Toolbox::names().collect();
            bail!(
                "there is no tool {name}; the tools are {}",
                known.join(", ")
            );
        }
    }
    Ok(Toolbox::new(|name| {
        wanted
            .as_ref()
            .is_none_or(|it| it.iter().any(|it| it == name))
            && !disabled.iter().any(|it| it == name)
    }))
}

fn deny(globs: Option<&[String]>) -> Result<Deny> {
    let deny = globs.map_or_else(|| Ok(Deny::default()), Deny::new);
    deny.map_err(|reason| anyhow!("deny: {reason}"))
}

fn charset(name: &str) -> Result<Charset> {
    Charset::from_label(name).ok_or_else(|| anyhow!("encoding: there is no encoding {name}"))
}

fn timeout(seconds: f64) -> Result<Duration> {
    let timeout = Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|it| !it.is_zero());
    timeout.ok_or_else(|| anyhow!("call_timeout: {seconds} is not a number of seconds"))
}

fn echo(how: Option<&str>) -> Result<Echo> {
    match how.map(str::to_ascii_lowercase).as_deref() {
        None | Some("0" | "false" | "no" | "off") => Ok(Echo::Off),
        Some("1" | "true" | "yes" | "on") => Ok(Echo::Plain),
        Some("pretty") => Ok(Echo::Pretty),
        Some(other) => bail!("mcp-debug: {other} is not possible; it takes nothing or pretty"),
    }
}
