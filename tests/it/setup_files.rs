//! `filewright setup` as it writes: what changes in a host's file, what stays, and what is refused.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

#[cfg(unix)]
use crate::launch::Launch;
use crate::setup::{Home, words};

/// One file of a host in a home directory, written through `--write-config=FILE`.
struct Files {
    home: Home,
    file: PathBuf,
}

impl Files {
    fn new(content: &[u8]) -> Files {
        let home = Home::new();
        let file = home.path().join("host.conf");
        fs::write(&file, content).unwrap();
        Files { home, file }
    }

    /// Runs setup on the file; what it says on stderr, and its exit code.
    fn run(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let file = format!("--write-config={}", self.file.display());
        let output = self.home.setup(&[arguments, &[&file]].concat());
        (output.status.code(), words(&output.stderr).to_owned())
    }

    #[track_caller]
    fn done(&self, arguments: &[&str]) -> String {
        let (code, said) = self.run(arguments);
        assert_eq!(code, Some(0), "{said}");
        said
    }

    fn content(&self) -> Vec<u8> {
        fs::read(&self.file).unwrap()
    }

    fn backups(&self) -> Vec<String> {
        let names = fs::read_dir(self.home.path()).unwrap();
        let names = names.map(|it| it.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|it| it.starts_with("host.conf.")).collect();
        names.sort();
        names
    }
}

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

const WITH_COMMENTS: &str = "\u{feff}// mine\r\n{\r\n\t\"theme\": \"dark\", // at night\r\n\r\n\t\"servers\": {\r\n\t\t\"other\": {\r\n\t\t\t\"command\": \"x\",\r\n\t\t},\r\n\t},\r\n}\r\n";

#[test]
fn everything_else_in_a_file_stays() {
    let files = Files::new(WITH_COMMENTS.as_bytes());
    files.done(&["vscode", "."]);
    let written = String::from_utf8(files.content()).unwrap();
    let added: Vec<&str> = written
        .split_inclusive("\r\n")
        .filter(|it| !WITH_COMMENTS.contains(it))
        .collect();
    assert_eq!(added.len(), 4, "{added:?}");
    assert!(added[0].starts_with("\t\t\"filewright\": {"), "{added:?}");
    assert!(!written.replace("\r\n", "").contains('\n'));
    for line in WITH_COMMENTS.split_inclusive("\r\n") {
        assert!(written.contains(line), "{line:?}");
    }
    assert_eq!(files.backups(), ["host.conf.bak"]);
    let backup = fs::read(files.home.path().join("host.conf.bak")).unwrap();
    assert_eq!(backup, WITH_COMMENTS.as_bytes());
}

#[test]
fn a_second_run_changes_nothing() {
    for (host, content) in [
        ("vscode", WITH_COMMENTS),
        ("codex", "a = 1\n"),
        ("cursor", ""),
    ] {
        let files = Files::new(content.as_bytes());
        files.done(&[host, "."]);
        let written = files.content();
        let said = files.done(&[host, "."]);
        assert!(said.contains("nothing was changed"), "{said}");
        assert_eq!(files.content(), written);
        assert_eq!(files.backups().len(), 1);
    }
}

#[test]
fn removing_brings_back_what_was_there() {
    let contents = [
        ("vscode", WITH_COMMENTS),
        ("claude-desktop", "{ \"a\": 1 }"),
        ("cursor", "{\"mcpServers\":{}}"),
        ("zed", "// nothing yet\n{\n}\n"),
        ("gemini", ""),
        ("codex", "# top\r\nmodel = 'x'\r\n\r\n[tui] # end\r\n# last"),
    ];
    for (host, content) in contents {
        let files = Files::new(content.as_bytes());
        files.done(&[host, "."]);
        files.done(&[host, "--encoding", "gb18030", "."]);
        assert_ne!(files.content(), content.as_bytes());
        files.done(&[host, "--remove"]);
        assert_eq!(words(&files.content()), content, "{host}");
        let said = files.done(&[host, "--remove"]);
        assert!(said.contains("no such entry"), "{said}");
    }
}

/// A host adds tables below an entry, and TOML has a header for each but those in between.
#[test]
fn tables_below_an_entry_are_removed_with_it() {
    let entry = "[mcp_servers.filewright]\ncommand = \"filewright\"\n";
    let below = "[mcp_servers.filewright.tools.read_file]\napproval = \"never\"\n";
    let other = "[mcp_servers.other]\ncommand = \"other\"\n";
    for content in [
        format!("{entry}\n{below}\n{other}"),
        format!("{other}\n{entry}\n{below}"),
        format!("{below}\n{entry}\n{other}"),
    ] {
        let files = Files::new(content.as_bytes());
        files.done(&["codex", "--remove"]);
        assert_eq!(words(&files.content()).trim(), other.trim(), "{content}");
    }
}

