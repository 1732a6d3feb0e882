//! What packages carry beside the program: shell completions and the man page.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::launch::Launch;

const SHELLS: [&str; 5] = ["bash", "zsh", "fish", "powershell", "elvish"];

/// Commands that a person types, the hidden ones left out.
const COMMANDS: [&str; 5] = ["serve", "mcp", "call", "check", "setup"];

fn printed(arguments: &[&str]) -> String {
    let output = Launch::new(arguments).output();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.stderr, b"");
    String::from_utf8(output.stdout).unwrap()
}

/// Whether there is such a program here; says so where there is none.
#[expect(clippy::print_stderr, reason = "a check that cannot be made is named")]
fn is_here(program: &str, what: &str) -> bool {
    let is_here = Command::new(program).arg("--version").output().is_ok();
    if !is_here {
        eprintln!("NOT CHECKED: {what}: there is no {program} here");
    }
    is_here
}

#[track_caller]
fn assert_accepted(program: &str, arguments: &[&str], file: &Path) {
    let output = Command::new(program).args(arguments).arg(file).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{program}: {output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{program}");
}

#[test]
fn completions_know_every_command_and_option() {
    let help = printed(&["--help"]);
    let options = help
        .split_whitespace()
        .filter_map(|it| it.strip_prefix("--"))
        .map(|it| it.trim_matches(|it: char| !it.is_ascii_alphabetic() && it != '-'))
        .filter(|it| it.bytes().all(|it| it.is_ascii_lowercase() || it == b'-'));
    let words: Vec<&str> = options.chain(COMMANDS).collect();
    assert!(words.contains(&"max-bytes"), "{words:?}");
    for shell in SHELLS {
        let script = printed(&["completions", shell]);
        for word in &words {
            assert!(script.contains(word), "{shell} does not complete {word}");
        }
        // What hides says so in its first line; the word itself is one that scripts use.
        let hidden = script.contains("Prints what a shell needs");
        assert!(!hidden, "{shell} offers what is hidden");
    }
}

#[test]
fn an_unknown_shell_is_refused_with_the_known_ones() {
    let output = Launch::new(["completions", "tcsh"]).output();
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8(output.stderr).unwrap();
    for shell in SHELLS {
        assert!(stderr.contains(shell), "{stderr}");
    }
}

#[test]
fn every_shell_that_is_here_accepts_its_completions() {
    let place = TempDir::new().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let file = place.path().join(shell);
        fs::write(&file, printed(&["completions", shell])).unwrap();
        if is_here(shell, &format!("the completions of {shell}")) {
            assert_accepted(shell, &["-n"], &file);
        }
    }
}

#[cfg(unix)]
#[test]
fn bash_completes_a_command() {
    let place = TempDir::new().unwrap();
    let file = place.path().join("filewright.bash");
    fs::write(&file, printed(&["completions", "bash"])).unwrap();
    if !is_here("bash", "what bash completes") {
        return;
    }
    let complete = r#"source "$0"; COMP_WORDS=(filewright ca); COMP_CWORD=1
        _filewright filewright ca filewright; echo "${COMPREPLY[@]}""#;
    let mut bash = Command::new("bash");
    let output = bash.args(["-c", complete]).arg(&file).output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "call\n",
        "{output:?}"
    );
}

#[test]
fn the_man_page_describes_every_command_and_option() {
    let page = printed(&["man"]).replace("\\-", "-");
    for word in [
        "SH NAME",
        "SH SYNOPSIS",
        "SS call",
        "SS check",
        "SS setup",
        "--max-bytes",
        "--json",
        "FILEWRIGHT_ROOT",
    ] {
        assert!(page.contains(word), "the page has no {word}");
    }
    let title = format!("filewright {}", env!("CARGO_PKG_VERSION"));
    assert!(page.contains(&title), "the page does not name {title}");
    assert!(
        !page.contains("SS completions"),
        "the page describes what is hidden"
    );
}

#[cfg(unix)]
#[test]
fn every_reader_of_man_pages_that_is_here_accepts_the_page() {
    let place = TempDir::new().unwrap();
    let file = place.path().join("filewright.1");
    fs::write(&file, printed(&["man"])).unwrap();
    if is_here("mandoc", "the man page, by mandoc") {
        assert_accepted("mandoc", &["-Tlint", "-Werror"], &file);
    }
    if is_here("man", "the man page, by man") {
        assert_accepted(
            "man",
            &["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"],
            &file,
        );
    }
}
