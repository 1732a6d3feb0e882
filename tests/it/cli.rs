//! The command line and the configuration: flags, variables, files, exit codes.

use std::fs;
use std::process::Output;

use serde_json::json;
use tempfile::TempDir;

use crate::client::Client;
use crate::launch::Launch;

fn directory() -> TempDir {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("hello.txt"), "hello\n").unwrap();
    directory
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A refusal: exit 2, nothing on stdout, these words on stderr.
#[track_caller]
fn assert_refused(output: &Output, words: &[&str]) {
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert_eq!(text(&output.stdout), "");
    for word in words {
        assert!(stderr.contains(word), "{word:?} is not in: {stderr}");
    }
}

/// The names of the tools a session offers.
fn tools(client: &mut Client) -> Vec<String> {
    let list = client.request("tools/list", json!({}));
    let tools = list["result"]["tools"].as_array().unwrap().iter();
    tools
        .map(|it| it["name"].as_str().unwrap().to_owned())
        .collect()
}

// B135
#[test]
fn help_and_version_are_on_stdout() {
    let version = Launch::new(["--version"]).output();
    assert_eq!(
        text(&version.stdout),
        concat!("filewright ", env!("CARGO_PKG_VERSION"), "\n")
    );
    let help = Launch::new(["--help"]).output();
    for word in [
        "filewright",
        "--root",
        "--config",
        "--max-bytes",
        "--mcp-debug",
        "call",
    ] {
        assert!(text(&help.stdout).contains(word), "{word}");
    }
    for output in [version, help] {
        assert!(output.status.success() && output.stderr.is_empty());
    }
}

#[test]
fn a_wrong_flag_is_refused_by_name() {
    assert_refused(
        &Launch::new(["--no-such-flag"]).output(),
        &["--no-such-flag"],
    );
    assert_refused(
        &Launch::new(["--max-bytes", "lots"]).output(),
        &["lots", "max-bytes"],
    );
    assert_refused(&Launch::new(["--max-bytes", "0"]).output(), &["max-bytes"]);
    assert_refused(&Launch::new(["--log-level", "loud"]).output(), &["loud"]);
    assert_refused(
        &Launch::new(["serve", "--no-such-flag"]).output(),
        &["--no-such-flag"],
    );
}

#[test]
fn a_subcommand_is_one_only_as_the_first_word() {
    let directory = directory();
    for word in ["call", "serve", "mcp", "setup"] {
        let output = Launch::new([directory.path().to_str().unwrap(), word])
            .with(|it| it.current_dir(directory.path()))
            .output();
        assert_refused(&output, &[word]);
    }
    fs::create_dir(directory.path().join("call")).unwrap();
    fs::write(directory.path().join("call/inside.txt"), "inside\n").unwrap();
    let mut client = Launch::new(["./call"])
        .with(|it| it.current_dir(directory.path()))
        .start();
    assert_eq!(
        client
            .call("read_file", json!({"path": "inside.txt"}))
            .text(),
        "inside\n"
    );
}

#[test]
fn serve_and_mcp_say_out_loud_what_is_done_anyway() {
    let directory = directory();
    for word in ["serve", "mcp"] {
        let mut client = Launch::new([word.as_ref(), directory.path().as_os_str()]).start();
        assert_eq!(
            client
                .call("read_file", json!({"path": "hello.txt"}))
                .text(),
            "hello\n"
        );
    }
}

#[test]
fn call_prints_the_text_of_one_tool_and_nothing_else() {
    let directory = directory();
    let root = directory.path().to_str().unwrap();
    let output = Launch::new(["call", "read_file", "path=hello.txt", "--root", root]).output();
    assert!(output.status.success());
    assert_eq!(
        (text(&output.stdout), text(&output.stderr)),
        ("hello\n", "")
    );
    let output = Launch::new([
        "call",
        "read_lines",
        "path=hello.txt",
        "numbers=false",
        "count=1",
    ])
    .with(|it| it.current_dir(directory.path()))
    .output();
    assert_eq!(text(&output.stdout).trim_end(), "hello");
}

#[test]
fn call_keeps_notices_apart_from_the_text() {
    let directory = directory();
    let bytes =
        b"\xc4\xe3\xba\xc3\xa3\xac\xc7\xd7\xb0\xae\xb5\xc4\xb6\xc1\xd5\xdf\xa1\xa3\n".repeat(3);
    fs::write(directory.path().join("gbk.txt"), bytes).unwrap();
    let root = directory.path().to_str().unwrap();
    let output = Launch::new([
        "call",
        "read_file",
        "path=gbk.txt",
        "limit=1",
        "--root",
        root,
    ])
    .output();
    assert!(output.status.success());
    assert_eq!(text(&output.stdout), "你好，亲爱的读者。\n");
    let stderr = text(&output.stderr);
    assert!(
        stderr.contains("[decoded from gb18030 (guessed)]"),
        "{stderr}"
    );
    assert!(stderr.contains("read_file offset=2"), "{stderr}");
}

