//! Where each host keeps its servers, on each system.

use super::surroundings::{Surroundings, System};
use crate::cli::Scope;

/// A file that a host may read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) file: String,
    /// Whether this way of installing the host is there; it is asked only where there are several.
    pub(super) is_used: bool,
}

/// The files to write: those of the ways the host is installed in, or else the usual one.
pub(super) fn chosen(places: &[Place]) -> Vec<&str> {
    let used = places.iter().filter(|it| it.is_used);
    let used: Vec<&str> = used.map(|it| &*it.file).collect();
    match places.first() {
        Some(first) if used.is_empty() => vec![&first.file],
        _ => used,
    }
}

fn one(file: String) -> Vec<Place> {
    vec![Place {
        file,
        is_used: false,
    }]
}

/// The usual place first. The packaged builds for Windows look into folders of their own, whatever
/// "Edit Config" shows.
pub(super) fn claude_desktop(around: &Surroundings) -> Vec<Place> {
    const FILE: &str = "claude_desktop_config.json";
    let usual = around.join(&around.configuration(), &["Claude"]);
    let mut folders = vec![usual.clone()];
    let mut used = vec![around.is_there(&usual)];
    if around.system == System::Windows {
        let local = around.variable_or("LOCALAPPDATA", &["AppData", "Local"]);
        let package = around.join(&local, &["Packages", "Claude_pzs8sxrjxfjjc"]);
        folders.push(around.join(&package, &["LocalCache", "Roaming", "Claude"]));
        used.push(around.is_there(&package));
        let data = around.join(&local, &["Claude-Data"]);
        for name in (around.names_in)(&data) {
            if name.starts_with("claude_") {
                folders.push(around.join(&data, &[&name]));
                used.push(true);
            }
        }
    }
    let places = folders.into_iter().zip(used);
    let places = places.map(|(folder, is_used)| Place {
        file: around.join(&folder, &[FILE]),
        is_used,
    });
    places.collect()
}

pub(super) fn claude_code(around: &Surroundings) -> Vec<Place> {
    one(match around.scope {
        Scope::User => around.join(
            &around.variable_or("CLAUDE_CONFIG_DIR", &[]),
            &[".claude.json"],
        ),
        Scope::Project => around.join(&around.current, &[".mcp.json"]),
    })
}

pub(super) fn cursor(around: &Surroundings) -> Vec<Place> {
    one(around.join(base(around), &[".cursor", "mcp.json"]))
}

pub(super) fn gemini(around: &Surroundings) -> Vec<Place> {
    one(around.join(base(around), &[".gemini", "settings.json"]))
}

fn base(around: &Surroundings) -> &str {
    match around.scope {
        Scope::User => &around.home,
        Scope::Project => &around.current,
    }
}

pub(super) fn vscode(around: &Surroundings) -> Vec<Place> {
    one(match around.scope {
        Scope::User => around.join(&vscode_user(around), &["mcp.json"]),
        Scope::Project => around.join(&around.current, &[".vscode", "mcp.json"]),
    })
}

fn vscode_user(around: &Surroundings) -> String {
    around.join(&around.configuration(), &["Code", "User"])
}

/// The extension's own file, and the one that the command line program reads.
pub(super) fn cline(around: &Surroundings) -> Vec<Place> {
    const FILE: &str = "cline_mcp_settings.json";
    let extension = ["globalStorage", "saoudrizwan.claude-dev"];
    let extension = around.join(&vscode_user(around), &extension);
    let program = around.in_home(&[".cline", "data"]);
    let place = |folder: &str| Place {
        file: around.join(folder, &["settings", FILE]),
        is_used: around.is_there(folder),
    };
    vec![place(&extension), place(&program)]
}

pub(super) fn windsurf(around: &Surroundings) -> Vec<Place> {
    one(around.in_home(&[".codeium", "windsurf", "mcp_config.json"]))
}

pub(super) fn zed(around: &Surroundings) -> Vec<Place> {
    let configuration = around.configuration();
    one(match around.system {
        System::Linux => around.join(&configuration, &["zed", "settings.json"]),
        System::MacOs => around.in_home(&[".config", "zed", "settings.json"]),
        System::Windows => around.join(&configuration, &["Zed", "settings.json"]),
    })
}

pub(super) fn codex(around: &Surroundings) -> Vec<Place> {
    let folder = around.variable_or("CODEX_HOME", &[".codex"]);
    one(around.join(&folder, &["config.toml"]))
}

