//! A small MCP server that misbehaves on demand, to see what a client makes of it.
//!
//! `cargo run --example misbehaving-server MODE`; without a mode it lists them. `filewright check` is
//! tested against every one of them.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

mod modes;

use modes::{MODES, Mode};

/// Requests after which a server that does not last is at its end.
const LAST: usize = 60;

/// What a pipe holds; where writers that do not loop stop.
const PIPE: usize = 64 * 1024;

/// Set for a server that another one has started.
const HELPER: &str = "MISBEHAVING_SERVER_HELPER";

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some((_, mode, _)) = MODES.iter().find(|(known, ..)| *known == name) else {
        let mut stderr = io::stderr().lock();
        // Nobody may read it, which is no reason to fail twice.
        for (mode, _, what) in MODES {
            let _ = writeln!(stderr, "{mode:<28} {what}");
        }
        return ExitCode::from(2);
    };
    match Server::new(*mode).serve() {
        Ok(()) => ExitCode::SUCCESS,
        // A client that is gone is no failure.
        Err(_) => ExitCode::from(1),
    }
}

struct Server {
    mode: Mode,
    /// What is to be written at the end, in a mode that does not flush.
    held: Vec<u8>,
    pings: usize,
    calls: usize,
    is_initialized: bool,
    was_long: bool,
    last_id: Value,
    helper: Option<Child>,
}

impl Server {
    fn new(mode: Mode) -> Server {
        Server {
            mode,
            held: Vec::new(),
            pings: 0,
            calls: 0,
            is_initialized: false,
            was_long: false,
            last_id: Value::Null,
            helper: None,
        }
    }

    fn serve(&mut self) -> io::Result<()> {
        match self.mode {
            Mode::LogsToStdout => self.write(b"INFO server listening on stdio\n")?,
            Mode::FloodsStderr => {
                let line = b"DEBUG nothing to see here\n".repeat(20_000);
                io::stderr().write_all(&line)?;
            }
            Mode::LeavesOrphan => {
                let mut child = Command::new(std::env::current_exe()?);
                child.arg("ignores-eof").stdin(Stdio::null());
                child.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
            }
            Mode::EndsLate if std::env::var_os(HELPER).is_none() => {
                let mut child = Command::new(std::env::current_exe()?);
                child.arg("ends-late").env(HELPER, "1");
                child.stdout(Stdio::null()).stderr(Stdio::null());
                // It is never waited for, and the end of its input is the end of this process.
                child.stdin(Stdio::piped());
                self.helper = Some(child.spawn()?);
            }
            _ => {}
        }
        match self.mode {
            Mode::ParsesChunks => self.serve_chunks(|_| true)?,
            Mode::ParsesShortChunks => self.serve_chunks(|chunk| chunk.len() < 1_000)?,
            _ => self.serve_lines()?,
        }
        io::stdout().write_all(&self.held)?;
        if self.mode == Mode::EndsLate && self.helper.is_none() {
            thread::sleep(Duration::from_millis(200));
        }
        if self.mode == Mode::IgnoresEof {
            loop {
                thread::park();
            }
        }
        Ok(())
    }

    fn serve_lines(&mut self) -> io::Result<()> {
        let mut input = BufReader::with_capacity(PIPE, io::stdin().lock());
        let mut line = Vec::new();
        loop {
            line.clear();
            if input.read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            let rest = input.buffer().len();
            if self.mode == Mode::TakesOneOfARead && is_short_ping(&line) && rest < 200 {
                input.consume(rest);
            }
            if self.mode == Mode::LosesLargeLines && line.len() > 200_000 {
                continue;
            }
            self.take(&line)?;
        }
    }

    /// Takes what one read returns for messages; the rest of a line is lost, unless it is kept.
    fn serve_chunks(&mut self, is_parsed_at_once: impl Fn(&[u8]) -> bool) -> io::Result<()> {
        let mut chunk = vec![0; PIPE];
        let mut kept = Vec::new();
        loop {
            let count = io::stdin().read(&mut chunk)?;
            if count == 0 {
                return Ok(());
            }
            kept.extend_from_slice(&chunk[..count]);
            if !is_parsed_at_once(&kept) && !kept.ends_with(b"\n") {
                continue;
            }
            for line in std::mem::take(&mut kept).split(|it| *it == b'\n') {
                self.take(line)?;
            }
        }
    }

