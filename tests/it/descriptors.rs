//! What only a system with descriptors can show: sockets for pipes, non-blocking pipes, signals.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::os::unix::process::ExitStatusExt;

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, LIMIT};
use crate::launch::Launch;
use crate::shapes::Revision;
use crate::slow;

/// A directory with a small file and one of 64 KiB.
fn directory() -> TempDir {
    let directory = TempDir::new().unwrap();
    let text = format!("{}\n", "0123456".repeat(9)).repeat(1024);
    fs::write(directory.path().join("big.txt"), text).unwrap();
    fs::write(directory.path().join("a.txt"), "a\n").unwrap();
    directory
}

/// A datagram socket keeps writes apart, so each answer has to be one write: JSON and line feed together.
#[test]
fn every_line_is_written_whole_in_one_write() {
    let directory = directory();
    let (ours, theirs) = UnixDatagram::pair().unwrap();
    ours.set_read_timeout(Some(LIMIT)).unwrap();
    let mut client = Launch::new([directory.path()])
        .with(|it| it.stdout(OwnedFd::from(theirs)))
        .start();
    for id in 1..=20 {
        let file = if id % 2 == 0 { "big.txt" } else { "a.txt" };
        client.post_call("read_file", json!({"path": file}));
        let mut packet = vec![0; 1 << 20];
        let size = ours.recv(&mut packet).expect("an answer comes");
        let line = packet[..size].strip_suffix(b"\n");
        let line = line.expect("the line feed is in the same write");
        let answer: Value = serde_json::from_slice(line).expect("and all of the JSON");
        assert_eq!(answer["id"], id);
    }
    let ending = client.finish();
    assert!(ending.status.success(), "{}", ending.stderr);
}

#[test]
fn a_socket_pair_serves_as_well_as_two_pipes() {
    let directory = directory();
    let (ours, theirs) = UnixStream::pair().unwrap();
    let also_theirs = theirs.try_clone().unwrap();
    let mut client = Launch::new([directory.path()])
        .with(|it| {
            it.stdin(OwnedFd::from(theirs))
                .stdout(OwnedFd::from(also_theirs))
        })
        .start();
    client.read_from(ours.try_clone().unwrap());
    client.write_to(ours.try_clone().unwrap());
    client.speak(Revision::June2025);
    for _ in 0..20 {
        let answer = client.call("read_file", json!({"path": "big.txt"}));
        assert_eq!(answer.text().len(), 65_536);
    }
    ours.shutdown(std::net::Shutdown::Write).unwrap();
    let ending = client.finish();
    assert!(ending.status.success(), "{}", ending.stderr);
}

/// Some hosts hand over pipes in non-blocking mode.
#[test]
fn pipes_that_would_block_are_waited_for() {
    let directory = directory();
    let (their_input, our_end) = std::io::pipe().unwrap();
    let (our_other_end, their_output) = std::io::pipe().unwrap();
    fcntl_setfl(&their_input, OFlags::NONBLOCK).unwrap();
    fcntl_setfl(&their_output, OFlags::NONBLOCK).unwrap();
    let mut client = Launch::new([directory.path()])
        .with(|it| it.stdin(their_input).stdout(their_output))
        .start();
    client.write_to(our_end);
    let ids: Vec<u64> = (0..40)
        .map(|_| {
            client.flush();
            client.post_call("read_file", json!({"path": "big.txt"}))
        })
        .collect();
    client.flush();
    client.read_from(our_other_end);
    for id in ids {
        assert!(client.answer(id)["result"].is_object());
    }
}

// B03
#[test]
fn a_signal_ends_the_program_at_once_idle_or_busy() {
    let slow = slow::directory();
    for (signal, calls) in [
        (Signal::TERM, 0),
        (Signal::INT, 0),
        (Signal::HUP, 0),
        (Signal::TERM, 40),
    ] {
        let mut client = Client::speaking(Revision::June2025, slow.path());
        for _ in 0..calls {
            client.post("tools/call", slow::call(None));
        }
        client.assert_silent();
        let pid = Pid::from_raw(i32::try_from(client.pid()).unwrap()).unwrap();
        let is_ignored = is_ignored(pid, signal);
        kill_process(pid, signal).unwrap();
        if is_ignored {
            // The tests run under nohup or in the background of a script: it is to stay ignored.
            client.assert_silent();
            continue;
        }
        let ending = client.ended();
        assert_eq!(ending.status.signal(), Some(signal.as_raw()));
        assert!(ending.lines.is_empty() && ending.stderr.is_empty());
    }
}

/// Whether whoever started the tests has a signal ignored, which programs inherit.
fn is_ignored(process: Pid, signal: Signal) -> bool {
    let status = format!("/proc/{}/status", process.as_raw_nonzero());
    let status = fs::read_to_string(status).unwrap_or_default();
    let ignored = status.lines().find_map(|it| it.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
    ignored.is_some_and(|it| it >> (signal.as_raw() - 1) & 1 == 1)
}

/// A full disk under a redirected stdout is the end, without a word and without a panic.
#[cfg(target_os = "linux")]
#[test]
fn a_stdout_that_takes_nothing_ends_the_program_in_silence() {
    let directory = directory();
    let full = || {
        fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    let mut client = Launch::new([directory.path()])
        .with(|it| it.stdout(full()))
        .start();
    client.post("ping", json!({}));
    let ending = client.ended();
    assert!(ending.status.code().is_some_and(|it| it != 101));
    assert_eq!(ending.stderr, "");
    let root = directory.path().to_str().unwrap();
    let output = Launch::new(["call", "read_file", "path=a.txt", "--root", root])
        .with(|it| it.stdout(full()))
        .output();
    assert_eq!(output.status.code(), Some(1));
}
