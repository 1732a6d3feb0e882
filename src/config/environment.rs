//! The environment variables that are read. Nothing below the configuration reads any.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::cli::Options;

/// Environment variables, with empty ones as good as absent.
pub(super) struct Environment {
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

impl Environment {
    pub(super) fn read() -> Environment {
        let set = VARIABLES
            .into_iter()
            .filter_map(|name| Some((name, std::env::var_os(name)?)));
        Environment {
            variables: set.filter(|(_, value)| !value.is_empty()).collect(),
        }
    }

    /// The variables that stand for options.
    pub(super) fn options(&self) -> Options {
        let list = |name| {
            let text: Option<String> = self.text(name);
            text.map(|it| it.split(',').map(str::to_owned).collect())
        };
        let roots = self
            .variables
            .get("FILEWRIGHT_ROOT")
            .map(std::env::split_paths);
        let roots = roots.into_iter().flatten();
        Options {
            roots: roots.filter(|it| !it.as_os_str().is_empty()).collect(),
            config: self.path("FILEWRIGHT_CONFIG"),
            tools: list("FILEWRIGHT_TOOLS"),
            disable: list("FILEWRIGHT_DISABLE"),
            max_bytes: self.text("FILEWRIGHT_MAX_BYTES"),
            encoding: self.text("FILEWRIGHT_ENCODING"),
            mcp_debug: self.text("FILEWRIGHT_MCP_DEBUG"),
            record: self.path("FILEWRIGHT_RECORD"),
            log_level: self.text("FILEWRIGHT_LOG_LEVEL"),
            log_file: self.path("FILEWRIGHT_LOG_FILE"),
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        let value = self.variables.get(name)?;
        Some(value.to_string_lossy().into_owned())
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.variables.get(name).map(PathBuf::from)
    }

    /// Every variable that is set, with its value.
    pub(super) fn shown(&self) -> Vec<(String, String)> {
        let set = VARIABLES
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), self.text(name)?)));
        set.collect()
    }
}
