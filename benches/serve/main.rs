//! What the server costs: start, memory, throughput, latency, processor time. Counting and reaching
//! files have benchmarks of their own, `count` and `files`.
//!
//! `cargo bench` measures the program it has just built; `cargo bench -- PATH` or
//! `FILEWRIGHT_BENCH_BIN=PATH cargo bench` measures another one, such as the static release.
//! Every figure stands beside one that needs no server (an empty program, `cat`), taken
//! in the same run: carry the ratios to another machine, not the times.
#![allow(
    clippy::print_stdout,
    reason = "a benchmark is there to print its figures"
)]

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

#[path = "../common/mod.rs"]
mod common;
mod peers;

use common::session::{Session, request};
use common::{Result, Scratch, cost_of_threads, kilobytes, median};
use peers::*;

const STARTS: usize = 50;
const PIPELINED: usize = 20_000;
const MORE_ROUNDS: usize = 10;
const SEQUENTIAL: usize = 1_000;
const WHOLE_READS: u32 = 500;
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
    bench.whole_reads()
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
            let session = Session::open(&self.binary, &self.root)?;
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
        let session = Session::open(&self.binary, &self.root)?;
        thread::sleep(Duration::from_millis(200));
        row("resident (VmRSS)", &memory(session.id(), "VmRSS"));
        session.close()
    }

    fn pipelined_calls(&self) -> Result<()> {
        heading(&format!(
            "{PIPELINED} pipelined calls of read_file on {} bytes",
            SMALL.len()
        ));
        let mut session = Session::open(&self.binary, &self.root)?;
        let requests: Vec<u8> = (0..PIPELINED)
            .flat_map(|id| call(id, "read_file", "small.txt").into_bytes())
            .collect();
        let mut rates = Vec::new();
        let mut peaks = Vec::new();
        for _ in 0..=MORE_ROUNDS {
            let begun = Instant::now();
            let answers = session.exchange(&requests, PIPELINED)?;
            rates.push(PIPELINED as f64 / begun.elapsed().as_secs_f64());
            peaks.push(memory(session.id(), "VmHWM"));
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
        let mut session = Session::open(&self.binary, &self.root)?;
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
            let mut session = Session::open(&self.binary, &self.root)?;
            let request = call(1, "read_file", name);
            session.ask(&request)?;
            let Ok(before) = cost_of_threads(session.id()) else {
                skipped("no /proc/PID/task/*/schedstat on this system");
                return Ok(());
            };
            let mut bytes = 0;
            for _ in 0..WHOLE_READS {
                bytes = session.ask(&request)?.len();
            }
            let spent = cost_of_threads(session.id())?.saturating_sub(before);
            let each = micros(spent / WHOLE_READS);
            row(name, &format!("{each} for an answer of {bytes} bytes"));
            session.close()?;
        }
        Ok(())
    }
}
