//! A session with the program that is measured.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;

use serde_json::{Value, json};

use super::Result;

/// A running server that has answered `initialize`. It ends when this is dropped, since its input does.
pub(crate) struct Session {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Session {
    pub(crate) fn open(program: &Path, root: &Path) -> Result<Session> {
        let mut child = Command::new(program)
            .arg(root)
            // The program warns of a variable of its own that it does not know.
            .env_remove("FILEWRIGHT_BENCH_BIN")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take().ok_or("no stdin")?;
        let stdout = BufReader::new(child.stdout.take().ok_or("no stdout")?);
        let mut session = Session {
            child,
            stdin,
            stdout,
        };
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        });
        session.ask(&request(0, "initialize", &params))?;
        Ok(session)
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The text of a tool's result, which must be no error.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<String> {
        let params = json!({"name": tool, "arguments": arguments});
        let answer = self.ask(&request(1, "tools/call", &params))?;
        let mut answer: Value = serde_json::from_str(&answer)?;
        let result = &mut answer["result"];
        match result["content"][0]["text"].take() {
            Value::String(text) if result["isError"] != true => Ok(text),
            text => Err(format!("{tool} {arguments}: {text}").into()),
        }
    }

    /// Sends one line and waits for one line, which must be a result.
    pub(crate) fn ask(&mut self, line: &str) -> Result<String> {
        self.stdin.write_all(line.as_bytes())?;
        let mut answer = String::new();
        self.stdout.read_line(&mut answer)?;
        if answer.contains(r#""result":"#) {
            Ok(answer)
        } else {
            Err(format!("unexpected answer to {line}{answer}").into())
        }
    }

    /// Sends everything from a thread of its own, and reads until `lines` answers are there.
    pub(crate) fn exchange(&mut self, requests: &[u8], lines: usize) -> Result<Vec<u8>> {
        let Session { stdin, stdout, .. } = self;
        thread::scope(|scope| {
            let writer = scope.spawn(move || stdin.write_all(requests));
            let mut answers = Vec::with_capacity(lines * 120);
            let mut seen = 0;
            while seen < lines {
                let chunk = stdout.fill_buf()?;
                if chunk.is_empty() {
                    return Err(format!("the server ended after {seen} answers").into());
                }
                seen += chunk.iter().filter(|it| **it == b'\n').count();
                answers.extend_from_slice(chunk);
                let used = chunk.len();
                stdout.consume(used);
            }
            writer.join().map_err(|_| "the writer panicked")??;
            Ok(answers)
        })
    }

    /// Waits for the server's end, which must be a success.
    pub(crate) fn close(mut self) -> Result<()> {
        drop(self.stdin);
        io::copy(&mut self.stdout, &mut io::sink())?;
        let status = self.child.wait()?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("the server ended with {status}").into())
        }
    }
}

pub(crate) fn request(id: usize, method: &str, params: &Value) -> String {
    let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    format!("{message}\n")
}
