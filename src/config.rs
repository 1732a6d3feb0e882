//! Command line, environment and file, checked and put together.
//!
//! Precedence: option, environment variable, file, default. There is no file but the one that is
//! named, so that a host's entry shows all that is in force.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use serde::Deserialize;

use crate::cli::Options;
use crate::debug::Echo;
use crate::fs::Charset;
use crate::log::Level;
use crate::platform;
use crate::tools::{Settings, Toolbox};

const MAX_BYTES: usize = 64 * 1024;
const MAX_BYTES_RANGE: std::ops::RangeInclusive<usize> = 1024..=1024 * 1024;
const MAX_LINE: usize = 64 * 1024 * 1024;

/// Below the minute after which clients give up.
const CALL_TIMEOUT: f64 = 45.0;

/// Everything that is in force.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) home: Option<PathBuf>,
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

/// The configuration file as it is written.
#[derive(Debug, Default, Deserialize)]
struct ConfigFile {
    #[serde(default)]
    root: Vec<RootTable>,
    tools: Option<Vec<String>>,
    disable: Option<Vec<String>>,
    max_bytes: Option<usize>,
    encoding: Option<String>,
    mcp_debug: Option<MaybeWord>,
    record: Option<PathBuf>,
    log_level: Option<String>,
    log_file: Option<PathBuf>,
    call_timeout: Option<f64>,
    max_line: Option<usize>,
}

/// A switch that also has a name for one of its positions.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum MaybeWord {
    Flag(bool),
    Word(String),
}

#[derive(Debug, Deserialize)]
struct RootTable {
    path: PathBuf,
}

/// The keys of [`ConfigFile`], for errors; a test holds them together.
const KEYS: [&str; 11] = [
    "root",
    "tools",
    "disable",
    "max_bytes",
    "encoding",
    "mcp_debug",
    "record",
    "log_level",
    "log_file",
    "call_timeout",
    "max_line",
];

/// Environment variables, with empty ones as good as absent.
struct Environment {
    variables: HashMap<&'static str, OsString>,
}

const VARIABLES: [&str; 11] = [
    "FILEWRIGHT_ROOT",
    "FILEWRIGHT_CONFIG",
    "FILEWRIGHT_TOOLS",
    "FILEWRIGHT_DISABLE",
    "FILEWRIGHT_MAX_BYTES",
    "FILEWRIGHT_ENCODING",
    "FILEWRIGHT_MCP_DEBUG",
    "FILEWRIGHT_RECORD",
    "FILEWRIGHT_LOG_LEVEL",
    "FILEWRIGHT_LOG_FILE",
    "MCP_LOG_LEVEL",
];

