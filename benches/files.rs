//! What reaching files costs: a sandboxed open, a page of a huge directory, a deep recursion.
//!
//! `cargo bench --bench files`. Processor time only, medians of interleaved rounds, as ratios to
//! named peers in the same run. Files are made in a temporary directory and removed.

#![allow(clippy::print_stdout, reason = "the figures are the output")]
#![allow(
    dead_code,
    unused_imports,
    reason = "the program's own modules, of which this uses a part"
)]

mod common;
#[path = "../src/fs/mod.rs"]
mod fs;
#[path = "../src/words.rs"]
mod words;

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use common::session::Session;
use common::*;

const PROGRAM: &str = env!("CARGO_BIN_EXE_filewright");
const OPENS: u32 = 100_000;
const ROUNDS: usize = 5;
const REPEATED: u32 = 10;
const FLAT: usize = 100_000;
const NESTED: [usize; 3] = [60, 50, 99];

fn main() -> Result<()> {
    let place = tempfile::tempdir()?;
    let flat = place.path().join("flat");
    let nested = place.path().join("nested");
    let deep = place.path().join("a/b/c/d/e");
    std::fs::create_dir_all(&flat)?;
    std::fs::create_dir_all(&deep)?;
    File::create(deep.join("file.txt"))?.write_all(b"text\n")?;
    for number in 0..FLAT {
        File::create(flat.join(format!("file_{number:06}.txt")))?;
    }
    for outer in 0..NESTED[0] {
        for inner in 0..NESTED[1] {
            let directory = nested.join(format!("d{outer:02}/e{inner:02}"));
            std::fs::create_dir_all(&directory)?;
            for number in 0..NESTED[2] {
                File::create(directory.join(format!("f{number:02}.txt")))?;
            }
        }
    }
    opens(place.path())?;
    let page = ["call", "list_dir", "limit=1000", "details=true", "--root"];
    against(
        "a page of 1,000 of 100,000 entries, with sizes",
        &page,
        &flat,
        &["ls", "-l"],
        0.2,
    )?;
    let all = ["call", "list_dir", "depth=9", "--root"];
    against(
        "a recursion over 300,060 entries",
        &all,
        &nested,
        &["find"],
        1.1,
    )?;
    memory(&flat)
}

/// A file six components deep, opened through the resolver and plainly.
fn opens(root: &Path) -> Result<()> {
    let roots = fs::Roots::open(vec![root.to_owned()], None, fs::Deny::default());
    roots.wait(Duration::from_secs(5));
    let stop = fs::Stop::at(Instant::now() + Duration::from_secs(600));
    let watch = fs::Watch::new(&stop, None);
    let path = root.join("a/b/c/d/e/file.txt");
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(own_cost(|| {
            for _ in 0..OPENS {
                let opened = roots.open_file("a/b/c/d/e/file.txt", &watch);
                std::hint::black_box(opened.is_ok());
            }
            Ok(())
        })?);
        plain.push(own_cost(|| {
            for _ in 0..OPENS {
                let opened = File::open(&path).and_then(|it| it.metadata());
                std::hint::black_box(opened.is_ok());
            }
            Ok(())
        })?);
    }
    let per_open = |times: &mut Vec<Duration>| median(times).as_secs_f64() * 1e6 / f64::from(OPENS);
    let (ours, plain) = (per_open(&mut ours), per_open(&mut plain));
    println!("a sandboxed open, six components deep");
    println!(
        "  filewright {ours:.2} us, File::open and metadata {plain:.2} us, ratio {:.2} (wanted: at most 1.2)\n",
        ours / plain
    );
    Ok(())
}

/// Processor time of the program and of a peer on the same directory.
fn against(what: &str, arguments: &[&str], on: &Path, peer: &[&str], wanted: f64) -> Result<()> {
    println!("{what}");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(child_time(Command::new(PROGRAM).args(arguments).arg(on))?);
        match child_time(Command::new(peer[0]).args(&peer[1..]).arg(on)) {
            Ok(time) => theirs.push(time),
            Err(error) => {
                println!("  SKIPPED: {}: {error}\n", peer[0]);
                return Ok(());
            }
        }
    }
    let (ours, theirs) = (median(&mut ours), median(&mut theirs));
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    let name = peer.join(" ");
    println!(
        "  filewright {ours:.1?}, {name} {theirs:.1?}, ratio {ratio:.2} (wanted: at most {wanted})\n"
    );
    Ok(())
}

/// The most memory that a page of a huge directory takes, above an idle server.
fn memory(directory: &Path) -> Result<()> {
    let mut session = Session::open(Path::new(PROGRAM), directory)?;
    let idle = peak(session.id())?;
    session.call("list_dir", &json!({"limit": 1000}))?;
    let listed = peak(session.id())?;
    println!("memory of that page");
    println!(
        "  {} KB above idle (wanted: at most 32768)",
        listed.saturating_sub(idle)
    );
    Ok(())
}

/// Processor time of a child, all of its threads, from start to end. The kernel counts in ticks of
/// 10 ms, so it runs many times.
fn child_time(command: &mut Command) -> Result<Duration> {
    let before = children()?;
    for _ in 1..REPEATED {
        command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
    }
    let status = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    if !status.success() {
        return Err(format!("{command:?} ended with {status}").into());
    }
    Ok(children()?.saturating_sub(before) / REPEATED)
}

/// Processor time of all children that have ended, by the kernel's own clock ticks.
fn children() -> Result<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    let fields = text.rsplit(") ").next().ok_or("no fields")?;
    let mut fields = fields.split_whitespace().skip(13).map(str::parse::<u64>);
    let (user, system) = (
        fields.next().ok_or("no cutime")??,
        fields.next().ok_or("no cstime")??,
    );
    Ok(Duration::from_millis((user + system) * 10))
}
