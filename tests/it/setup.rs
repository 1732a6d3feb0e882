//! `filewright setup` as it speaks: the entries and commands it shows, and what it refuses.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::launch::Launch;
#[cfg(unix)]
use crate::launch::program;
#[cfg(target_os = "linux")]
use crate::pages;

/// A name with all that shells and formats have to quote.
#[cfg(unix)]
const ODD: &str = "my 'notes' \"1\" \\n 笔记";
#[cfg(windows)]
const ODD: &str = "my 'notes' & 笔记";

/// A home directory with a directory of notes in it.
#[derive(Debug)]
pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> Home {
        let home = TempDir::new().unwrap();
        fs::create_dir(home.path().join(ODD)).unwrap();
        fs::write(home.path().join(ODD).join("here.txt"), "here\n").unwrap();
        Home(home)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The program, run in the home directory without any other.
    pub(crate) fn launch(&self, launch: Launch) -> Launch {
        let home = self.path().to_owned();
        launch.with(|it| {
            it.current_dir(&home);
            it.env("HOME", &home).env("USERPROFILE", &home);
            for name in [
                "XDG_CONFIG_HOME",
                "CLAUDE_CONFIG_DIR",
                "CODEX_HOME",
                "SHELL",
            ] {
                it.env_remove(name);
            }
            it.env("APPDATA", home.join("AppData").join("Roaming"));
            it.env("LOCALAPPDATA", home.join("AppData").join("Local"))
        })
    }

    pub(crate) fn setup(&self, arguments: &[&str]) -> Output {
        let all = [&["setup"], arguments].concat();
        self.launch(Launch::new(all)).output()
    }

    /// What it says on stdout when all is well.
    #[track_caller]
    pub(crate) fn shown(&self, arguments: &[&str]) -> String {
        let output = self.setup(arguments);
        assert!(output.status.success(), "{}", words(&output.stderr));
        words(&output.stdout).to_owned()
    }

    #[track_caller]
    fn assert_refused(&self, arguments: &[&str], expected: &[&str]) {
        let output = self.setup(arguments);
        let stderr = words(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert_eq!(words(&output.stdout), "");
        for word in expected {
            assert!(stderr.contains(word), "{word:?} is not in: {stderr}");
        }
    }
}

pub(crate) fn words(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn block(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_shown_for_each_host() {
    let home = Home::new();
    let list = home.setup(&[]);
    let mut page = format!(
        "What setup says on Linux, written by the tests.\n\n$ filewright setup\n{}{}",
        words(&list.stdout),
        words(&list.stderr)
    );
    let ids = words(&list.stdout)
        .lines()
        .map(|it| it.split(' ').next().unwrap());
    let mut lines: Vec<Vec<&str>> = ids.map(|it| vec![it, ODD]).collect();
    assert_eq!(lines.len(), 10);
    for id in ["claude-code", "cursor", "vscode", "gemini"] {
        lines.push(vec![id, ODD, "--scope", "project", "--name", "notes"]);
    }
    lines.push(vec!["cursor"]);
    for line in lines {
        let output = home.setup(&line);
        assert!(output.status.success(), "{}", words(&output.stderr));
        page.push_str(&format!("\n$ filewright setup {}\n", line.join(" ")));
        page.push_str(words(&output.stdout));
        page.push_str(words(&output.stderr));
    }
    let program = program();
    let page = page.replace(program.to_str().unwrap(), "[PROGRAM]");
    let page = page.replace(home.path().to_str().unwrap(), "[HOME]");
    pages::hold("tests/setup/linux.txt", &page);
}

#[test]
fn the_block_starts_the_program_whatever_the_names() {
    let home = Home::new();
    let shown = home.shown(&["claude-desktop", ODD, "--tools", "read_file,list_dir"]);
    let entry = &block(&shown)["mcpServers"]["filewright"];
    assert_eq!(entry["args"][0], "--tools");
    let directory = home.path().join(ODD);
    assert_eq!(entry["args"][2], directory.to_str().unwrap());
    let program = entry["command"].as_str().unwrap();
    assert!(Path::new(program).is_absolute(), "{program}");
    let arguments = entry["args"].as_array().unwrap().iter();
    let mut client = Launch::of(program, arguments.map(|it| it.as_str().unwrap())).start();
    let answer = client.call("read_file", json!({"path": "here.txt"}));
    assert_eq!(answer.text(), "here\n");
}

#[test]
fn the_options_of_the_server_are_passed_on() {
    let home = Home::new();
    fs::write(home.path().join("some.toml"), "max_bytes = 2048\n").unwrap();
    let line = "--config some.toml --mcp-debug=pretty --encoding gb18030 --log-level debug \
                --log-file logs.txt --disable wordcount --max-bytes 4096 --root";
    let line: Vec<&str> = line.split_whitespace().chain([ODD]).collect();
    let shown = home.shown(&[&["cursor"], &*line].concat());
    let path = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    assert_eq!(
        block(&shown)["mcpServers"]["filewright"]["args"],
        json!([
            "--config",
            path("some.toml"),
            "--disable",
            "wordcount",
            "--max-bytes",
            "4096",
            "--encoding",
            "gb18030",
            "--log-level",
            "debug",
            "--log-file",
            path("logs.txt"),
            "--mcp-debug=pretty",
            path(ODD),
        ])
    );
}

#[cfg(unix)]
#[test]
fn the_command_means_the_same_to_a_shell() {
    let home = Home::new();
    let directory = home.path().join(ODD);
    let directory = directory.to_str().unwrap();
    let program = program();
    let program = program.to_str().unwrap();
    let commands = [
        (
            "claude-code",
            vec!["claude", "mcp", "add", "-s", "user", "filewright", "--"],
        ),
        ("codex", vec!["codex", "mcp", "add", "filewright", "--"]),
        (
            "gemini",
            vec!["gemini", "mcp", "add", "-s", "user", "filewright"],
        ),
    ];
    for (host, before) in commands {
        let command = home.shown(&[host, ODD]);
        let script = format!("printf '%s\\n' {command}");
        let said = Launch::of("sh", ["-euc", &*script]).output();
        let said: Vec<&str> = words(&said.stdout).lines().collect();
        assert_eq!(said, [&*before, &[program, directory]].concat());
    }
}

/// As package managers do it: a directory for each version, and a link in PATH.
#[cfg(unix)]
#[test]
fn the_link_that_stays_is_preferred_to_the_file_it_leads_to() {
    let home = Home::new();
    let folder = home.path().join("bin");
    fs::create_dir(&folder).unwrap();
    let link = folder.join("filewright");
    std::os::unix::fs::symlink(program(), &link).unwrap();
    let arguments = ["setup", "cursor", ODD];
    let by_path = Launch::of(&link, arguments);
    let by_name = Launch::of("filewright", arguments).with(|it| it.env("PATH", &folder));
    let relative = Launch::of("bin/filewright", arguments);
    for launch in [by_path, by_name, relative] {
        let output = home.launch(launch).output();
        let shown = block(words(&output.stdout));
        let command = &shown["mcpServers"]["filewright"]["command"];
        assert_eq!(command.as_str(), link.to_str());
    }
}

#[test]
fn wrong_usage_is_refused_with_what_to_do() {
    let home = Home::new();
    home.assert_refused(
        &["claud-desktop", "."],
        &["claud-desktop", "mean claude-desktop"],
    );
    home.assert_refused(
        &["cursor", "no-such-dir"],
        &["no-such-dir", "make it first"],
    );
    home.assert_refused(&["cursor", "--write-config"], &["setup cursor DIR"]);
    home.assert_refused(&["cursor", "--dry-run"], &["setup cursor DIR"]);
    home.assert_refused(&["cursor", ".", "--tools", "read_fil"], &["read_fil"]);
    home.assert_refused(
        &["cursor", ".", "--name", "my files"],
        &["my files", "letters"],
    );
    home.assert_refused(
        &["windsurf", ".", "--scope", "project"],
        &["Windsurf", "--scope"],
    );
    home.assert_refused(
        &["cherry-studio", ".", "--write-config"],
        &["Import from JSON"],
    );
    home.assert_refused(&["cherry-studio", "--remove"], &["Import from JSON"]);
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
}

#[test]
fn a_host_is_found_however_its_name_is_spelt() {
    let home = Home::new();
    let shown = home.shown(&["claude-desktop", ODD]);
    assert_eq!(home.shown(&["Claude_Desktop", ODD]), shown);
}
