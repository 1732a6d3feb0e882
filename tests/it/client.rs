//! Starts the built program, speaks either era, and checks the goodbye.
//!
//! **A dropped client closes stdin and requires exit 0, nothing unread on stdout and nothing on stderr.**

use std::io::Read;
#[cfg(unix)]
use std::io::Write;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::launch::{Job, Journal, Launch, drain, read_lines, write_jobs};
use crate::shapes::{MODERN_KEYS, Revision};
use crate::wire::Wire;

/// How long any one wait may take before the program counts as hung.
pub(crate) const LIMIT: Duration = match option_env!("FILEWRIGHT_TEST_SLOWLY") {
    None => Duration::from_secs(10),
    // Under an emulator.
    Some(_) => Duration::from_secs(60),
};

/// One running program and all that was said to it and by it.
#[derive(Debug)]
pub(crate) struct Client {
    child: Option<Child>,
    input: Option<Sender<Job>>,
    output: Option<Receiver<Vec<u8>>>,
    complaints: Option<Receiver<Vec<u8>>>,
    quiet: bool,
    revision: Option<Revision>,
    next_id: u64,
    wire: Wire,
    /// Lines that came while another was waited for.
    kept: Vec<Value>,
    journal: Journal,
}

impl Client {
    /// The session with a program just started.
    pub(crate) fn new(mut child: Child, quiet: bool) -> Self {
        Self {
            input: child.stdin.take().map(write_jobs),
            output: None,
            complaints: None,
            child: Some(child),
            quiet,
            revision: None,
            next_id: 0,
            wire: Wire::default(),
            kept: Vec::new(),
            journal: Journal::default(),
        }
    }

    /// The program serving one directory.
    pub(crate) fn serving(directory: &Path) -> Self {
        Launch::new([directory]).start()
    }

    /// The same, already speaking `revision`.
    pub(crate) fn speaking(revision: Revision, directory: &Path) -> Self {
        let mut client = Self::serving(directory);
        client.speak(revision);
        client
    }

    /// Opens a session (legacy) or remembers to dress requests (modern).
    pub(crate) fn speak(&mut self, revision: Revision) {
        self.revision = None;
        if !revision.is_modern() {
            self.request("initialize", hello(revision.name()));
            self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
        self.revision = Some(revision);
    }

    /// Starts to read stdout and stderr, where nothing does yet.
    pub(crate) fn read(&mut self) {
        self.read_stdout();
        if let Some(stderr) = self.child.as_mut().and_then(|it| it.stderr.take()) {
            self.complaints = Some(read_lines(stderr));
        }
    }

    pub(crate) fn read_stdout(&mut self) {
        if let Some(stdout) = self.child.as_mut().and_then(|it| it.stdout.take()) {
            self.read_from(stdout);
        }
    }

    /// Reads the program's answers from another stream.
    pub(crate) fn read_from(&mut self, stream: impl Read + Send + 'static) {
        self.output = Some(read_lines(stream));
    }

    /// Writes to the program through another stream.
    #[cfg(unix)]
    pub(crate) fn write_to(&mut self, stream: impl Write + Send + 'static) {
        self.input = Some(write_jobs(stream));
    }

    #[cfg(unix)]
    pub(crate) fn pid(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    pub(crate) fn send_bytes(&mut self, bytes: impl Into<Vec<u8>>) {
        let bytes = bytes.into();
        self.journal.note("->", &bytes);
        self.wire.sent(&bytes);
        let input = self.input.as_ref().expect("stdin is open");
        input.send(Job::Write(bytes)).unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n"));
    }

    /// Waits until everything sent is in the pipe.
    pub(crate) fn flush(&mut self) {
        let (waiting, told) = mpsc::channel();
        let input = self.input.as_ref().expect("stdin is open");
        input.send(Job::Tell(waiting)).unwrap();
        if told.recv_timeout(LIMIT).is_err() {
            panic!("the server does not read its input");
        }
    }

    /// Sends a request in the session's era; its id comes back.
    pub(crate) fn post(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        let params = match self.revision {
            Some(revision) if revision.is_modern() => dressed(params),
            _ => params,
        };
        self.send(
            &json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}),
        );
        self.next_id
    }

