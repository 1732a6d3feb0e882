//! What no client can bring about from outside: a file system that never answers, and other streams
//! than the standard ones.

#[cfg(unix)]
use std::io::{BufRead as _, BufReader, Write as _};
use std::sync::mpsc;

use super::*;
use crate::debug::Echo;
use crate::fs::{Deny, Stop};
use crate::log::Log;
use crate::protocol::Session;

fn setup(directory: &std::path::Path, call_timeout: Duration) -> Setup {
    let tap = Tap {
        log: Arc::new(Log::open(None, None).unwrap()),
        echo: Echo::Off,
        recording: None,
    };
    Setup {
        roots: Roots::open(vec![directory.to_owned()], None, Deny::default()),
        toolbox: Toolbox::new(|_| true),
        settings: Settings {
            max_bytes: 65_536,
            fallback: None,
        },
        call_timeout,
        max_line: 65_536,
        tap: Arc::new(tap),
        output_is_gone: || false,
    }
}

fn flight(id: &str, deadline: Instant) -> Arc<Flight> {
    let facts = protocol::Facts {
        tools: &[],
        instructions: &String::new,
    };
    let (_, revision) = Session::default().understand("ping", None, &facts).unwrap();
    Arc::new(Flight {
        id: Id::from_text(id).unwrap(),
        revision,
        tool: Some("a_tool"),
        label: "call a_tool".to_owned(),
        progress_token: None,
        batch: None,
        stop: Stop::at(deadline),
        received: Instant::now(),
    })
}

/// What the writer would have written so far.
fn written(server: &Server) -> String {
    server.outbox.close();
    let mut written = Vec::new();
    server
        .outbox
        .write_all_to(&mut written, |_| {}, || {})
        .unwrap();
    String::from_utf8(written).unwrap()
}

#[test]
fn a_call_that_is_stuck_is_answered_for_it_once_and_its_late_answer_dropped() {
    let directory = tempfile::tempdir().unwrap();
    let server = Server::new(setup(directory.path(), Duration::from_secs(1)));
    let long_ago = Instant::now().checked_sub(GRACE * 2).unwrap();
    let stuck = flight("1", long_ago);
    let working = flight("2", Instant::now() + Duration::from_secs(60));
    assert!(server.flights.start(&stuck) && server.flights.start(&working));
    server.answer_overdue();
    server.answer_overdue();
    assert!(stuck.stop.is_cancelled() && !working.stop.is_cancelled());
    server.answer(&stuck, |_| b"too late\n".to_vec());
    server.answer(&working, |_| b"in time\n".to_vec());
    let written = written(&server);
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(lines.len(), 2, "{written}");
    assert!(
        lines[0].contains("still waiting for the file system"),
        "{written}"
    );
    assert!(lines[0].contains(r#""id":1,"#) && lines[0].contains(r#""isError":true"#));
    assert_eq!(lines[1], "in time");
}

#[test]
fn threads_that_are_stuck_cost_the_others_nothing() {
    let pool: Arc<Pool> = Arc::default();
    let (release, stuck) = mpsc::channel::<()>();
    let stuck = Arc::new(std::sync::Mutex::new(stuck));
    for _ in 0..40 {
        let stuck = Arc::clone(&stuck);
        pool.submit(1, move || drop(stuck.lock().map(|it| it.recv())));
    }
    let (done, news) = mpsc::channel();
    pool.submit(1, move || done.send(()).unwrap());
    // What the supervisor does every few milliseconds: no thread comes free, so there is one more.
    while news.try_recv().is_err() {
        pool.grow_if_stuck();
        thread::yield_now();
    }
    drop(release);
}

#[cfg(unix)]
#[test]
fn any_pair_of_streams_will_do() {
    use std::os::unix::net::UnixStream;
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("a.txt"), "hello\n").unwrap();
    let (ours, theirs) = UnixStream::pair().unwrap();
    let setup = setup(directory.path(), Duration::from_secs(9));
    let input = theirs.try_clone().unwrap();
    let serving = thread::spawn(move || serve(setup, input, theirs));
    let mut request = ours.try_clone().unwrap();
    let call = r#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"read_file","arguments":{"path":"a.txt"}}}"#;
    writeln!(request, "{call}").unwrap();
    let mut answers = BufReader::new(ours);
    let mut line = String::new();
    answers.read_line(&mut line).unwrap();
    assert_eq!(
        line,
        "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"hello\\n\"}],\"isError\":false}}\n"
    );
    request.shutdown(std::net::Shutdown::Write).unwrap();
    serving.join().unwrap().unwrap();
}
