//! What the program is compared with, and the figures made of both.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::*;

/// `cat` between two pipes: what a round trip costs with no server in it.
pub(crate) struct Echo {
    pub(crate) child: Child,
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: BufReader<ChildStdout>,
}

impl Echo {
    pub(crate) fn open() -> Result<Echo> {
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().ok_or("no stdout")?);
        Ok(Echo {
            child,
            stdin,
            stdout,
        })
    }

    pub(crate) fn round_trip(&mut self, line: &str) -> Result<Duration> {
        let begun = Instant::now();
        let stdin = self.stdin.as_mut().ok_or("no stdin")?;
        stdin.write_all(line.as_bytes())?;
        self.stdout.read_line(&mut String::new())?;
        Ok(begun.elapsed())
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        self.stdin = None;
        // Nothing is left to do for a cat that can't be waited for.
        let _ = self.child.wait();
    }
}

pub(crate) fn call(id: usize, tool: &str, path: &str) -> String {
    let params = json!({"name": tool, "arguments": {"path": path}});
    request(id, "tools/call", &params)
}

pub(crate) fn answered_once(answers: &[u8]) -> Result<()> {
    let mut seen = vec![false; PIPELINED];
    for line in answers.split(|it| *it == b'\n').filter(|it| !it.is_empty()) {
        let answer: Value = serde_json::from_slice(line)?;
        if answer["result"]["content"][0]["text"] != SMALL {
            return Err(format!("unexpected answer {answer}").into());
        }
        let id = answer["id"]
            .as_u64()
            .and_then(|it| usize::try_from(it).ok());
        match id.and_then(|it| seen.get_mut(it)) {
            Some(seen) if !*seen => *seen = true,
            _ => return Err(format!("id {} answered twice, or never asked", answer["id"]).into()),
        }
    }
    match seen.iter().position(|it| !it) {
        None => Ok(()),
        Some(id) => Err(format!("request {id} was never answered").into()),
    }
}

/// A size in memory that `/proc/PID/status` tells.
pub(crate) fn memory(process: u32, field: &str) -> String {
    kilobytes(process, field).map_or_else(
        |_| "not measured: no /proc/PID/status here".to_owned(),
        |kilobytes| format!("{kilobytes} kB"),
    )
}

/// Programs that print one line and end: linked as usual, and linked statically.
pub(crate) fn empty_programs(scratch: &Path) -> Vec<(&'static str, PathBuf)> {
    let source = scratch.join("empty.rs");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let build = |name, program: &str, flag: &str| {
        fs::write(&source, "fn main() { println!(\"ready\"); }").ok()?;
        let program = scratch.join(program);
        let mut command = Command::new(&rustc);
        command.args(["--edition=2024", "-O", "-C", flag, "-o"]);
        let built = command.arg(&program).arg(&source).status();
        built
            .is_ok_and(|it| it.success())
            .then_some((name, program))
    };
    let programs: Vec<_> = [
        build("empty program", "empty", "target-feature=-crt-static"),
        build(
            "empty static program",
            "empty-static",
            "target-feature=+crt-static",
        ),
    ]
    .into_iter()
    .flatten()
    .collect();
    if programs.is_empty() {
        skipped("rustc could not build an empty program to compare with");
    }
    programs
}

pub(crate) fn time_first_line(mut command: Command) -> Result<Duration> {
    let begun = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdout = BufReader::new(child.stdout.take().ok_or("no stdout")?);
    stdout.read_line(&mut String::new())?;
    let took = begun.elapsed();
    child.wait()?;
    Ok(took)
}

/// Exactly `size` bytes of these words in an order that only looks random, ending in a line end.
pub(crate) fn filled(words: &[&str], size: usize) -> Vec<u8> {
    let mut text = Vec::with_capacity(size);
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    loop {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let word = words[(state >> 40) as usize % words.len()];
        if text.len() + word.len() >= size {
            text.resize(size - 1, b'.');
            text.push(b'\n');
            return text;
        }
        text.extend_from_slice(word.as_bytes());
    }
}

pub(crate) fn percentile_99(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() * 99 / 100]
}

pub(crate) fn micros(time: Duration) -> String {
    format!("{:>8.1} us", time.as_secs_f64() * 1e6)
}

pub(crate) fn ratio(ours: Duration, theirs: Duration) -> String {
    format!("{:.2}", ours.as_secs_f64() / theirs.as_secs_f64())
}

pub(crate) fn heading(text: &str) {
    println!("\n{text}");
}

pub(crate) fn row(name: &str, figures: &str) {
    println!("  {name:<24} {figures}");
}

pub(crate) fn skipped(why: &str) {
    println!("  SKIPPED: {why}");
}