#[test]
fn call_fails_with_its_tool_and_says_so_on_stderr() {
    let directory = directory();
    let root = directory.path().to_str().unwrap();
    let output = Launch::new(["call", "read_file", "path=missing.txt", "--root", root]).output();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout), "");
    assert!(text(&output.stderr).contains("missing.txt"));
    for wrong in [
        vec!["call", "raed_file", "path=a"],
        vec!["call", "read_file", "path"],
        vec!["call"],
    ] {
        let output = Launch::new(wrong).output();
        assert!(!output.status.success() && output.stdout.is_empty());
        assert!(!output.stderr.is_empty());
    }
}

#[test]
fn call_knows_the_tool_and_the_argument_that_were_meant() {
    let directory = directory();
    let root = directory.path().to_str().unwrap();
    for (arguments, words) in [
        (
            ["raed_file", "path=a"],
            ["no tool raed_file", "did you mean read_file?"],
        ),
        (
            ["read_lines", "pth=a"],
            ["no argument pth", "did you mean path?"],
        ),
        (
            ["read_lines", "zzz=1"],
            ["no argument zzz", "read_lines --list"],
        ),
    ] {
        let output = Launch::new([&["call", "--root", root], &arguments[..]].concat()).output();
        assert_refused(&output, &words);
    }
    // Names that models use are as good here, and every value finds its type.
    let arguments = [
        "call",
        "read_lines",
        "file=hello.txt",
        "numbers=no",
        "tail=1",
    ];
    let output = Launch::new([&arguments[..], &["--root", root]].concat()).output();
    assert_eq!(text(&output.stdout), "hello\n", "{}", text(&output.stderr));
}

