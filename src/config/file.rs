//! The configuration file: its keys, and errors that name the one that was meant.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use serde::Deserialize;

use crate::cli::Options;
use crate::words::did_you_mean;

/// The configuration file as it is written.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ConfigFile {
    /// The directory that the file is in.
    #[serde(skip)]
    base: PathBuf,
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
    pub(super) call_timeout: Option<f64>,
    pub(super) max_line: Option<usize>,
    pub(super) deny: Option<Vec<String>>,
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
    /// Whether anything below may be written. Nothing is, so far.
    #[serde(default)]
    write: bool,
}

/// The keys of [`ConfigFile`], for errors; a test holds them together.
const KEYS: [&str; 12] = [
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
    "deny",
];

/// Reads and checks a configuration file.
pub(super) fn read(path: &Path) -> Result<ConfigFile> {
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
            check_keys(root, &["path", "write"], format!("{shown}, [[root]]"))?;
        }
    }
    let mut file: ConfigFile = table
        .try_into()
        .map_err(|error| anyhow!("{shown}: {error}"))?;
    if let Some(root) = file.root.iter().find(|it| it.write) {
        bail!(
            "{shown}, [[root]] {}: write = true is not possible; this version writes nothing",
            root.path.display()
        );
    }
    file.base = path.parent().map(Path::to_owned).unwrap_or_default();
    Ok(file)
}

impl ConfigFile {
    /// What can also be said on the command line. Paths are relative to the file; an empty text is
    /// as good as none, as in the environment.
    pub(super) fn into_options(self) -> Options {
        let base = self.base;
        let text = |it: Option<String>| it.filter(|it| !it.is_empty());
        let path = |it: Option<PathBuf>| {
            it.filter(|it| !it.as_os_str().is_empty())
                .map(|it| base.join(it))
        };
        Options {
            roots: self.root.iter().map(|it| base.join(&it.path)).collect(),
            config: None,
            tools: self.tools,
            disable: self.disable,
            max_bytes: self.max_bytes.map(|it| it.to_string()),
            encoding: text(self.encoding),
            mcp_debug: self.mcp_debug.map(|it| match it {
                MaybeWord::Flag(flag) => flag.to_string(),
                MaybeWord::Word(word) => word,
            }),
            record: path(self.record),
            log_level: text(self.log_level),
            log_file: path(self.log_file),
        }
    }
}

fn check_keys(table: &toml::Table, known: &[&str], place: String) -> Result<()> {
    let Some(unknown) = table.keys().find(|it| !known.contains(&it.as_str())) else {
        return Ok(());
    };
    let hint = did_you_mean(unknown, known.iter().copied());
    bail!("{place}: there is no key {unknown}{hint}")
}

#[cfg(test)]
mod tests {
    use super::super::{CALL_TIMEOUT, MAX_BYTES, MAX_LINE};
    use super::*;
    use crate::fs::DEFAULT_DENY;

    #[test]
    fn the_example_file_shows_every_key_at_its_default() {
        let text = include_str!("../../config.example.toml");
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
        assert_eq!(file.deny.unwrap(), DEFAULT_DENY);
        // As it is shipped nothing is set, so it can be copied and used.
        let plain: toml::Table = text.parse().unwrap();
        assert!(plain.is_empty(), "{plain:?}");
    }
}