/// Puts everything together. Errors are wrong usage: exit code 2.
pub(crate) fn load(dirs: Vec<PathBuf>, options: Options) -> Result<Config> {
    let environment = Environment::read();
    let home = std::env::home_dir().filter(|it| !it.as_os_str().is_empty());
    let path = options
        .config
        .or_else(|| environment.path("FILEWRIGHT_CONFIG"));
    let file = match &path {
        Some(path) => read_file(path)?,
        None => ConfigFile::default(),
    };
    let base = path
        .as_deref()
        .and_then(Path::parent)
        .map(Path::to_owned)
        .unwrap_or_default();

    let typed: Vec<PathBuf> = dirs.into_iter().chain(options.roots).collect();
    let roots = Some(joined(typed))
        .filter(|it| !it.is_empty())
        .or_else(|| environment.paths("FILEWRIGHT_ROOT"))
        .unwrap_or_else(|| file.root.iter().map(|it| base.join(&it.path)).collect());
    let roots = if roots.is_empty() {
        default_root(home.as_deref())
    } else {
        roots
    };

    let max_bytes = match options
        .max_bytes
        .or_else(|| environment.text("FILEWRIGHT_MAX_BYTES"))
    {
        Some(text) => text
            .parse()
            .map_err(|_| anyhow!("max-bytes: {text} is not a number"))?,
        None => file.max_bytes.unwrap_or(MAX_BYTES),
    };
    if !MAX_BYTES_RANGE.contains(&max_bytes) {
        let (low, high) = (MAX_BYTES_RANGE.start(), MAX_BYTES_RANGE.end());
        bail!("max-bytes: {max_bytes} is not possible; it takes {low} to {high}");
    }
    let encoding = options
        .encoding
        .or_else(|| environment.text("FILEWRIGHT_ENCODING"))
        .or(file.encoding);
    let log_level = options
        .log_level
        .or_else(|| environment.text("FILEWRIGHT_LOG_LEVEL"));
    let log_level = match log_level.or(file.log_level) {
        Some(name) => Some(Level::from_name(&name).ok_or_else(|| {
            anyhow!(
                "log-level: there is no level {name}; there are {}",
                Level::NAMES
            )
        })?),
        // Not our variable, so a value that we do not know is no error.
        None => environment
            .text("MCP_LOG_LEVEL")
            .and_then(|it| Level::from_name(&it)),
    };
    let debug = options
        .mcp_debug
        .or_else(|| environment.text("FILEWRIGHT_MCP_DEBUG"));
    let debug = debug.or_else(|| {
        file.mcp_debug.map(|it| match it {
            MaybeWord::Flag(flag) => flag.to_string(),
            MaybeWord::Word(word) => word,
        })
    });
    let in_base = |path: PathBuf| base.join(path);
    Ok(Config {
        home: home.clone(),
        roots: roots
            .into_iter()
            .map(|it| expand_home(it, home.as_deref()))
            .collect(),
        toolbox: toolbox(
            options
                .tools
                .or_else(|| environment.list("FILEWRIGHT_TOOLS"))
                .or(file.tools),
            options
                .disable
                .or_else(|| environment.list("FILEWRIGHT_DISABLE"))
                .or(file.disable),
        )?,
        settings: Settings {
            max_bytes,
            fallback: encoding.map(|it| charset(&it)).transpose()?,
        },
        call_timeout: timeout(file.call_timeout.unwrap_or(CALL_TIMEOUT))?,
        max_line: file.max_line.unwrap_or(MAX_LINE).max(1024),
        echo: echo(debug.as_deref())?,
        record: options
            .record
            .or_else(|| environment.path("FILEWRIGHT_RECORD"))
            .or(file.record.map(in_base)),
        log_level,
        log_file: options
            .log_file
            .or_else(|| environment.path("FILEWRIGHT_LOG_FILE"))
            .or(file.log_file.map(in_base)),
        environment: environment.shown(),
    })
}

fn read_file(path: &Path) -> Result<ConfigFile> {
    let shown = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
    let table: toml::Table = text
        .parse()
        .map_err(|error| anyhow!("{shown} is not valid TOML: {error}"))?;
    check_keys(&table, &KEYS, shown.to_string())?;
    for root in table
        .get("root")
        .and_then(toml::Value::as_array)
        .into_iter()
        .flatten()
    {
        if let Some(root) = root.as_table() {
            check_keys(root, &["path"], format!("{shown}, [[root]]"))?;
        }
    }
    let mut file: ConfigFile = table
        .try_into()
        .map_err(|error| anyhow!("{shown}: {error}"))?;
    file.forget_empty();
    Ok(file)
}

impl ConfigFile {
    /// An empty text is as good as none, here as in the environment.
    fn forget_empty(&mut self) {
        for text in [&mut self.encoding, &mut self.log_level] {
            text.take_if(|it| it.is_empty());
        }
        for path in [&mut self.record, &mut self.log_file] {
            path.take_if(|it| it.as_os_str().is_empty());
        }
    }
}

fn check_keys(table: &toml::Table, known: &[&str], place: String) -> Result<()> {
    let Some(unknown) = table.keys().find(|it| !known.contains(&it.as_str())) else {
        return Ok(());
    };
    let nearest = known.iter().max_by(|a, b| {
        let likeness = |it: &str| strsim::jaro_winkler(unknown, it);
        likeness(a).total_cmp(&likeness(b))
    });
    let nearest = nearest.copied().unwrap_or_default();
    bail!("{place}: there is no key {unknown}; did you mean {nearest}?")
}