    fn take(&mut self, line: &[u8]) -> io::Result<()> {
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            if self.mode == Mode::DiesOnBadLine && !line.trim_ascii().is_empty() {
                panic!("cannot parse a line");
            }
            return Ok(());
        };
        let method = message["method"].as_str().unwrap_or_default();
        if self.mode == Mode::WritesToStderr {
            let line = format!("INFO handling {method} {}\n", ".".repeat(100));
            io::stderr().write_all(line.as_bytes())?;
        }
        if message.get("method").is_none() {
            // An answer to a ping.
            return Ok(());
        }
        if message.get("id").is_none() {
            return self.hear(method, &message["params"]);
        }
        if self.mode == Mode::Silent {
            return Ok(());
        }
        let early = method == "ping" && !self.is_initialized;
        if early && self.mode == Mode::SilentUntilInitialized {
            return Ok(());
        }
        if self.mode == Mode::PingsWithOurIds {
            let ping = json!({"jsonrpc": "2.0", "id": message["id"], "method": "ping"});
            self.write(format!("{ping}\n").as_bytes())?;
        }
        let id = self.id(&message["id"]);
        self.last_id.clone_from(&id);
        if let Some(outcome) = self.outcome(method, &message["params"])? {
            self.answer(&id, &outcome)?;
            if self.mode == Mode::AnswersTwice {
                self.answer(&id, &outcome)?;
            }
        }
        Ok(())
    }

    /// The id that goes back.
    fn id(&self, id: &Value) -> Value {
        match self.mode {
            Mode::IdsAsText => id
                .as_str()
                .map_or_else(|| id.to_string(), str::to_owned)
                .into(),
            Mode::IdsAsFloats => match id.as_f64() {
                Some(number) if number >= 1e15 => json!(number as u64),
                _ => id.clone(),
            },
            _ => id.clone(),
        }
    }

    fn hear(&mut self, method: &str, params: &Value) -> io::Result<()> {
        let refusal = json!({"error": {"code": -32601, "message": "Method not found"}});
        match (method, self.mode) {
            ("notifications/initialized", mode) => {
                self.is_initialized = true;
                if mode == Mode::AnswersInitialized {
                    self.answer(&Value::Null, &refusal)?;
                }
            }
            ("notifications/cancelled", Mode::AnswersCancelled)
                if params["requestId"] == self.last_id =>
            {
                self.answer(&params["requestId"], &refusal)?;
            }
            (_, Mode::AnswersNotifications) => self.answer(&Value::Null, &refusal)?,
            _ => {}
        }
        Ok(())
    }

    /// The result or the error of a request; nothing where there is to be no answer.
    fn outcome(&mut self, method: &str, params: &Value) -> io::Result<Option<Value>> {
        let error = |code: i32, message: &str| json!({"error": {"code": code, "message": message}});
        let result = match (method, self.mode) {
            ("initialize", Mode::ExitsAtInitialize) => {
                io::stderr().write_all(b"Error: Cannot find module 'left-pad'\n")?;
                std::process::exit(3);
            }
            ("initialize", Mode::RefusesInitialize) => {
                return Ok(Some(error(-32603, "not today")));
            }
            ("initialize", mode) => modes::greeting(mode, params),
            ("server/discover", Mode::DiesAtDiscover) => std::process::exit(1),
            ("server/discover", Mode::SilentAtDiscover) => return Ok(None),
            ("ping", mode) => {
                self.pings += 1;
                match mode {
                    Mode::DiesAfterSixty if self.pings > LAST => std::process::exit(7),
                    Mode::ChangesTools if self.pings == 6 => std::process::exit(0),
                    Mode::ChangesTools if self.pings == 3 => {
                        let news = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n";
                        self.write(news.as_bytes())?;
                        json!({})
                    }
                    Mode::HangsAfterSixty if self.pings > LAST => return Ok(None),
                    Mode::IgnoresPing => return Ok(None),
                    Mode::AnswersPingWithText => json!("pong"),
                    _ => json!({}),
                }
            }
            ("tools/list" | "tools/call", Mode::OffersNoTools) => {
                return Ok(Some(error(-32601, "Method not found")));
            }
            ("tools/list", Mode::HasNoList) => return Ok(Some(error(-32603, "no list"))),
            ("tools/list", mode) => json!({"tools": modes::tools(mode, self.has_changed())}),
            ("tools/call", _) => return self.call(params).map(Some),
            (_, Mode::KnowsEveryMethod) if method != "server/discover" => json!({}),
            (_, Mode::AnswersAtLength)
                if method != "server/discover" && !std::mem::replace(&mut self.was_long, true) =>
            {
                return Ok(Some(error(-32601, &"no ".repeat(100_000_000 / 3))));
            }
            _ => return Ok(Some(error(-32601, "Method not found"))),
        };
        Ok(Some(json!({"result": result})))
    }

    fn has_changed(&self) -> bool {
        self.mode == Mode::ChangesTools && self.pings >= 3
    }

    fn call(&mut self, params: &Value) -> io::Result<Value> {
        self.calls += 1;
        let text = |text: &str, is_error: bool| {
            let content = json!([{"type": "text", "text": text}]);
            json!({"result": {"content": content, "isError": is_error}})
        };
        let error = |code: i32, message: &str| json!({"error": {"code": code, "message": message}});
        if self.mode == Mode::BlocksInACall && self.calls == 2 {
            thread::sleep(Duration::from_secs(3));
        }
        if self.mode == Mode::LogsInCalls {
            self.write(b"DEBUG calling a tool\n")?;
        }
        if self.mode == Mode::PrintsInATool && params["name"] == "echo" {
            self.write(b"echoing\n")?;
        }
        let given = params["arguments"]["text"].as_str();
        Ok(match (params["name"].as_str().unwrap_or_default(), given) {
            ("echo" | "text.echo", Some("fail")) => text("it failed, as it was asked to", true),
            ("echo" | "text.echo", Some(given)) => text(given, false),
            ("echo" | "text.echo", None) => match self.mode {
                Mode::ErrorsForFailures => error(-32000, "text is missing"),
                Mode::FailsWithoutText => json!({"result": {"content": [], "isError": true}}),
                _ => text("text is missing", true),
            },
            _ => match self.mode {
                Mode::KnowsEveryTool => text("done", false),
                Mode::FailsUnknownTools => text("unknown tool", true),
                _ => error(-32602, "unknown tool; the tools are: echo"),
            },
        })
    }

    fn answer(&mut self, id: &Value, outcome: &Value) -> io::Result<()> {
        let mut message = json!({"jsonrpc": "2.0", "id": id});
        for (name, value) in outcome.as_object().into_iter().flatten() {
            message[name] = value.clone();
        }
        if self.mode == Mode::ForgetsJsonrpc {
            message.as_object_mut().map(|it| it.remove("jsonrpc"));
        }
        let mut text = match self.mode {
            Mode::PrettyPrints => format!("{message:#}"),
            _ => message.to_string(),
        };
        text.push_str(match self.mode {
            Mode::EndsLinesInCrLf => "\r\n",
            Mode::EndsNoLine => "",
            _ => "\n",
        });
        let bytes = match self.mode {
            Mode::WritesGbk => encoding_rs::GBK.encode(&text).0.into_owned(),
            Mode::BeginsWithMark => format!("\u{feff}{text}").into_bytes(),
            _ => text.into_bytes(),
        };
        match self.mode {
            Mode::CutsAtPipeSize => self.write(&bytes[..bytes.len().min(PIPE)]),
            Mode::WritesInPieces if bytes.len() < PIPE => {
                let (first, second) = bytes.split_at(bytes.len() / 2);
                self.write(first)?;
                thread::sleep(Duration::from_millis(15));
                self.write(second)
            }
            _ => self.write(&bytes),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.mode == Mode::DoesNotFlush {
            self.held.extend_from_slice(bytes);
            return Ok(());
        }
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes)?;
        stdout.flush()
    }
}

/// Two of these fit into one read, and nothing else that a client sends at once.
fn is_short_ping(line: &[u8]) -> bool {
    let line = String::from_utf8_lossy(line);
    line.contains("\"id\":\"") && line.contains("\"ping\"")
}
