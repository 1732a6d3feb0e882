//! `filewright check --watch`: a server is kept running, and what happens to it is told.

use std::process::Child;
use std::sync::mpsc::Receiver;

use crate::check::misbehaving;
use crate::client::LIMIT;
use crate::launch::{Launch, read_lines};

/// A watch over a server that misbehaves, ended when it is dropped.
struct Watch {
    child: Child,
    lines: Receiver<Vec<u8>>,
}

impl Watch {
    fn over(mode: &str, every: &str) -> Watch {
        let server = misbehaving();
        let server = server.to_str().unwrap();
        Watch::start(&["--every", every, "--", server, mode])
    }

    fn start(arguments: &[&str]) -> Watch {
        let mut child = Launch::new([&["check", "--watch"], arguments].concat()).spawn();
        let lines = read_lines(child.stdout.take().unwrap());
        Watch { child, lines }
    }

    /// Reads on to a line with this in it, and past none of these.
    #[track_caller]
    fn expect(&mut self, wanted: &str, before: &[&str]) -> String {
        let mut seen = Vec::new();
        loop {
            let line = self.lines.recv_timeout(LIMIT * 3);
            let line = line.unwrap_or_else(|_| panic!("no {wanted:?} in {seen:#?}"));
            let line = String::from_utf8(line).unwrap();
            if line.contains(wanted) {
                return line;
            }
            let unwanted = before.iter().find(|it| line.contains(**it));
            assert_eq!(unwanted, None, "before {wanted:?}: {line}");
            seen.push(line);
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn a_server_that_dies_is_started_again_with_a_fresh_session() {
    let mut watch = Watch::over("exits-at-initialize", "0.1");
    watch.expect("started, process ", &[]);
    let died = watch.expect("no session: ", &[]);
    assert!(died.contains("exit code 3"), "{died}");
    assert!(died.contains("Cannot find module 'left-pad'"), "{died}");
    // Each pause is twice the one before.
    watch.expect("starting again in 0.5 s", &[]);
    watch.expect("starting again in 1 s", &["again in 0.5"]);
}

#[test]
fn tools_that_change_are_told_and_so_is_the_list_after_a_new_start() {
    let mut watch = Watch::over("changes-tools", "0.1");
    let ready = watch.expect("ready after ", &[]);
    assert!(ready.contains("misbehaving 1.0.0, revision "), "{ready}");
    assert!(ready.ends_with(", 1 tool\n"), "{ready}");
    watch.expect("the tools are others: added more", &["ended"]);
    watch.expect("the server ended: exit code 0", &["no answer"]);
    watch.expect("started, process ", &[]);
    watch.expect("the tools are others: removed more", &["ended"]);
}

#[test]
fn a_server_that_hangs_is_killed_after_three_heartbeats_without_an_answer() {
    let mut watch = Watch::over("hangs-after-sixty", "0.2");
    watch.expect("alive: 1 heartbeat", &["no answer"]);
    watch.expect("no answer to 3 heartbeats", &["killed"]);
    watch.expect("it hangs, and is killed", &["started"]);
    watch.expect("ready after ", &[]);
}

#[test]
fn a_command_that_is_not_there_is_looked_for_again() {
    let mut watch = Watch::start(&["--", "no-such-command-of-ours"]);
    watch.expect("cannot start: command not found", &[]);
    watch.expect("cannot start: command not found", &["started"]);
}