fn toolbox(wanted: Option<Vec<String>>, disabled: Option<Vec<String>>) -> Result<Toolbox> {
    let all = Toolbox::new(|_| true).specs();
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
        if !all.iter().any(|it| it.name == name) {
            let known: Vec<&str> = all.iter().map(|it| it.name).collect();
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

/// Undoes what shells and hosts do to arguments: quotes left on, a name split at its spaces.
fn joined(given: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut roots = Vec::new();
    let mut rest = given.as_slice();
    while let Some((first, _)) = rest.split_first() {
        let unquoted = unquoted(first);
        let whole = (2..=rest.len()).rev().find_map(|count| {
            let words: Vec<_> = rest[..count].iter().map(|it| it.as_os_str()).collect();
            let path = PathBuf::from(words.join(std::ffi::OsStr::new(" ")));
            path.exists().then_some((path, count))
        });
        let (root, count) = match whole {
            Some(whole) if !unquoted.exists() => whole,
            _ => (unquoted, 1),
        };
        roots.push(root);
        rest = &rest[count..];
    }
    roots
}

fn unquoted(path: &Path) -> PathBuf {
    let inner = path.to_str().and_then(|it| {
        let quoted = |quote| it.strip_prefix(quote).and_then(|it| it.strip_suffix(quote));
        quoted('"').or_else(|| quoted('\''))
    });
    match inner {
        Some(inner) if !path.exists() => PathBuf::from(inner),
        _ => path.to_owned(),
    }
}

fn expand_home(path: PathBuf, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) if !path.exists() => home.join(rest),
        _ => path,
    }
}

fn default_root(home: Option<&Path>) -> Vec<PathBuf> {
    let current = std::env::current_dir().ok();
    current
        .filter(|it| !platform::is_unsuitable_default(it, home))
        .into_iter()
        .collect()
}

impl Environment {
    fn read() -> Environment {
        let set = VARIABLES
            .into_iter()
            .filter_map(|name| Some((name, std::env::var_os(name)?)));
        Environment {
            variables: set.filter(|(_, value)| !value.is_empty()).collect(),
        }
    }

    fn text(&self, name: &str) -> Option<String> {
        self.variables
            .get(name)
            .map(|it| it.to_string_lossy().into_owned())
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.variables.get(name).map(PathBuf::from)
    }

    fn paths(&self, name: &str) -> Option<Vec<PathBuf>> {
        let paths = self.variables.get(name).map(std::env::split_paths)?;
        Some(paths.filter(|it| !it.as_os_str().is_empty()).collect())
    }

    fn list(&self, name: &str) -> Option<Vec<String>> {
        self.text(name)
            .map(|it| it.split(',').map(str::to_owned).collect())
    }

    fn shown(&self) -> Vec<(String, String)> {
        let set = VARIABLES
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), self.text(name)?)));
        set.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_file_shows_every_key_at_its_default() {
        let text = include_str!("../config.example.toml");
        let mut shown = Vec::new();
        let uncommented: String = text
            .lines()
            .map(|line| line.strip_prefix("#: ").unwrap_or(line))
            .map(|line| format!("{line}\n"))
            .collect();
        let table: toml::Table = uncommented.parse().unwrap();
        shown.extend(table.keys().map(String::as_str));
        shown.sort_unstable();
        let mut keys = KEYS;
        keys.sort_unstable();
        assert_eq!(shown, keys);
        let file: ConfigFile = table.try_into().unwrap();
        assert_eq!(file.max_bytes, Some(MAX_BYTES));
        assert_eq!(file.max_line, Some(MAX_LINE));
        assert_eq!(file.call_timeout, Some(CALL_TIMEOUT));
        // As it is shipped nothing is set, so it can be copied and used.
        let plain: toml::Table = text.parse().unwrap();
        assert!(plain.is_empty(), "{plain:?}");
    }
}
