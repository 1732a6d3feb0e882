//! The hosts, a row each: how an entry looks there, where it is kept, and what to do then.

use super::places::{self, Place};
use super::surroundings::Surroundings;

/// A program that starts servers.
#[derive(Debug)]
pub(super) struct Host {
    /// As it is typed.
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) format: Format,
    /// What an entry has beside command and args, in front of them.
    pub(super) fixed: &'static [(&'static str, &'static str)],
    pub(super) places: fn(&Surroundings) -> Vec<Place>,
    pub(super) has_projects: bool,
    pub(super) adder: Adder,
    /// What makes it notice the entry.
    pub(super) then: &'static str,
}

/// The language of the file, and the key that holds the servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Json { servers: &'static str, loose: bool },
    Toml { servers: &'static str },
}

/// How a person adds an entry without an editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Adder {
    /// By putting it into the file.
    File,
    /// Inside the app only; these are the steps.
    App(&'static str),
    /// By a command of the host, up to the name and after it.
    Command {
        before: &'static [&'static str],
        /// The option that chooses the scope.
        scope: Option<&'static str>,
        after: &'static [&'static str],
    },
    /// By putting it into the file, or by a command that takes it as JSON with a name in it.
    JsonCommand(&'static [&'static str]),
}

/// JSON as the standard has it: a comment in the file would stop the host.
const STRICT: Format = Format::Json {
    servers: "mcpServers",
    loose: false,
};

/// JSON with comments and trailing commas.
const LOOSE: Format = Format::Json {
    servers: "mcpServers",
    loose: true,
};

const STDIO: &[(&str, &str)] = &[("type", "stdio")];

pub(super) static HOSTS: [Host; 10] = [
    Host {
        id: "claude-desktop",
        title: "Claude Desktop",
        format: STRICT,
        fixed: &[],
        places: places::claude_desktop,
        has_projects: false,
        adder: Adder::File,
        then: "quit Claude Desktop completely, also where it hides in the tray or the menu bar, and start it again.",
    },
    Host {
        id: "claude-code",
        title: "Claude Code",
        format: STRICT,
        fixed: STDIO,
        places: places::claude_code,
        has_projects: true,
        adder: Adder::Command {
            before: &["claude", "mcp", "add"],
            scope: Some("-s"),
            after: &["--"],
        },
        then: "start claude anew; `claude mcp list` shows whether it is connected. It asks once before it uses what a project brings.",
    },
    Host {
        id: "cursor",
        title: "Cursor",
        format: LOOSE,
        fixed: &[],
        places: places::cursor,
        has_projects: true,
        adder: Adder::File,
        then: "look under MCP in the settings of Cursor, and switch the entry on if it is off.",
    },
    Host {
        id: "vscode",
        title: "VS Code",
        format: Format::Json {
            servers: "servers",
            loose: true,
        },
        fixed: STDIO,
        places: places::vscode,
        has_projects: true,
        adder: Adder::JsonCommand(&["code", "--add-mcp"]),
        then: "run the command \"MCP: List Servers\" in VS Code, choose the entry and start it.",
    },
    Host {
        id: "cherry-studio",
        title: "Cherry Studio",
        format: STRICT,
        fixed: STDIO,
        places: places::none,
        has_projects: false,
        adder: Adder::App(
            "in Cherry Studio open Settings, MCP Servers, Add, Import from JSON, and paste the entry",
        ),
        then: "switch the server on in that list, and choose it in the conversation.",
    },
    Host {
        id: "cline",
        title: "Cline",
        format: STRICT,
        fixed: &[],
        places: places::cline,
        has_projects: false,
        adder: Adder::File,
        then: "open MCP Servers in Cline: it reads the file again by itself.",
    },
    Host {
        id: "windsurf",
        title: "Windsurf",
        format: LOOSE,
        fixed: &[],
        places: places::windsurf,
        has_projects: false,
        adder: Adder::File,
        then: "press Refresh under MCP servers in Windsurf, or start it again.",
    },
    Host {
        id: "zed",
        title: "Zed",
        format: Format::Json {
            servers: "context_servers",
            loose: true,
        },
        fixed: &[("source", "custom")],
        places: places::zed,
        has_projects: false,
        adder: Adder::File,
        then: "Zed starts it by itself; the dot beside its name in the settings of the agent panel is green then.",
    },
    Host {
        id: "codex",
        title: "Codex CLI",
        format: Format::Toml {
            servers: "mcp_servers",
        },
        fixed: &[],
        places: places::codex,
        has_projects: false,
        adder: Adder::Command {
            before: &["codex", "mcp", "add"],
            scope: None,
            after: &["--"],
        },
        then: "start codex anew; /mcp shows the servers.",
    },
    Host {
        id: "gemini",
        title: "Gemini CLI",
        format: LOOSE,
        fixed: &[],
        places: places::gemini,
        has_projects: true,
        adder: Adder::Command {
            before: &["gemini", "mcp", "add"],
            scope: Some("-s"),
            after: &[],
        },
        then: "start gemini anew; `gemini mcp list` shows whether it is connected. It starts servers only in folders that it trusts.",
    },
];

/// The host of this name, or the nearest name there is.
pub(super) fn find(id: &str) -> Result<&'static Host, &'static str> {
    let plain = |it: &str| it.to_lowercase().replace(['-', '_', ' '], "");
    let (found, mut nearest) = (
        HOSTS.iter().find(|it| plain(it.id) == plain(id)),
        HOSTS[0].id,
    );
    let mut best = -1.0;
    for host in &HOSTS {
        let likeness = strsim::jaro_winkler(&plain(id), &plain(host.id));
        if likeness > best {
            (best, nearest) = (likeness, host.id);
        }
    }
    found.ok_or(nearest)
}
