//! What the server costs: start, memory, throughput, latency, processor time.
//!
//! `cargo bench` measures the program it has just built; `cargo bench -- PATH` or
//! `FILEWRIGHT_BENCH_BIN=PATH cargo bench` measures another one, such as the static release.
//! Every figure stands beside one that needs no server (an empty program, `cat`, `wc`), taken
//! in the same run: carry the ratios to another machine, not the times.
#![allow(
    clippy::print_stdout,
    reason = "a benchmark is there to print its figures"
)]

use std::error::Error;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const STARTS: usize = 50;
const PIPELINED: usize = 20_000;
const MORE_ROUNDS: usize = 10;
const SEQUENTIAL: usize = 1_000;
const WHOLE_READS: u32 = 500;
const COUNTED_BYTES: usize = 250_000_000;
const SMALL: &str = "seventeen bytes.\n";
const ENGLISH: [&str; 16] = [
    "the ", "river ", "a ", "bends, ", "slowly ", "under ", "old ", "bridges ", "and ", "carries ",
    "every ", "boat.\n", "it ", "meets ", "of ", "morning ",
];
const CHINESE: [&str; 16] = [
    "河流",
    "在",
    "旧桥",
    "下面",
    "，",
    "慢慢",
    "转弯",
    "。\n",
    "它",
    "带着",
    "每一条",
    "船",
    "向",
    "清晨",
    "流去",
    "的",
];

fn main() -> Result<()> {
    let binary = std::env::args()
        .skip(1)
        .find(|it| !it.starts_with('-'))
        .or_else(|| std::env::var("FILEWRIGHT_BENCH_BIN").ok())
        .unwrap_or_else(|| env!("CARGO_BIN_EXE_filewright").to_owned());
    let binary = fs::canonicalize(&binary).map_err(|e| format!("{binary}: {e}"))?;
    let scratch = Scratch::new()?;
    let size = fs::metadata(&binary)?.len();
    println!("program: {} ({} KB)", binary.display(), size / 1000);

    let bench = Bench {
        binary,
        root: scratch.0.clone(),
    };
    fs::write(bench.root.join("small.txt"), SMALL)?;
    bench.start_to_first_reply()?;
    bench.idle_memory()?;
    bench.pipelined_calls()?;
    bench.sequential_calls()?;
    bench.whole_reads()?;
    bench.counting()
}

/// What is measured, and the directory it may read.
struct Bench {
    binary: PathBuf,
    root: PathBuf,
}

impl Bench {
    fn start_to_first_reply(&self) -> Result<()> {
        heading("start to first reply (spawn, initialize, answer read)");
        let empties = empty_programs(&self.root);
        let mut ours = Vec::new();
        let mut theirs = vec![Vec::new(); empties.len()];
        for _ in 0..STARTS {
            let begun = Instant::now();
            let session = Session::open(self)?;
            ours.push(begun.elapsed());
            session.close()?;
            for ((_, program), times) in empties.iter().zip(&mut theirs) {
                times.push(time_first_line(Command::new(program))?);
            }
        }
        let ours = median(&mut ours);
        row("filewright", &micros(ours));
        for ((name, _), times) in empties.iter().zip(&mut theirs) {
            let empty = median(times);
            row(
                name,
                &format!("{}   ratio {}", micros(empty), ratio(ours, empty)),
            );
        }
        Ok(())
    }

    fn idle_memory(&self) -> Result<()> {
        heading("idle memory, after initialize");
        let session = Session::open(self)?;
        thread::sleep(Duration::from_millis(200));
        row("resident (VmRSS)", &session.memory("VmRSS"));
        session.close()
    }

    fn pipelined_calls(&self) -> Result<()> {
        heading(&format!(
            "{PIPELINED} pipelined calls of read_file on {} bytes",
            SMALL.len()
        ));
        let mut session = Session::open(self)?;
        let requests: Vec<u8> = (0..PIPELINED)
            .flat_map(|id| call(id, "read_file", "small.txt").into_bytes())
            .collect();
        let mut rates = Vec::new();
        let mut peaks = Vec::new();
        for _ in 0..=MORE_ROUNDS {
            let begun = Instant::now();
            let answers = session.exchange(&requests, PIPELINED)?;
            rates.push(PIPELINED as f64 / begun.elapsed().as_secs_f64());
            peaks.push(session.memory("VmHWM"));
            answered_once(&answers)?;
        }
        row("first round", &format!("{:.0} calls/s", rates[0]));
        rates.sort_by(f64::total_cmp);
        row(
            "median of all rounds",
            &format!("{:.0} calls/s", rates[rates.len() / 2]),
        );
        row("lost, doubled, failed", "0");
        row("peak memory, round 1", &peaks[0]);
        row(&format!("after {MORE_ROUNDS} more"), &peaks[MORE_ROUNDS]);
        session.close()
    }

