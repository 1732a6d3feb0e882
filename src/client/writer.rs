//! What goes to a server: written by a thread of its own, which may be as slow as the server.

use std::io::Write as _;
use std::process::ChildStdin;
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The way to the writer; nothing once stdin is to be closed.
pub(super) type Outgoing = Arc<Mutex<Option<Sender<Job>>>>;

pub(super) enum Job {
    Write(Vec<u8>),
    Pause(Duration),
}

/// Writes until there is nothing more to come; then stdin is closed.
pub(super) fn write(mut stdin: ChildStdin, jobs: &Receiver<Job>) {
    for job in jobs {
        let written = match job {
            Job::Write(bytes) => stdin.write_all(&bytes).and_then(|()| stdin.flush()),
            Job::Pause(time) => {
                thread::sleep(time);
                Ok(())
            }
        };
        if written.is_err() {
            return;
        }
    }
}
