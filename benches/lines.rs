//! What it costs to read lines deep inside huge files, beside `tail` and `head`.
//!
//! `cargo bench --bench lines`. Processor time of whole processes, or of a running server for one
//! call, the median of interleaved rounds. Needs 1 GB of disk for a while.
#![allow(
    clippy::print_stdout,
    reason = "a benchmark is there to print its figures"
)]

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

mod common;

use common::session::Session;
use common::*;

const PROGRAM: &str = env!("CARGO_BIN_EXE_filewright");
const SIZE: usize = 1_000_000_000;
/// So many lines that the one that is asked for lies at three quarters of the file.
const LINES: usize = 13_600_000;
const WANTED: usize = 10_000_000;
const ROUNDS: usize = 5;
const CALLS: usize = 200;
const HUGE: u64 = 10_000_000_000;

fn main() -> Result<()> {
    let scratch = Scratch::new()?;
    let file = scratch.0.join("log.txt");
    write_log(&file)?;
    rest(&file)?;
    cold(&file)?;
    warm(&scratch.0)?;
    memory(&scratch.0)
}

/// The line with that number, counting from 1: all are of one length.
fn line(number: usize) -> String {
    let width = SIZE / LINES - 2;
    format!(
        "{number:<9} {}.\n",
        "a line of a log ".repeat(8).split_at(width - 9).0
    )
}

fn write_log(path: &Path) -> Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for number in 1..=LINES {
        file.write_all(line(number).as_bytes())?;
    }
    Ok(file.flush()?)
}

/// Makes a file look as if nobody had touched it for an hour.
fn rest(path: &Path) -> Result<()> {
    let file = File::options().write(true).open(path)?;
    Ok(file.set_modified(SystemTime::now() - Duration::from_secs(3_600))?)
}

fn cold(file: &Path) -> Result<()> {
    println!("ten lines from line {WANTED} of {LINES}, 1 GB, as a command");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let mut program = Command::new(PROGRAM);
        program.args(["call", "read_lines", "path=log.txt", "count=10"]);
        program.arg(format!("start={WANTED}")).arg("--root");
        ours.push(cost(program.arg(file.parent().ok_or("no directory")?))?);
        match tail_and_head(file) {
            Ok(time) => theirs.push(time),
            Err(error) => println!("  SKIPPED: tail and head: {error}"),
        }
    }
    let (ours, theirs) = (median(&mut ours), median(&mut theirs));
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    println!(
        "  filewright {ours:.1?}, tail -n +N | head {theirs:.1?}, ratio {ratio:.2} (wanted: at most 0.75)"
    );
    Ok(())
}

fn tail_and_head(file: &Path) -> Result<Duration> {
    let mut tail = Command::new("tail")
        .arg(format!("-n+{WANTED}"))
        .arg(file)
        .stdout(Stdio::piped())
        .spawn()?;
    let mut head = Command::new("head")
        .stdin(tail.stdout.take().ok_or("no stdout")?)
        .stdout(Stdio::null())
        .spawn()?;
    let (first, _) = cost_until_end(&mut head)?;
    let (second, _) = cost_until_end(&mut tail)?;
    Ok(first + second)
}

fn warm(root: &Path) -> Result<()> {
    println!("the same by a server that has seen the file, from request to answer");
    let mut session = Session::open(Path::new(PROGRAM), root)?;
    let arguments = |start: i64, count: usize| json!({"path": "log.txt", "start": start, "count": count, "numbers": false});
    let deep = arguments(i64::try_from(WANTED)?, 10);
    let first = cost_of_call(&mut session, "read_lines", &deep)?;
    println!("  the first call, which has to look {first:.1?}");
    let expected: String = (WANTED..WANTED + 10).map(line).collect();
    let answer = session.call("read_lines", &deep)?;
    if !answer.contains(&expected) {
        return Err(format!("not the lines that were asked for: {answer}").into());
    }
    for (what, arguments) in [
        ("ten lines in the middle", &deep),
        ("the last hundred lines", &arguments(-100, 100)),
    ] {
        let mut times = Vec::new();
        for _ in 0..CALLS {
            times.push(cost_of_call(&mut session, "read_lines", arguments)?);
        }
        let time = median(&mut times);
        println!("  {what} {time:.1?} (wanted: at most 1 ms)");
    }
    Ok(())
}

fn cost_of_call(session: &mut Session, tool: &str, arguments: &Value) -> Result<Duration> {
    let before = cost_of_threads(session.id())?;
    session.call(tool, arguments)?;
    Ok(cost_of_threads(session.id())?.saturating_sub(before))
}

/// The most memory that any call on a file of 10 GB takes, above an idle server.
fn memory(root: &Path) -> Result<()> {
    println!("memory for a file of 10 GB, most of it one line of NULs, above an idle server");
    let path = root.join("huge.txt");
    let mut file = File::create(&path)?;
    file.write_all(line(1).as_bytes())?;
    file.set_len(HUGE)?;
    rest(&path)?;
    for (tool, arguments) in [
        ("read_file", json!({})),
        ("read_file", json!({"byte_offset": HUGE / 2})),
        ("read_file", json!({"offset": 3})),
        ("read_lines", json!({"start": 2})),
        ("read_lines", json!({"start": -1})),
        ("wordcount", json!({})),
        ("list_dir", json!({})),
    ] {
        let mut session = Session::open(Path::new(PROGRAM), root)?;
        let idle = peak(session.id())?;
        let mut given = arguments.clone();
        if tool != "list_dir" {
            given["path"] = json!("huge.txt");
            given["encoding"] = json!("utf-8");
        }
        // Whether there is time enough for all of it makes no difference to the memory.
        let outcome = session.call(tool, &given);
        let above = peak(session.id())?.saturating_sub(idle);
        let note = if outcome.is_ok() { "" } else { ", out of time" };
        println!("  {tool} {arguments}: {above} KB{note} (wanted: at most 8192)");
    }
    Ok(fs::remove_file(path)?)
}