    fn sequential_calls(&self) -> Result<()> {
        heading(&format!(
            "{SEQUENTIAL} calls one after the other, against a pipe through cat"
        ));
        let mut session = Session::open(self)?;
        let request = call(1, "read_file", "small.txt");
        let mut ours = Vec::new();
        let mut echo = Echo::open().ok();
        let mut theirs = Vec::new();
        for round in 0..SEQUENTIAL + 100 {
            let begun = Instant::now();
            session.ask(&request)?;
            let took = begun.elapsed();
            let echoed = echo
                .as_mut()
                .map(|it| it.round_trip(&request))
                .transpose()?;
            if round >= 100 {
                ours.push(took);
                theirs.extend(echoed);
            }
        }
        let (ours, slow) = (median(&mut ours), percentile_99(&mut ours));
        row(
            "filewright",
            &format!("median {}   p99 {}", micros(ours), micros(slow)),
        );
        if theirs.is_empty() {
            skipped("cat is not here");
        } else {
            let (cat, slow) = (median(&mut theirs), percentile_99(&mut theirs));
            let figures = format!("median {}   p99 {}", micros(cat), micros(slow));
            row("cat", &format!("{figures}   ratio {}", ratio(ours, cat)));
        }
        session.close()
    }

    fn whole_reads(&self) -> Result<()> {
        heading("processor time of one read_file call that returns 64 KiB");
        fs::write(self.root.join("ascii.txt"), filled(&ENGLISH, 65_536))?;
        fs::write(self.root.join("chinese.txt"), filled(&CHINESE, 65_535))?;
        for name in ["ascii.txt", "chinese.txt"] {
            let mut session = Session::open(self)?;
            let request = call(1, "read_file", name);
            session.ask(&request)?;
            let before = cpu_of_threads(session.child.id());
            let mut bytes = 0;
            for _ in 0..WHOLE_READS {
                bytes = session.ask(&request)?.len();
            }
            let spent = cpu_of_threads(session.child.id()).zip(before);
            match spent.map(|(after, before)| (after - before) / WHOLE_READS) {
                Some(each) => row(
                    name,
                    &format!("{} for an answer of {bytes} bytes", micros(each)),
                ),
                None => skipped("no /proc/PID/task/*/schedstat on this system"),
            }
            session.close()?;
        }
        Ok(())
    }

    fn counting(&self) -> Result<()> {
        heading("wordcount of 250 MB, processor time, against wc in the same run");
        let english = self.root.join("english-250.txt");
        fs::write(&english, filled(&ENGLISH, COUNTED_BYTES))?;
        self.count_one("English", &english)?;
        fs::remove_file(&english)?;
        let chinese = self.root.join("chinese-250.txt");
        fs::write(&chinese, filled(&CHINESE, COUNTED_BYTES))?;
        self.count_one("Chinese", &chinese)
    }

    fn count_one(&self, what: &str, file: &Path) -> Result<()> {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let request = call(1, "wordcount", &name);
        let mut session = Session::open(self)?;
        let mut ours = Vec::new();
        for _ in 0..3 {
            let before = cpu_of_threads(session.child.id());
            let answer: Value = serde_json::from_str(&session.ask(&request)?)?;
            let counted = &answer["result"]["structuredContent"]["bytes"];
            if *counted != json!(fs::metadata(file)?.len()) {
                return Err(format!("wordcount did not count the whole file: {answer}").into());
            }
            let after = cpu_of_threads(session.child.id());
            ours.extend(after.zip(before).map(|(after, before)| after - before));
        }
        session.close()?;
        if ours.is_empty() {
            skipped("no /proc/PID/task/*/schedstat on this system");
            return Ok(());
        }
        let ours = median(&mut ours);
        row(&format!("{what}: filewright"), &millis(ours));
        for flags in ["-lwm", "-l"] {
            let mut times: Vec<Duration> = (0..3).filter_map(|_| cpu_of_wc(flags, file)).collect();
            if times.is_empty() {
                skipped("wc is not here, or this system does not say what it cost");
                continue;
            }
            let wc = median(&mut times);
            let figures = format!("{}   ratio {}", millis(wc), ratio(ours, wc));
            row(&format!("{what}: wc {flags}"), &figures);
        }
        Ok(())
    }
}