/// A directory that everybody may write to is no place for a file of a known name.
#[cfg(unix)]
#[test]
fn nothing_is_written_beside_the_file_that_is_named() {
    let files = Files::new(b"{}\n");
    let temporary = files.home.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let precious = files.home.path().join("precious");
    fs::write(&precious, "precious\n").unwrap();
    std::os::unix::fs::symlink(&precious, temporary.join("filewright-setup.lock")).unwrap();
    let file = format!("--write-config={}", files.file.display());
    let launch = Launch::new(["setup", "cursor", ".", &file]);
    let launch = launch.with(|it| it.env("TMPDIR", &temporary));
    let output = files.home.launch(launch).output();
    assert!(output.status.success(), "{}", words(&output.stderr));
    assert_eq!(fs::read_to_string(&precious).unwrap(), "precious\n");
    let left = fs::read_dir(&temporary).unwrap().count();
    assert_eq!(left, 1);
}

#[test]
fn removing_leaves_what_was_changed_since() {
    let files = Files::new(b"{\"a\": 1}\n");
    files.done(&["cursor", "."]);
    let text = String::from_utf8(files.content()).unwrap();
    fs::write(&files.file, text.replace("\"a\": 1", "\"a\": 2")).unwrap();
    files.done(&["cursor", "--remove"]);
    let expected = json!({"a": 2, "mcpServers": {}});
    assert_eq!(read_json(&files.file), expected);
}

#[test]
fn an_entry_keeps_what_the_user_added_to_it() {
    let content = r#"{"mcpServers": {"filewright": {"command": "/old/filewright", "env": {"A": "1"}, "disabled": true}, "z": 1}}"#;
    let files = Files::new(content.as_bytes());
    files.done(&["cline", "."]);
    let written = read_json(&files.file);
    let entry = &written["mcpServers"]["filewright"];
    assert_eq!(
        entry["command"],
        *crate::launch::program().to_str().unwrap()
    );
    assert_eq!(entry["args"].as_array().unwrap().len(), 1);
    assert_eq!(entry["env"], json!({"A": "1"}));
    assert_eq!(entry["disabled"], json!(true));
    assert_eq!(written["mcpServers"]["z"], json!(1));

    let content = "[mcp_servers.filewright]\ncommand = 'filewright' # by hand\nstartup_timeout_sec = 20\n\n[mcp_servers.filewright.env]\nA = '1'\n";
    let files = Files::new(content.as_bytes());
    files.done(&["codex", "."]);
    let written = String::from_utf8(files.content()).unwrap();
    for kept in [
        " # by hand\nargs = [",
        "startup_timeout_sec = 20\n\n[mcp_servers.filewright.env]\nA = '1'\n",
    ] {
        assert!(written.contains(kept), "{written}");
    }
}

#[test]
fn what_is_not_understood_is_refused_and_left_alone() {
    let cases: [(&str, &[u8], &str); 14] = [
        ("cursor", b"{\"a\": }", "not valid JSON"),
        ("cursor", b"[]", "no JSON object"),
        (
            "cursor",
            b"{\"mcpServers\": []}",
            "mcpServers is not an object",
        ),
        (
            "cursor",
            b"{\"mcpServers\": null}",
            "mcpServers is not an object",
        ),
        (
            "vscode",
            b"{\"servers\": {\"filewright\": 1}}",
            "filewright",
        ),
        (
            "cursor",
            b"{\"a\": {}, \"mcpServers\": {}, \"mcpServers\": {}}",
            "twice",
        ),
        (
            "cursor",
            b"{\"mcpServers\": {\"filewright\": {\"command\": \"npx\"}}}",
            "npx",
        ),
        (
            "cursor",
            b"{\"mcpServers\": {\"filewright\": {\"url\": \"http://x\"}}}",
            "--name",
        ),
        ("claude-desktop", b"{} // mine", "not valid JSON"),
        ("claude-desktop", b"{\"a\": 1,}", "not valid JSON"),
        ("cursor", b"\xff\xfe{\0}\0", "not UTF-8"),
        ("codex", b"a = ", "not valid TOML"),
        ("codex", b"mcp_servers = 1", "mcp_servers is no table"),
        (
            "codex",
            b"mcp_servers = { o = { command = 'x' } }",
            "by hand",
        ),
    ];
    for (host, content, expected) in cases {
        let files = Files::new(content);
        let (code, said) = files.run(&[host, "."]);
        assert_eq!(code, Some(1), "{said}");
        assert!(
            said.contains(expected) && said.contains("Nothing was changed"),
            "{said}"
        );
        assert_eq!(files.content(), content);
        assert_eq!(files.backups(), [""; 0]);
    }
    let files = Files::new(b"{\"mcpServers\": {\"filewright\": {\"command\": \"npx\"}}}");
    let (code, said) = files.run(&["cursor", "--remove"]);
    assert_eq!(code, Some(1), "{said}");
}