    pub(crate) fn post_call(&mut self, tool: &str, arguments: Value) -> u64 {
        self.post("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    pub(crate) fn cancel(&mut self, id: impl Into<Value>) {
        let params = json!({"requestId": id.into()});
        self.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}),
        );
    }

    /// The next line; the program counts as hung after ten seconds.
    pub(crate) fn receive(&mut self) -> Value {
        if !self.kept.is_empty() {
            return self.kept.remove(0);
        }
        self.receive_line().1
    }

    /// The next line as text and as JSON.
    pub(crate) fn receive_line(&mut self) -> (String, Value) {
        let output = self.output.as_ref().expect("stdout is read");
        match output.recv_timeout(LIMIT) {
            Ok(line) => self.accept(&line),
            Err(trouble) => panic!("no line came: {trouble}"),
        }
    }

    fn accept(&mut self, line: &[u8]) -> (String, Value) {
        self.journal.note("<-", line);
        let value = self.wire.received(line);
        let text = String::from_utf8(line.to_vec()).unwrap();
        (text.trim_end_matches('\n').to_owned(), value)
    }

    /// The answer to request `id`; what else comes first is kept for `receive`.
    pub(crate) fn answer(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        if let Some(place) = self.kept.iter().position(|it| it["id"] == id) {
            return self.kept.remove(place);
        }
        loop {
            let value = self.receive_line().1;
            if value["id"] == id {
                return value;
            }
            self.kept.push(value);
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.post(method, params);
        self.answer(id)
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Answer {
        Answer(self.request("tools/call", json!({"name": tool, "arguments": arguments})))
    }

    /// Everything that comes before the answer to a request sent now.
    pub(crate) fn until_silent(&mut self) -> Vec<Value> {
        let modern = self.revision.is_some_and(Revision::is_modern);
        let id = self.post(if modern { "server/discover" } else { "ping" }, json!({}));
        self.answer(id);
        std::mem::take(&mut self.kept)
    }

    /// Shows that nothing is on its way: a request sent now is answered next.
    #[track_caller]
    pub(crate) fn assert_silent(&mut self) {
        let before = self.until_silent();
        assert!(
            before.is_empty(),
            "silence was expected, this came: {before:#?}"
        );
    }

    /// Requests that still have to be answered.
    pub(crate) fn unanswered(&self) -> Vec<&str> {
        self.wire.unanswered()
    }

    pub(crate) fn close_stdin(&mut self) {
        self.wire.sent_end();
        self.input = None;
    }

    /// Closes the reading end of stdout; only for a client that does not read.
    pub(crate) fn close_stdout(&mut self) {
        assert!(self.output.is_none(), "a thread reads stdout");
        drop(self.child.as_mut().unwrap().stdout.take());
    }

    /// Closes the reading end of stderr; only for a client that does not read.
    pub(crate) fn close_stderr(&mut self) {
        assert!(self.complaints.is_none(), "a thread reads stderr");
        drop(self.child.as_mut().unwrap().stderr.take());
    }

    /// Waits for the end, stdin still open; what was still on stdout and stderr comes with it.
    pub(crate) fn ended(mut self) -> Ending {
        self.end()
    }

    /// The same after closing stdin.
    pub(crate) fn finish(mut self) -> Ending {
        self.close_stdin();
        self.end()
    }

    fn end(&mut self) -> Ending {
        let mut child = self.child.take().expect("the program was not waited for");
        let mut lines = std::mem::take(&mut self.kept);
        for line in drain(self.output.take()) {
            lines.push(self.accept(&line).1);
        }
        let stderr = drain(self.complaints.take()).concat();
        self.journal.note("stderr", &stderr);
        let (sender, status) = mpsc::channel();
        thread::spawn(move || sender.send(child.wait().unwrap()));
        let status = status.recv_timeout(LIMIT).expect("the program ends");
        Ending {
            status,
            lines,
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
            _journal: std::mem::take(&mut self.journal),
        }
    }

    fn farewell(&mut self) {
        self.read();
        if self.input.is_some() {
            self.close_stdin();
        }
        let ending = self.end();
        let open = self.unanswered();
        assert!(open.is_empty(), "never answered: {open:?}");
        let unread = &ending.lines;
        assert!(unread.is_empty(), "nobody waited for these: {unread:#?}");
        assert!(ending.status.success(), "it ended with {}", ending.status);
        let stderr = &ending.stderr;
        assert!(
            !self.quiet || stderr.is_empty(),
            "a healthy session wrote to stderr: {stderr}"
        );
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if !thread::panicking() && self.child.is_some() {
            self.farewell();
        }
        if let Some(child) = &mut self.child {
            // It may have ended by itself.
            drop(child.kill());
            drop(child.wait());
        }
    }
}

/// How a program ended, and what nobody had read yet.
#[derive(Debug)]
pub(crate) struct Ending {
    pub(crate) status: ExitStatus,
    pub(crate) lines: Vec<Value>,
    pub(crate) stderr: String,
    /// Printed when the test fails after the end.
    _journal: Journal,
}

/// The answer to a `tools/call`.
#[derive(Debug)]
pub(crate) struct Answer(pub(crate) Value);

impl Answer {
    /// The text of a success.
    #[track_caller]
    pub(crate) fn text(&self) -> &str {
        assert_eq!(
            self.0["result"]["isError"], false,
            "a success was expected: {}",
            self.0
        );
        self.0["result"]["content"][0]["text"].as_str().unwrap()
    }

    /// The text of a tool error.
    #[track_caller]
    pub(crate) fn fault(&self) -> &str {
        assert_eq!(
            self.0["result"]["isError"], true,
            "a tool error was expected: {}",
            self.0
        );
        self.0["result"]["content"][0]["text"].as_str().unwrap()
    }

    /// The JSON of a tool that answers in JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(self.text()).unwrap()
    }

    /// The code of a JSON-RPC error.
    #[track_caller]
    pub(crate) fn code(&self) -> i64 {
        let code = self.0["error"]["code"].as_i64();
        code.unwrap_or_else(|| panic!("a JSON-RPC error was expected: {}", self.0))
    }
}

/// The params of an `initialize`.
pub(crate) fn hello(version: &str) -> Value {
    let client = json!({"name": "tests", "version": "1"});
    json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client})
}

/// The params with the two `_meta` keys that every modern request has.
pub(crate) fn dressed(mut params: Value) -> Value {
    let meta = &mut params["_meta"];
    meta[MODERN_KEYS[0]] = json!(Revision::July2026.name());
    meta[MODERN_KEYS[1]] = json!({});
    params
}