/// A running server that has answered `initialize`.
struct Session {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Session {
    fn open(bench: &Bench) -> Result<Session> {
        let mut child = Command::new(&bench.binary)
            .arg(&bench.root)
            .env_remove("FILEWRIGHT_BENCH_BIN")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take().ok_or("no stdin")?;
        let stdout = BufReader::new(child.stdout.take().ok_or("no stdout")?);
        let mut session = Session {
            child,
            stdin,
            stdout,
        };
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        });
        session.ask(&request(json!(0), "initialize", &params))?;
        Ok(session)
    }

    /// Send one line, wait for one line.
    fn ask(&mut self, line: &str) -> Result<String> {
        self.stdin.write_all(line.as_bytes())?;
        let mut answer = String::new();
        self.stdout.read_line(&mut answer)?;
        if answer.contains(r#""result":"#) {
            Ok(answer)
        } else {
            Err(format!("unexpected answer to {line}{answer}").into())
        }
    }

    /// Send everything from a thread of its own, and read until `lines` answers are there.
    fn exchange(&mut self, requests: &[u8], lines: usize) -> Result<Vec<u8>> {
        let Session { stdin, stdout, .. } = self;
        thread::scope(|scope| {
            let writer = scope.spawn(move || stdin.write_all(requests));
            let mut answers = Vec::with_capacity(lines * 120);
            let mut seen = 0;
            while seen < lines {
                let chunk = stdout.fill_buf()?;
                if chunk.is_empty() {
                    return Err(format!("the server ended after {seen} answers").into());
                }
                seen += chunk.iter().filter(|it| **it == b'\n').count();
                answers.extend_from_slice(chunk);
                let used = chunk.len();
                stdout.consume(used);
            }
            writer.join().map_err(|_| "the writer panicked")??;
            Ok(answers)
        })
    }

    /// One line of /proc/PID/status.
    fn memory(&self, field: &str) -> String {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        status
            .ok()
            .and_then(|it| {
                let line = it.lines().find(|line| line.starts_with(field))?;
                Some(line.split_once(':')?.1.trim().to_owned())
            })
            .unwrap_or_else(|| "not measured: no /proc/PID/status here".to_owned())
    }

    fn close(mut self) -> Result<()> {
        drop(self.stdin);
        io::copy(&mut self.stdout, &mut io::sink())?;
        let status = self.child.wait()?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("the server ended with {status}").into())
        }
    }
}

/// `cat` between two pipes: what a round trip costs with no server in it.
struct Echo {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Echo {
    fn open() -> Result<Echo> {
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

    fn round_trip(&mut self, line: &str) -> Result<Duration> {
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

/// A directory of this run's own, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Scratch> {
        let name = format!("bench-{}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path)?;
        Ok(Scratch(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A directory that stays is in the target directory, where it harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn request(id: Value, method: &str, params: &Value) -> String {
    let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    format!("{message}\n")
}

fn call(id: usize, tool: &str, path: &str) -> String {
    let params = json!({"name": tool, "arguments": {"path": path}});
    request(json!(id), "tools/call", &params)
}

fn answered_once(answers: &[u8]) -> Result<()> {
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

/// Programs that print one line and end: linked as usual, and linked statically.
fn empty_programs(scratch: &Path) -> Vec<(&'static str, PathBuf)> {
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

fn time_first_line(mut command: Command) -> Result<Duration> {
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

/// Processor time of a running process: the sum over its threads, in nanoseconds.
fn cpu_of_threads(process: u32) -> Option<Duration> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).ok()?;
    threads
        .map(|it| first_nanoseconds(&it.ok()?.path().join("schedstat")))
        .sum()
}

fn first_nanoseconds(schedstat: &Path) -> Option<Duration> {
    let text = fs::read_to_string(schedstat).ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

/// Processor time of `wc`, read between its end and the wait that would forget it.
fn cpu_of_wc(flags: &str, file: &Path) -> Option<Duration> {
    let mut child = Command::new("wc")
        .arg(flags)
        .arg(file)
        .env("LC_ALL", "C.UTF-8")
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut said = String::new();
    child.stdout.take()?.read_to_string(&mut said).ok()?;
    let process = PathBuf::from(format!("/proc/{}", child.id()));
    let zombie = |stat: &String| stat.contains(") Z ");
    let ended = (0..1000).any(|_| {
        thread::sleep(Duration::from_millis(1));
        fs::read_to_string(process.join("stat"))
            .as_ref()
            .is_ok_and(zombie)
    });
    let spent = first_nanoseconds(&process.join("schedstat"));
    child.wait().ok()?;
    spent.filter(|_| ended)
}

/// Exactly `size` bytes of these words in an order that only looks random, ending in a line end.
fn filled(words: &[&str], size: usize) -> Vec<u8> {
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

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn percentile_99(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() * 99 / 100]
}

fn micros(time: Duration) -> String {
    format!("{:>8.1} us", time.as_secs_f64() * 1e6)
}

fn millis(time: Duration) -> String {
    format!("{:>8.1} ms", time.as_secs_f64() * 1e3)
}

fn ratio(ours: Duration, theirs: Duration) -> String {
    format!("{:.2}", ours.as_secs_f64() / theirs.as_secs_f64())
}

fn heading(text: &str) {
    println!("\n{text}");
}

fn row(name: &str, figures: &str) {
    println!("  {name:<24} {figures}");
}

fn skipped(why: &str) {
    println!("  SKIPPED: {why}");
}