#[test]
fn call_lists_the_tools_with_their_arguments() {
    let all = Launch::new(["call", "--list"]).output();
    let one = Launch::new(["call", "list_dir", "--list"]).output();
    for line in [
        "list_dir\n",
        "    sort=name|size|modified     Order. [default: name]\n",
        "    limit=INTEGER               Entries at most. [default: 500]\n",
    ] {
        assert!(text(&all.stdout).contains(line), "{}", text(&all.stdout));
        assert!(text(&one.stdout).contains(line), "{}", text(&one.stdout));
    }
    let required =
        "path=STRING                 File to count, absolute or relative to a root. (required)";
    assert!(text(&all.stdout).contains(required));
    assert!(!text(&one.stdout).contains("wordcount"));
    let fewer = Launch::new(["call", "--list", "--tools", "wordcount"]).output();
    assert!(text(&fewer.stdout).starts_with("wordcount\n"));
    assert!(!text(&fewer.stdout).contains("list_dir"));
    for wrong in [&["--list", "path=a"][..], &["raed_file", "--list"]] {
        let output = Launch::new([&["call"], wrong].concat()).output();
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn the_help_of_call_shows_how_to_call() {
    let help = Launch::new(["call", "--help"]).output();
    let help = text(&help.stdout);
    assert!(help.contains("filewright call"), "{help}");
}

#[test]
fn a_flag_goes_before_a_variable_and_that_before_the_file() {
    let directory = directory();
    let config = directory.path().join("c.toml");
    fs::write(&config, "tools = [\"list_dir\"]\n").unwrap();
    let start = |flag: Option<&str>, variable: Option<&str>| {
        let launch = Launch::new([directory.path()]).with(|it| it.arg("--config").arg(&config));
        let launch = launch.with(|it| it.args(flag.map(|it| format!("--tools={it}"))));
        let launch = launch.with(|it| it.envs(variable.map(|it| ("FILEWRIGHT_TOOLS", it))));
        tools(&mut launch.start())
    };
    assert_eq!(start(None, None), ["list_dir"]);
    assert_eq!(start(None, Some("")), ["list_dir"], "empty means unset");
    assert_eq!(
        start(None, Some("read_lines,read_file")),
        ["read_file", "read_lines"]
    );
    assert_eq!(start(Some("wordcount"), Some("read_file")), ["wordcount"]);
}

#[test]
fn tools_can_be_chosen_and_left_out() {
    let directory = directory();
    let mut client = Launch::new(["--disable", "list_dir,wordcount"])
        .with(|it| it.arg(directory.path()))
        .start();
    assert_eq!(tools(&mut client), ["read_file", "read_lines"]);
    assert_eq!(
        client
            .call("wordcount", json!({"path": "hello.txt"}))
            .code(),
        -32602
    );
    assert_refused(
        &Launch::new(["--tools", "raed_file"]).output(),
        &["raed_file", "read_file"],
    );
}

#[test]
fn roots_may_come_from_the_environment() {
    let (first, second) = (directory(), directory());
    fs::write(second.path().join("second.txt"), "second\n").unwrap();
    let roots = std::env::join_paths([first.path(), second.path()]).unwrap();
    let mut client = Launch::new::<&str>([])
        .with(|it| it.env("FILEWRIGHT_ROOT", &roots))
        .start();
    assert_eq!(
        client
            .call("read_file", json!({"path": "second.txt"}))
            .text(),
        "second\n"
    );
}

#[test]
fn nonsense_in_a_variable_is_refused() {
    for (variable, value) in [
        ("FILEWRIGHT_MAX_BYTES", "lots"),
        ("FILEWRIGHT_LOG_LEVEL", "loud"),
        ("FILEWRIGHT_ENCODING", "klingon"),
        ("FILEWRIGHT_MCP_DEBUG", "perhaps"),
        ("FILEWRIGHT_TOOLS", "raed_file"),
    ] {
        let launch = Launch::new::<&str>([]).with(|it| it.env(variable, value));
        assert_refused(&launch.output(), &[value]);
    }
}

#[test]
fn an_error_in_the_configuration_is_refused_with_its_place() {
    let directory = directory();
    let config = directory.path().join("c.toml");
    let refused = |text: &str, words: &[&str]| {
        fs::write(&config, text).unwrap();
        let output = Launch::new(["--config"])
            .with(|it| it.arg(&config))
            .output();
        assert_refused(&output, &[words, &["c.toml"]].concat());
    };
    refused("max_byte = 1000\n", &["max_byte", "max_bytes"]);
    refused("[[root]]\npth = \".\"\n", &["pth", "path"]);
    refused("max_bytes = \"many\"\n", &["max_bytes"]);
    refused("max_bytes =\n", &[]);
    let missing = directory.path().join("missing.toml");
    let output = Launch::new(["--config"])
        .with(|it| it.arg(&missing))
        .output();
    assert_refused(&output, &["missing.toml"]);
    let output = Launch::new::<&str>([])
        .with(|it| it.env("FILEWRIGHT_CONFIG", &missing))
        .output();
    assert_refused(&output, &["missing.toml"]);
}

#[test]
fn the_paths_of_a_configuration_are_relative_to_itself() {
    let directory = directory();
    fs::create_dir(directory.path().join("inside")).unwrap();
    fs::write(directory.path().join("inside/a.txt"), "a\n").unwrap();
    let config = directory.path().join("c.toml");
    fs::write(&config, "[[root]]\npath = \"inside\"\n").unwrap();
    let launch = || Launch::new(["--config"]).with(|it| it.arg(&config).current_dir("/"));
    let mut client = launch().start();
    assert_eq!(
        client.call("read_file", json!({"path": "a.txt"})).text(),
        "a\n"
    );
    // Directories on the command line replace those of the file.
    let other = TempDir::new().unwrap();
    let mut client = launch().with(|it| it.arg(other.path())).start();
    client.call("read_file", json!({"path": "a.txt"})).fault();
}

#[test]
fn the_example_configuration_is_the_default() {
    let directory = directory();
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/config.example.toml");
    let list = |launch: Launch| {
        let mut client = launch.with(|it| it.arg(directory.path())).start();
        client.request("tools/list", json!({}))
    };
    assert_eq!(
        list(Launch::new(["--config", example])),
        list(Launch::new::<&str>([]))
    );
}

#[test]
fn max_bytes_bounds_a_text() {
    let directory = directory();
    fs::write(
        directory.path().join("long.txt"),
        "0123456789abcde\n".repeat(1_000),
    )
    .unwrap();
    let mut client = Launch::new(["--max-bytes", "1600"])
        .with(|it| it.arg(directory.path()))
        .start();
    let answer = client.call("read_file", json!({"path": "long.txt"}));
    let lines = answer
        .text()
        .lines()
        .filter(|it| *it == "0123456789abcde")
        .count();
    assert_eq!(lines, 100);
    assert!(answer.text().contains("offset=101"), "{}", answer.text());
}
