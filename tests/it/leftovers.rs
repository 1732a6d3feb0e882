//! No server that `filewright check` has started outlives it, whatever becomes of either.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::check::misbehaving;
use crate::client::LIMIT;
use crate::launch::{Launch, read_lines};

/// The misbehaving server under a path of its own, by which its processes are found.
struct Place {
    _directory: TempDir,
    server: PathBuf,
}

impl Place {
    fn new() -> Place {
        let directory = TempDir::new().unwrap();
        let server = directory.path().join("server");
        fs::copy(misbehaving(), &server).unwrap();
        Place {
            _directory: directory,
            server,
        }
    }

    fn arguments<'a>(&'a self, options: &[&'a str], mode: &'a str) -> Vec<&'a str> {
        let server = self.server.to_str().unwrap();
        [&["check"], options, &["--", server, mode]].concat()
    }

    fn assert_nothing_runs(&self, what: &str) {
        // What is killed is gone a moment later.
        let deadline = Instant::now() + LIMIT;
        let mut left = running(&self.server);
        while !left.is_empty() && Instant::now() < deadline {
            thread::yield_now();
            left = running(&self.server);
        }
        assert!(left.is_empty(), "{what}: {left:?} still run");
    }
}

/// The processes of this program; one that has ended and is not waited for does not run.
fn running(program: &Path) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let is_it = |process: &fs::DirEntry| {
        fs::read_link(process.path().join("exe")).is_ok_and(|it| it == program)
    };
    let names = processes.filter(is_it).map(|it| it.file_name());
    names.map(|it| it.to_string_lossy().into_owned()).collect()
}

#[test]
fn whatever_a_server_does_nothing_of_it_is_left() {
    for mode in ["leaves-orphan", "ignores-eof", "silent", "floods-stderr"] {
        let place = Place::new();
        let arguments = place.arguments(&["--timeout", "1"], mode);
        Launch::new(arguments).patient().output();
        place.assert_nothing_runs(mode);
    }
}

#[test]
fn who_interrupts_check_ends_its_servers_too() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        for options in [&["--timeout", "60"][..], &["--watch"]] {
            let place = Place::new();
            let mut child = Launch::new(place.arguments(options, "ignores-eof")).spawn();
            let lines = read_lines(child.stdout.take().unwrap());
            let runs = |line: &[u8]| String::from_utf8_lossy(line).contains("process ");
            while !runs(&lines.recv_timeout(LIMIT).unwrap()) {}
            kill_process(Pid::from_child(&child), signal).unwrap();
            let status = child.wait().unwrap();
            assert_eq!(status.code(), Some(130), "{signal:?} {options:?}");
            place.assert_nothing_runs(&format!("{signal:?} {options:?}"));
        }
    }
}

#[test]
fn a_flood_is_told_and_costs_no_memory() {
    let arguments = ["check", "--timeout", "3", "--json", "--", "yes"];
    let mut child = Launch::new(arguments).spawn();
    let lines = read_lines(child.stdout.take().unwrap());
    let status = format!("/proc/{}/status", child.id());
    let mut last = String::new();
    // Each line is one check; what the process had before the last one is the most it had.
    while let Ok(line) = lines.recv_timeout(LIMIT * 3) {
        last = String::from_utf8(line).unwrap();
        let memory = fs::read_to_string(&status).unwrap_or_default();
        let peak = memory.lines().find_map(|it| it.strip_prefix("VmHWM:"));
        let peak = peak.map_or(0, |it| it.trim().trim_end_matches(" kB").parse().unwrap());
        assert!(peak < 64 * 1024, "{peak} KB: {last}");
    }
    assert!(
        last.contains("first-reply") && last.contains("on stdout instead: y"),
        "{last}"
    );
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn who_gives_back_what_was_sent_is_no_server() {
    let output = Launch::new(["check", "--timeout", "1", "--", "cat"])
        .patient()
        .output();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("our own request for initialize, given back"),
        "{text}"
    );
    assert!(
        text.contains("the first layer that fails is start"),
        "{text}"
    );
}
