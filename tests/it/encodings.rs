//! Real text in every family of encodings: what each tool says of it is written down here, byte by byte.

use std::fs;

use serde_json::json;
use tempfile::TempDir;

use crate::client::Client;
use crate::pinned::{PINNED, Pinned, raw};
use crate::shapes::Revision;

/// A way to write the same two lines.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Lf,
    CrLf,
    Open,
    Marked,
}

impl Pinned {
    fn bytes_in(&self, form: Form) -> Vec<u8> {
        let [first, second] = self.raw.map(raw);
        let line_end = raw(self.line_end[usize::from(form == Form::CrLf)]);
        let mark = if form == Form::Marked { self.mark } else { "" };
        let last = if form == Form::Open {
            &[]
        } else {
            &line_end[..]
        };
        [&raw(mark), &first, &line_end, &second, last].concat()
    }

    fn text_in(&self, form: Form) -> String {
        let [first, second] = self.lines;
        match form {
            Form::CrLf => format!("{first}\r\n{second}\r\n"),
            Form::Open => format!("{first}\n{second}"),
            Form::Lf | Form::Marked => format!("{first}\n{second}\n"),
        }
    }

    /// The first line of every result, where there has to be one.
    fn notice_in(&self, form: Form) -> String {
        let is_certain = form == Form::Marked && self.encoding != "gb18030";
        match self.encoding {
            "utf-8" => String::new(),
            name if is_certain => format!("[decoded from {name}]\n"),
            name => format!("[decoded from {name} ({})]\n", self.guess()),
        }
    }

    /// Nine accented letters or fewer, or ten bytes and more.
    fn guess(&self) -> &'static str {
        match self.encoding {
            "windows-1252" | "windows-1250" => {
                "guessed from few bytes; if it looks wrong, pass encoding"
            }
            _ => "guessed",
        }
    }

    /// What `wordcount` has to say; the figures that are written down are for the form with LF.
    fn count_in(&self, form: Form) -> serde_json::Value {
        let line_end = self.line_end[0].len() / 2;
        let (more, fewer, bytes) = match form {
            Form::Lf => (0, 0, self.bytes),
            Form::CrLf => (2, 0, self.bytes + 2 * line_end),
            Form::Open => (0, 1, self.bytes - line_end),
            Form::Marked => (0, 0, self.bytes + self.mark.len() / 2),
        };
        let mut count = json!({
            "path": "t.txt",
            "chars": self.chars + more - fewer,
            "cjk": self.cjk,
            "words": self.words,
            "lines": 2,
            "bytes": bytes,
            "encoding": self.encoding,
        });
        let notice = self.notice_in(form);
        if notice.contains("(guessed") {
            let weak = match notice.contains("few") {
                true => " from few bytes; if it is wrong, pass encoding",
                false => "",
            };
            count["notes"] = json!([format!("the encoding {} is a guess{weak}", self.encoding)]);
        }
        count
    }
}

/// Each text in each form, given to one session.
fn for_each_text(check: impl Fn(&mut Client, &Pinned, Form)) {
    let directory = TempDir::new().unwrap();
    let mut client = Client::speaking(Revision::November2025, directory.path());
    for pinned in &PINNED {
        for form in [Form::Lf, Form::CrLf, Form::Open, Form::Marked] {
            if form == Form::Marked && pinned.mark.is_empty() {
                continue;
            }
            fs::write(directory.path().join("t.txt"), pinned.bytes_in(form)).unwrap();
            check(&mut client, pinned, form);
        }
    }
}

// B86, B90, B95
#[test]
fn real_text_is_read_verbatim_in_every_encoding() {
    for_each_text(|client, pinned, form| {
        let answer = client.call("read_file", json!({"path": "t.txt"}));
        let expected = pinned.notice_in(form) + &pinned.text_in(form);
        assert_eq!(answer.text(), expected, "{} {form:?}", pinned.encoding);
    });
}

// B86, B90
#[test]
fn real_text_has_its_lines_in_every_encoding() {
    for_each_text(|client, pinned, form| {
        let answer = client.call("read_lines", json!({"path": "t.txt"}));
        let [first, second] = pinned.lines;
        let lines = format!("     1\t{first}\n     2\t{second}\n");
        let expected = pinned.notice_in(form) + &lines;
        assert_eq!(answer.text(), expected, "{} {form:?}", pinned.encoding);
        let answer = client.call(
            "read_lines",
            json!({"path": "t.txt", "start": -1, "numbers": false}),
        );
        let last = answer.text().lines().find(|it| !it.starts_with('['));
        assert_eq!(last, Some(second), "{} {form:?}", pinned.encoding);
    });
}

// B86, B95
#[test]
fn real_text_is_counted_alike_in_every_encoding() {
    for_each_text(|client, pinned, form| {
        let count = client.call("wordcount", json!({"path": "t.txt"})).json();
        assert_eq!(count, pinned.count_in(form), "{} {form:?}", pinned.encoding);
    });
}

/// Naming the encoding gives the same text, and then there is nothing to guess.
#[test]
fn real_text_is_the_same_when_its_encoding_is_named() {
    for_each_text(|client, pinned, form| {
        let arguments = json!({"path": "t.txt", "encoding": pinned.encoding});
        let answer = client.call("read_file", arguments);
        let notice = match pinned.encoding {
            "utf-8" => String::new(),
            name => format!("[decoded from {name}]\n"),
        };
        let expected = notice + &pinned.text_in(form);
        assert_eq!(answer.text(), expected, "{} {form:?}", pinned.encoding);
    });
}
