//! What the benchmarks share: processor time and memory of processes, a session, a place for files.
#![allow(dead_code, reason = "each benchmark uses a part")]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

pub(crate) mod session;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What this thread has cost so far.
const OWN: &str = "/proc/thread-self/schedstat";

/// Processor time of this thread while it does something.
pub(crate) fn own_cost(act: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let before = scheduled(Path::new(OWN))?;
    act()?;
    Ok(scheduled(Path::new(OWN))?.saturating_sub(before))
}

/// The processor time of a process of one thread that must succeed.
pub(crate) fn cost(command: &mut Command) -> Result<Duration> {
    let null = || Stdio::null();
    let mut child = command.stdout(null()).stderr(null()).spawn()?;
    let (spent, status) = cost_until_end(&mut child)?;
    if !status.success() {
        return Err(format!("{command:?} ended with {status}").into());
    }
    Ok(spent)
}

/// Waits for the end of a process, and reads what it has cost before the wait that would forget it.
pub(crate) fn cost_until_end(child: &mut Child) -> Result<(Duration, ExitStatus)> {
    let process = PathBuf::from(format!("/proc/{}", child.id()));
    while !fs::read_to_string(process.join("stat"))?.contains(") Z ") {
        thread::sleep(Duration::from_millis(1));
    }
    let spent = scheduled(&process.join("schedstat"))?;
    Ok((spent, child.wait()?))
}

/// Processor time of a running process: the sum over its threads.
pub(crate) fn cost_of_threads(process: u32) -> Result<Duration> {
    let threads = fs::read_dir(format!("/proc/{process}/task"))?;
    threads
        .map(|it| scheduled(&it?.path().join("schedstat")))
        .sum()
}

/// The nanoseconds on a processor that a schedstat file tells.
fn scheduled(schedstat: &Path) -> Result<Duration> {
    let text = fs::read_to_string(schedstat)?;
    let first = text.split_whitespace().next();
    let nanoseconds = first.ok_or("nothing in schedstat")?.parse()?;
    Ok(Duration::from_nanos(nanoseconds))
}

/// The most memory that a process has had, in KB.
pub(crate) fn peak(process: u32) -> Result<u64> {
    kilobytes(process, "VmHWM")
}

/// A size in KB that `/proc/PID/status` tells.
pub(crate) fn kilobytes(process: u32, field: &str) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|it| it.strip_prefix(field));
    let line = line.ok_or_else(|| format!("no {field} of {process}"))?;
    let kilobytes = line.trim_start_matches(':').trim().trim_end_matches(" kB");
    Ok(kilobytes.parse()?)
}

/// The one in the middle; zero for none at all.
pub(crate) fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// A directory of this run's own, removed at its end.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new() -> Result<Scratch> {
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
