//! What the benchmarks share: processor time and memory of processes, a session, a place for files.
#![allow(dead_code, reason = "each benchmark uses a part")]

use std::error::Error;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

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

/// The most memory that a process has had, in KB (VmHWM).
pub(crate) fn peak(process: u32) -> Result<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"));
    let kilobytes = line.ok_or("no VmHWM")?.trim().trim_end_matches(" kB");
    Ok(kilobytes.parse()?)
}

/// The one in the middle; zero for none at all.
pub(crate) fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// A running server that has answered `initialize`.
pub(crate) struct Session {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    asked: u64,
}

impl Session {
    pub(crate) fn open(program: &Path, root: &Path) -> Result<Session> {
        let mut child = Command::new(program)
            .arg(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take().ok_or("no stdin")?;
        let stdout = BufReader::new(child.stdout.take().ok_or("no stdout")?);
        let mut session = Session {
            child,
            stdin,
            stdout,
            asked: 0,
        };
        session.ask("initialize", &json!({"protocolVersion": "2025-11-25"}))?;
        Ok(session)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The text of a tool's result, which must be no error.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<String> {
        let params = json!({"name": tool, "arguments": arguments});
        let result = self.ask("tools/call", &params)?;
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        if result["isError"] == true {
            return Err(format!("{tool} {arguments}: {text}").into());
        }
        Ok(text.to_owned())
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.asked += 1;
        let request =
            json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params});
        writeln!(self.stdin, "{request}")?;
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        let mut answer: Value = serde_json::from_str(&line)?;
        match answer["result"].take() {
            Value::Null => Err(format!("unexpected answer {answer} to {request}").into()),
            result => Ok(result),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // A server that has answered has nothing left to lose.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
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
