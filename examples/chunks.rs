//! What becomes of one who parses each chunk that a read returns, beside one who gathers lines.
//!
//! `cargo run --example chunks`, after `cargo build --examples`. Messages of three sizes go to a server
//! and come back; a pipe of 64 KB is between them.

use std::error::Error;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// In bytes: less than a page, less than a pipe, more than a pipe.
const SIZES: [usize; 3] = [1_000, 40_000, 300_000];

/// Nothing that comes later will come at all.
const LIMIT: Duration = Duration::from_secs(5);

fn main() -> Result<()> {
    let mut table = format!("{:<36}{:>8}{:>8}{:>8}\n", "", "1 KB", "40 KB", "300 KB");
    for (who, server, parses_chunks) in [
        ("a client that parses each chunk", "healthy", true),
        ("a client that gathers lines", "healthy", false),
        ("a server that parses each chunk", "parses-chunks", false),
    ] {
        let mut row = format!("{who:<36}");
        for size in SIZES {
            let came = Session::start(server)?.echo(size, parses_chunks)?;
            row += &format!("{:>8}", if came { "comes" } else { "is lost" });
        }
        table += &row;
        table.push('\n');
    }
    std::io::stdout().write_all(table.as_bytes())?;
    Ok(())
}

struct Session {
    child: Child,
    stdin: ChildStdin,
    chunks: Receiver<Vec<u8>>,
}

impl Session {
    fn start(mode: &str) -> Result<Session> {
        let name = format!("misbehaving-server{}", std::env::consts::EXE_SUFFIX);
        let mut child = Command::new(std::env::current_exe()?.with_file_name(name))
            .arg(mode)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take().ok_or("no stdin")?;
        let mut stdout = child.stdout.take().ok_or("no stdout")?;
        let (sender, chunks) = mpsc::channel();
        thread::spawn(move || {
            let mut chunk = vec![0; 64 * 1024];
            while let Ok(count @ 1..) = stdout.read(&mut chunk) {
                if sender.send(chunk[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Ok(Session {
            child,
            stdin,
            chunks,
        })
    }

    /// Whether a text of this size comes back.
    fn echo(mut self, size: usize, parses_chunks: bool) -> Result<bool> {
        let text = "x".repeat(size);
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "echo", "arguments": {"text": text}}});
        self.stdin.write_all(format!("{call}\n").as_bytes())?;
        let mut gathered = Vec::new();
        let mut came = false;
        while !came && !gathered.ends_with(b"\n") {
            let Ok(chunk) = self.chunks.recv_timeout(LIMIT) else {
                break;
            };
            gathered.extend_from_slice(&chunk);
            let message = if parses_chunks { &chunk } else { &gathered };
            let answer: Value = serde_json::from_slice(message).unwrap_or_default();
            came = answer["result"]["content"][0]["text"] == *text;
        }
        self.child.kill()?;
        self.child.wait()?;
        Ok(came)
    }
}
