//! Plays `tests/transcripts`; `UPDATE=1 cargo test` rewrites them. Their README explains the form.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;
use crate::launch::Launch;
use crate::script::{Act, Script, Step};
use crate::shapes::Revision;

#[test]
fn tools_say_in_both_eras_what_their_transcripts_say() {
    play_all("tools", |script| {
        let [legacy, modern] = [Revision::NEWEST_LEGACY, Revision::July2026]
            .map(|revision| Stage::set(Some(revision), script).play(script));
        assert_eq!(legacy, modern, "the eras differ");
        legacy
    });
}

#[test]
fn lines_on_the_wire_are_what_the_protocol_transcripts_say() {
    play_all("protocol", |script| Stage::set(None, script).play(script));
}

/// Plays every transcript of a kind, side by side, and fails with the names of those that differ.
fn play_all(kind: &str, play: impl Fn(&Script) -> Vec<Vec<String>> + Sync) {
    let paths = transcripts(kind);
    let failed: Vec<&PathBuf> = thread::scope(|scope| {
        let play = &play;
        let players = paths.iter().map(|path| {
            let player = scope.spawn(move || {
                let script = Script::read(path);
                if !script.is_playable() {
                    return;
                }
                settle(path, &script.with_answers(&play(&script)));
            });
            (path, player)
        });
        let players: Vec<_> = players.collect();
        let failed = players
            .into_iter()
            .filter_map(|(path, player)| player.join().err().map(|_| path));
        failed.collect()
    });
    assert!(failed.is_empty(), "these differ, see above: {failed:#?}");
}

fn transcripts(kind: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/transcripts")
        .join(kind);
    let entries = fs::read_dir(&directory).unwrap();
    let mut paths: Vec<_> = entries.map(|it| it.unwrap().path()).collect();
    paths.sort();
    assert!(
        !paths.is_empty(),
        "no transcripts in {}",
        directory.display()
    );
    paths
}

/// Compares a transcript with what was played, or writes that down.
fn settle(path: &Path, played: &str) {
    let written = fs::read_to_string(path).unwrap();
    if written == played {
        return;
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(path, played).unwrap();
        return;
    }
    let difference = difference(&written, played);
    panic!(
        "{} differs (- written, + played); UPDATE=1 cargo test rewrites it\n{difference}",
        path.display()
    );
}

/// The lines that differ, by their longest common subsequence, each group after the line before it.
fn difference(old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let mut common = vec![vec![0; new.len() + 1]; old.len() + 1];
    for (i, a) in old.iter().enumerate().rev() {
        for (j, b) in new.iter().enumerate().rev() {
            common[i][j] = match a == b {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    while i < old.len() || j < new.len() {
        let (removed, added) = (i < old.len(), j < new.len());
        if removed && added && old[i] == new[j] {
            let next = i + 1 < old.len() && j + 1 < new.len() && old[i + 1] == new[j + 1];
            if !next {
                lines.push(format!("  {}", old[i]));
            }
            (i, j) = (i + 1, j + 1);
        } else if removed && (!added || common[i + 1][j] >= common[i][j + 1]) {
            lines.push(format!("- {}", old[i]));
            i += 1;
        } else {
            lines.push(format!("+ {}", new[j]));
            j += 1;
        }
    }
    lines.join("\n")
}

/// A directory and a program that serves it.
struct Stage {
    client: Client,
    root: PathBuf,
    /// Removed after the program has ended, so it comes last.
    _directory: TempDir,
}

impl Stage {
    fn set(revision: Option<Revision>, script: &Script) -> Self {
        let directory = TempDir::new().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let options = script.options().into_iter().map(Into::into);
        let mut client = Launch::new(options.chain([root.clone().into_os_string()])).start();
        if let Some(revision) = revision {
            client.speak(revision);
        }
        Self {
            client,
            root,
            _directory: directory,
        }
    }

    /// The answer to each step, as the transcript shows it.
    fn play(mut self, script: &Script) -> Vec<Vec<String>> {
        let steps = script.steps.iter();
        steps.map(|step| self.step(step)).collect()
    }

    fn step(&mut self, step: &Step) -> Vec<String> {
        match &step.act {
            Act::Nothing => {}
            Act::Make { name, content } => {
                let path = self.root.join(name);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, content).unwrap();
            }
            Act::Directory { name } => fs::create_dir_all(self.root.join(name)).unwrap(),
            Act::Link { name, target } => {
                let target = target.replace("[ROOT]", &self.root.to_string_lossy());
                link(&target, &self.root.join(name));
            }
            Act::Call { tool, arguments } => return self.call(tool, arguments),
            Act::Talk { sent } => return self.talk(sent),
        }
        Vec::new()
    }

    fn call(&mut self, tool: &str, arguments: &str) -> Vec<String> {
        let arguments = arguments.replace("[ROOT]", &self.root.to_string_lossy());
        let arguments: Value = serde_json::from_str(&arguments)
            .unwrap_or_else(|fault| panic!("call {tool} {arguments}: {fault}"));
        let answer = self.client.call(tool, arguments).0;
        if let Some(error) = answer.get("error") {
            let message = self.short(error["message"].as_str().unwrap());
            return answer_block(&format!("rpc {}", error["code"]), &message);
        }
        let result = &answer["result"];
        let head = if result["isError"] == true {
            "error"
        } else {
            "ok"
        };
        let text = result["content"][0]["text"].as_str().unwrap();
        answer_block(head, &self.short(text))
    }

    /// Sends lines and gives back all that came until the server had nothing more to say.
    fn talk(&mut self, sent: &[String]) -> Vec<String> {
        for line in sent {
            let line = line.replace("[ROOT]", &self.root.to_string_lossy());
            let mut bytes = crate::script::expand(&line);
            bytes.push(b'\n');
            self.client.send_bytes(bytes);
        }
        let probe = json!({"jsonrpc": "2.0", "id": "probe", "method": "ping"});
        self.client.send(&probe);
        let mut back = Vec::new();
        let mut probed = false;
        while !probed || !self.client.unanswered().is_empty() {
            let (line, value) = self.client.receive_line();
            if value["id"] == "probe" {
                probed = true;
            } else {
                back.push(format!("< {}", self.short(&collapse_known(line, &value))));
            }
        }
        if back.is_empty() {
            vec![".".into()]
        } else {
            back
        }
    }

    /// Puts the names of things in place of what differs from machine to machine.
    fn short(&self, text: &str) -> String {
        let text = text.replace(&*self.root.to_string_lossy(), "[ROOT]");
        let version = concat!("\"version\":\"", env!("CARGO_PKG_VERSION"), "\"");
        text.replace(version, "\"version\":\"[VERSION]\"")
    }
}

#[cfg(unix)]
fn link(target: &str, name: &Path) {
    std::os::unix::fs::symlink(target, name).unwrap();
}

#[cfg(not(unix))]
fn link(_target: &str, name: &Path) {
    unreachable!(
        "{}: a transcript with links is not played here",
        name.display()
    );
}

/// Shortens what other tests read.
fn collapse_known(mut line: String, value: &Value) -> String {
    if let Some(tools) = value.pointer("/result/tools") {
        line = line.replace(&tools.to_string(), "[TOOLS]");
    }
    if let Some(text) = value.pointer("/result/instructions") {
        line = line.replace(&text.to_string(), "\"[INSTRUCTIONS]\"");
    }
    crate::script::collapse(&line)
}

fn answer_block(head: &str, text: &str) -> Vec<String> {
    let mut lines = vec![head.to_owned()];
    lines.extend(crate::script::visible(text));
    lines
}
