//! Calls whose time is up, and a file system that never answers: the call ends, the others go on.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde_json::json;
use tempfile::TempDir;

use crate::client::Answer;
use crate::launch::{Launch, program};

/// Enough for a busy machine to answer what is quick, in seconds.
const CALL_TIMEOUT: &str = "call_timeout = 1.0\n";

/// A directory to serve, with a file that is quick to read, and a configuration beside it.
struct Place {
    home: TempDir,
}

impl Place {
    fn new() -> Self {
        let home = TempDir::new().unwrap();
        fs::create_dir_all(home.path().join("root/dead")).unwrap();
        fs::write(home.path().join("root/quick.txt"), "quick\n").unwrap();
        fs::write(home.path().join("c.toml"), CALL_TIMEOUT).unwrap();
        Self { home }
    }

    fn root(&self) -> PathBuf {
        self.home.path().join("root")
    }

    fn launch(&self) -> Launch {
        let config = self.home.path().join("c.toml");
        Launch::new([self.root()]).with(|it| it.arg("--config").arg(config))
    }

    /// The program in a mount namespace of its own, where `dead` is a file system in user space that
    /// nobody serves. Nothing where the system does not let this user mount one.
    fn launch_with_dead_mount(&self) -> Option<Launch> {
        let mount = |then: &str| {
            let script = format!(
                "exec 9<>/dev/fuse && mount -i -t fuse -o \
                 fd=9,rootmode=40000,user_id=0,group_id=0 dead \"$1/dead\" && {then}"
            );
            Launch::of("unshare", ["-rm", "sh", "-c", &script, "sh"]).with(|it| it.arg(self.root()))
        };
        if !Path::new("/dev/fuse").exists() || !mount("true").output().status.success() {
            return None;
        }
        let launch = mount("exec \"$2\" \"$1\" --config \"$3\"");
        let config = self.home.path().join("c.toml");
        Some(launch.with(|it| it.arg(program()).arg(config)))
    }
}

// B35
#[test]
fn calls_whose_time_is_up_say_so_and_the_others_go_on() {
    let place = Place::new();
    // One line without end: no machine gets through it in time.
    let endless = File::create(place.root().join("endless.txt")).unwrap();
    endless.set_len(1 << 40).unwrap();
    let mut client = place.launch().start();
    let arguments = json!({"path": "endless.txt", "start": 2, "encoding": "utf-8"});
    let slow = client.post_call("read_lines", arguments);
    let arguments = json!({"path": "endless.txt", "encoding": "utf-8"});
    let partial = client.post_call("wordcount", arguments);
    let quick = client.post_call("read_file", json!({"path": "quick.txt"}));
    let first = client.receive();
    assert_eq!(first["id"], quick, "the quick one does not wait: {first}");
    assert_eq!(Answer(first).text(), "quick\n");
    let fault = Answer(client.answer(slow));
    assert!(fault.fault().contains("out of time"), "{}", fault.fault());
    assert!(fault.fault().contains("endless.txt"), "{}", fault.fault());
    let count = Answer(client.answer(partial)).json();
    assert_eq!(count["partial"], true, "{count}");
    client.assert_silent();
}

// B72, as far as this system lets a user mount; `src/server/tests.rs` has it for every system.
#[test]
fn a_file_system_that_does_not_answer_costs_only_the_calls_that_ask_it() {
    /// More than the threads that the program starts with.
    const STUCK: usize = 20;
    let place = Place::new();
    let Some(launch) = place.launch_with_dead_mount() else {
        return;
    };
    let mut client = launch.start();
    let mut stuck = vec![client.post_call("list_dir", json!({"path": "dead"}))];
    for _ in 1..STUCK {
        stuck.push(client.post_call("read_file", json!({"path": "dead/file"})));
    }
    let ping = client.post("ping", json!({}));
    let quick = client.post_call("read_file", json!({"path": "quick.txt"}));
    let mut first = [client.receive(), client.receive()];
    first.sort_by_key(|it| it["id"].as_u64());
    assert_eq!(first[0]["id"], ping, "{first:?}");
    assert_eq!(first[1]["id"], quick, "{first:?}");
    assert_eq!(Answer(first[1].clone()).text(), "quick\n");
    for id in stuck {
        let answer = Answer(client.answer(id));
        let fault = answer.fault();
        assert!(
            fault.contains("still waiting for the file system"),
            "{fault}"
        );
    }
    // Whoever asks again gets an answer again, and the end of the input is the end.
    let again = client.call("read_file", json!({"path": "quick.txt"}));
    assert_eq!(again.text(), "quick\n");
    let cancelled = client.post_call("read_file", json!({"path": "dead/file"}));
    client.cancel(cancelled);
    client.assert_silent();
}