#[test]
fn a_dry_run_shows_the_difference_and_writes_nothing() {
    let files = Files::new(b"{\n  \"a\": 1\n}\n");
    let file = format!("--write-config={}", files.file.display());
    let shown = files.home.shown(&["cursor", ".", "--dry-run", &file]);
    for line in [
        "@@ -1,3 +1,9 @@\n",
        "-  \"a\": 1\n+  \"a\": 1,\n",
        "+    \"filewright\": {\n",
    ] {
        assert!(shown.contains(line), "{line:?} is not in: {shown}");
    }
    assert_eq!(files.content(), b"{\n  \"a\": 1\n}\n");
    files.done(&["cursor", "."]);
    let shown = files
        .home
        .shown(&["cursor", "--remove", "--dry-run", &file]);
    assert!(shown.contains("-    \"filewright\": {\n"), "{shown}");
    let shown = files.home.shown(&["cursor", ".", "--dry-run", &file]);
    assert_eq!(shown, "");
    // In the usual place there is nothing yet.
    let shown = files.home.shown(&["cursor", ".", "--dry-run"]);
    assert!(shown.starts_with("--- /dev/null\n"), "{shown}");
    assert!(!files.home.path().join(".cursor").exists());
}

#[test]
fn folders_and_files_that_are_missing_are_made() {
    let home = Home::new();
    home.shown(&["cursor", ".", "--write-config", "--name", "notes"]);
    let user = read_json(&home.path().join(".cursor").join("mcp.json"));
    assert!(user["mcpServers"]["notes"]["command"].is_string());
    home.shown(&["vscode", ".", "--write-config", "--scope", "project"]);
    let project = read_json(&home.path().join(".vscode").join("mcp.json"));
    assert_eq!(project["servers"]["filewright"]["type"], "stdio");
}

#[test]
fn what_is_written_is_started() {
    let files = Files::new(b"{}");
    let said = files.done(&["cursor", "."]);
    let name = concat!("filewright ", env!("CARGO_PKG_VERSION"), " answers");
    assert!(said.contains(name), "{said}");
    // Right in every option, and yet it can't start.
    let log = files.home.path().join("none").join("log.txt");
    let (code, said) = files.run(&["cursor", ".", "--log-file", log.to_str().unwrap()]);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("the server ended: exit code 1") && said.contains("cannot write"),
        "{said}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_host_with_two_places_is_written_in_both_or_in_none() {
    let home = Home::new();
    let extension = ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings";
    let places = [extension, ".cline/data/settings"];
    let files = places.map(|it| home.path().join(it).join("cline_mcp_settings.json"));
    for file in &files {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
    }
    fs::write(&files[1], "{").unwrap();
    let output = home.setup(&["cline", ".", "--write-config"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(!files[0].exists());
    fs::remove_file(&files[1]).unwrap();
    home.shown(&["cline", ".", "--write-config"]);
    for file in &files {
        assert!(read_json(file)["mcpServers"]["filewright"]["command"].is_string());
    }
}

#[cfg(unix)]
#[test]
fn links_and_modes_stay() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
    let files = Files::new(b"{}");
    fs::set_permissions(&files.file, fs::Permissions::from_mode(0o600)).unwrap();
    // Only root can give a file away, and only then it can get lost.
    drop(chown(&files.file, Some(1234), Some(1234)));
    let owner = fs::metadata(&files.file).unwrap().uid();
    let link = files.home.path().join("link.json");
    symlink("host.conf", &link).unwrap();
    let named = format!("--write-config={}", link.display());
    files.home.shown(&["cursor", ".", &named]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(read_json(&files.file)["mcpServers"]["filewright"].is_object());
    for name in ["host.conf", "host.conf.bak"] {
        let facts = fs::metadata(files.home.path().join(name)).unwrap();
        assert_eq!(facts.mode() & 0o777, 0o600, "{name}");
        assert_eq!(facts.uid(), owner, "{name}");
    }
    fs::remove_file(&files.file).unwrap();
    let output = files.home.setup(&["cursor", ".", &named]);
    assert_eq!(output.status.code(), Some(1));
    assert!(words(&output.stderr).contains("link to nothing"));
    // Nothing of a draft stays behind.
    let left = fs::read_dir(files.home.path()).unwrap();
    let mut left = left.map(|it| it.unwrap().file_name().into_string().unwrap());
    assert!(!left.any(|it| it.starts_with(".filewright")));
}

#[test]
fn of_two_runs_at_once_neither_loses_what_the_other_writes() {
    let names = ["one", "two", "three", "four"];
    for _ in 0..5 {
        let files = Files::new(b"{}");
        let done: Vec<(&str, bool)> = std::thread::scope(|scope| {
            let runs = names.map(|name| {
                let files = &files;
                scope.spawn(move || {
                    let (code, _) = files.run(&["cursor", ".", "--name", name]);
                    (name, code == Some(0))
                })
            });
            runs.into_iter().map(|it| it.join().unwrap()).collect()
        });
        let content: serde_json::Value = serde_json::from_slice(&files.content()).unwrap();
        // Who comes too late is told so, and who is not told is in the file.
        for (name, is_done) in done {
            let is_there = content["mcpServers"].get(name).is_some();
            assert_eq!(is_there, is_done, "{name} in {content}");
        }
    }
}