/// Kept inside the app.
pub(super) fn none(_: &Surroundings) -> Vec<Place> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(_: &str) -> Vec<String> {
        Vec::new()
    }

    fn around(system: System, scope: Scope) -> Surroundings {
        let (home, current) = match system {
            System::Windows => (r"C:\Users\测试 用户", r"D:\work"),
            System::MacOs => ("/Users/me", "/project"),
            System::Linux => ("/home/me", "/project"),
        };
        Surroundings {
            system,
            home: home.into(),
            current: current.into(),
            scope,
            variable: |_| None,
            names_in: nothing,
        }
    }

    fn files(places: Vec<Place>) -> Vec<String> {
        places.into_iter().map(|it| it.file).collect()
    }

    /// Where a host of the user looks on Linux, macOS and Windows.
    #[track_caller]
    fn assert_places(host: fn(&Surroundings) -> Vec<Place>, expected: [&str; 3]) {
        let systems = [System::Linux, System::MacOs, System::Windows];
        for (system, expected) in systems.into_iter().zip(expected) {
            assert_eq!(host(&around(system, Scope::User))[0].file, expected);
        }
    }

    #[test]
    fn the_hosts_of_anthropic_and_microsoft_have_their_places() {
        assert_places(
            claude_desktop,
            [
                "/home/me/.config/Claude/claude_desktop_config.json",
                "/Users/me/Library/Application Support/Claude/claude_desktop_config.json",
                r"C:\Users\测试 用户\AppData\Roaming\Claude\claude_desktop_config.json",
            ],
        );
        assert_places(
            claude_code,
            [
                "/home/me/.claude.json",
                "/Users/me/.claude.json",
                r"C:\Users\测试 用户\.claude.json",
            ],
        );
        assert_places(
            vscode,
            [
                "/home/me/.config/Code/User/mcp.json",
                "/Users/me/Library/Application Support/Code/User/mcp.json",
                r"C:\Users\测试 用户\AppData\Roaming\Code\User\mcp.json",
            ],
        );
    }

    #[test]
    fn the_other_hosts_have_their_places() {
        assert_places(
            zed,
            [
                "/home/me/.config/zed/settings.json",
                "/Users/me/.config/zed/settings.json",
                r"C:\Users\测试 用户\AppData\Roaming\Zed\settings.json",
            ],
        );
        assert_places(
            windsurf,
            [
                "/home/me/.codeium/windsurf/mcp_config.json",
                "/Users/me/.codeium/windsurf/mcp_config.json",
                r"C:\Users\测试 用户\.codeium\windsurf\mcp_config.json",
            ],
        );
        assert_places(
            codex,
            [
                "/home/me/.codex/config.toml",
                "/Users/me/.codex/config.toml",
                r"C:\Users\测试 用户\.codex\config.toml",
            ],
        );
        assert_places(
            cursor,
            [
                "/home/me/.cursor/mcp.json",
                "/Users/me/.cursor/mcp.json",
                r"C:\Users\测试 用户\.cursor\mcp.json",
            ],
        );
        assert_places(
            gemini,
            [
                "/home/me/.gemini/settings.json",
                "/Users/me/.gemini/settings.json",
                r"C:\Users\测试 用户\.gemini\settings.json",
            ],
        );
    }

    #[test]
    fn cline_is_an_extension_and_a_program() {
        assert_eq!(
            files(cline(&around(System::Windows, Scope::User))),
            [
                r"C:\Users\测试 用户\AppData\Roaming\Code\User\globalStorage\saoudrizwan.claude-dev\settings\cline_mcp_settings.json",
                r"C:\Users\测试 用户\.cline\data\settings\cline_mcp_settings.json",
            ]
        );
    }

    #[test]
    fn a_project_has_files_of_its_own() {
        let linux = around(System::Linux, Scope::Project);
        let windows = around(System::Windows, Scope::Project);
        assert_eq!(claude_code(&linux)[0].file, "/project/.mcp.json");
        assert_eq!(cursor(&windows)[0].file, r"D:\work\.cursor\mcp.json");
        assert_eq!(vscode(&windows)[0].file, r"D:\work\.vscode\mcp.json");
        assert_eq!(gemini(&linux)[0].file, "/project/.gemini/settings.json");
    }

    #[test]
    fn variables_move_the_places() {
        let mut windows = around(System::Windows, Scope::User);
        windows.variable = |name| Some(format!(r"E:\{name}\"));
        assert_eq!(
            files(claude_desktop(&windows))[..2],
            [
                r"E:\APPDATA\Claude\claude_desktop_config.json",
                r"E:\LOCALAPPDATA\Packages\Claude_pzs8sxrjxfjjc\LocalCache\Roaming\Claude\claude_desktop_config.json",
            ]
        );
        assert_eq!(codex(&windows)[0].file, r"E:\CODEX_HOME\config.toml");
        assert_eq!(
            claude_code(&windows)[0].file,
            r"E:\CLAUDE_CONFIG_DIR\.claude.json"
        );
        let mut linux = around(System::Linux, Scope::User);
        linux.variable = |name| Some(format!("/of/{name}"));
        assert_eq!(zed(&linux)[0].file, "/of/XDG_CONFIG_HOME/zed/settings.json");
    }

    #[test]
    fn claude_desktop_is_written_where_it_is_installed() {
        let mut windows = around(System::Windows, Scope::User);
        let usual = r"C:\Users\测试 用户\AppData\Roaming\Claude\claude_desktop_config.json";
        assert_eq!(chosen(&claude_desktop(&windows)), [usual]);

        windows.names_in = |folder| {
            let names: &[&str] = match folder.rsplit('\\').next() {
                Some("Packages") => &["Claude_pzs8sxrjxfjjc", "Other"],
                Some("Claude-Data") => &["claude_a", "logs"],
                _ => &[],
            };
            names.iter().map(|it| (*it).to_owned()).collect()
        };
        let places = claude_desktop(&windows);
        assert_eq!(places.len(), 3);
        assert_eq!(
            chosen(&places),
            [
                r"C:\Users\测试 用户\AppData\Local\Packages\Claude_pzs8sxrjxfjjc\LocalCache\Roaming\Claude\claude_desktop_config.json",
                r"C:\Users\测试 用户\AppData\Local\Claude-Data\claude_a\claude_desktop_config.json",
            ]
        );
    }
}
