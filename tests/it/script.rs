//! The form of a transcript: read, filled with other answers, written.

use std::fs;
use std::iter;
use std::path::Path;

/// A transcript, step by step.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) steps: Vec<Step>,
}

/// What to do, and the lines that say so; an answer is no part of it.
#[derive(Debug)]
pub(crate) struct Step {
    lines: Vec<String>,
    pub(crate) act: Act,
}

#[derive(Debug)]
pub(crate) enum Act {
    /// Prose, a blank line, `options`.
    Nothing,
    Make {
        name: String,
        content: Vec<u8>,
    },
    Directory {
        name: String,
    },
    Link {
        name: String,
        target: String,
    },
    Call {
        tool: String,
        arguments: String,
    },
    Talk {
        sent: Vec<String>,
    },
}

impl Script {
    pub(crate) fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let mut steps = Vec::new();
        let mut rest = &lines[..];
        while let [line, after @ ..] = rest {
            let (act, used) = read_act(line, after);
            let lines = rest[..=used].iter().map(|it| (*it).to_owned()).collect();
            steps.extend(act.map(|act| Step { lines, act }));
            rest = &after[used..];
        }
        Self { steps }
    }

    /// What follows `options` anywhere in the transcript.
    pub(crate) fn options(&self) -> Vec<&str> {
        let lines = self.steps.iter().flat_map(|step| &step.lines);
        let options = lines.filter_map(|it| it.strip_prefix("options "));
        options.flat_map(str::split_whitespace).collect()
    }

    /// Whether it can be played here: not every system has symbolic links for everyone.
    pub(crate) fn is_playable(&self) -> bool {
        let links = |step: &Step| matches!(step.act, Act::Link { .. });
        cfg!(unix) || !self.steps.iter().any(links)
    }

    /// The transcript as text, with these answers in place of its own.
    pub(crate) fn with_answers(&self, answers: &[Vec<String>]) -> String {
        let steps = self.steps.iter().zip(answers);
        let lines = steps.flat_map(|(step, answer)| step.lines.iter().chain(answer));
        lines.map(|it| format!("{it}\n")).collect()
    }
}

/// What the line asks for, if it is no answer, and how many of the lines after it belong to it.
fn read_act(line: &str, after: &[&str]) -> (Option<Act>, usize) {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let rest = rest.to_owned();
    match word {
        "file" | "bytes" => {
            let block = block(after);
            let content = content(word, block);
            let name = String::from_utf8(expand(&rest)).unwrap();
            (Some(Act::Make { name, content }), block.len())
        }
        "dir" => (Some(Act::Directory { name: rest }), 0),
        "link" => {
            let (name, target) = rest.split_once(" -> ").expect("link NAME -> TARGET");
            let (name, target) = (name.to_owned(), target.to_owned());
            (Some(Act::Link { name, target }), 0)
        }
        "call" => {
            let (tool, arguments) = rest.split_once(' ').unwrap_or((&rest, "{}"));
            let (tool, arguments) = (tool.to_owned(), arguments.to_owned());
            (Some(Act::Call { tool, arguments }), 0)
        }
        ">" => {
            let more = after.iter().map_while(|it| it.strip_prefix("> "));
            let sent: Vec<String> = iter::once(&*rest).chain(more).map(Into::into).collect();
            let used = sent.len() - 1;
            (Some(Act::Talk { sent }), used)
        }
        "ok" | "error" if rest.is_empty() => (None, block(after).len()),
        "rpc" => (None, block(after).len()),
        "<" => (None, 0),
        "." if rest.is_empty() => (None, 0),
        _ => (Some(Act::Nothing), 0),
    }
}

/// The indented lines at the start, blank lines among them included.
fn block<'a, 'b>(lines: &'b [&'a str]) -> &'b [&'a str] {
    let inside = lines
        .iter()
        .take_while(|it| it.is_empty() || it.starts_with("  "));
    let length = inside.count();
    let blank = lines[..length].iter().rev().take_while(|it| it.is_empty());
    &lines[..length - blank.count()]
}

fn content(word: &str, block: &[&str]) -> Vec<u8> {
    let lines = block.iter().map(|it| it.strip_prefix("  ").unwrap_or(it));
    if word == "bytes" {
        let digits: String = lines.flat_map(|it| it.split_whitespace()).collect();
        let pairs = digits.as_bytes().chunks(2);
        let pairs = pairs.map(|it| str::from_utf8(it).unwrap());
        return pairs
            .map(|it| u8::from_str_radix(it, 16).unwrap())
            .collect();
    }
    lines.flat_map(|it| expand(&format!("{it}\n"))).collect()
}

/// Writes out `[5000×a]` (so many of a character) and `[xFF]` (a byte).
pub(crate) fn expand(line: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find('[') {
        bytes.extend_from_slice(&rest.as_bytes()[..start]);
        rest = &rest[start..];
        let used = macro_at(rest, &mut bytes).unwrap_or_else(|| {
            bytes.push(b'[');
            1
        });
        rest = &rest[used..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// Writes the macro that `text` starts with; says how long it was.
fn macro_at(text: &str, bytes: &mut Vec<u8>) -> Option<usize> {
    if let Some(digits) = text.strip_prefix("[x").and_then(|it| it.get(..3)) {
        bytes.push(u8::from_str_radix(digits.strip_suffix(']')?, 16).ok()?);
        return Some("[xFF]".len());
    }
    let (count, rest) = text.strip_prefix('[')?.split_once('×')?;
    let count: usize = count.parse().ok()?;
    let what = rest.chars().next()?;
    rest[what.len_utf8()..].strip_prefix(']')?;
    bytes.extend_from_slice(what.to_string().repeat(count).as_bytes());
    Some(text.len() - rest.len() + what.len_utf8() + 1)
}

/// The way back for long runs of one character.
pub(crate) fn collapse(line: &str) -> String {
    let mut short = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|it| it != first).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        let count = run.chars().count();
        if count < 100 {
            short.push_str(run);
        } else {
            short.push_str(&format!("[{count}×{first}]"));
        }
        rest = after;
    }
    short
}

/// A text as indented lines: `␤` ends a text that ends in a line feed, other control characters are shown as pictures.
pub(crate) fn visible(text: &str) -> Vec<String> {
    let shown: String = text
        .chars()
        .map(|it| match it {
            '\n' | '\t' => it.to_string(),
            '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(it)).unwrap().to_string(),
            '\u{7f}' => "␡".into(),
            '\u{feff}' => "[BOM]".into(),
            _ => it.to_string(),
        })
        .collect();
    let shown = match shown.strip_suffix('\n') {
        Some(all) => format!("{all}␤"),
        None => shown,
    };
    let lines = shown.split('\n');
    lines
        .map(|it| {
            if it.is_empty() {
                String::new()
            } else {
                format!("  {it}")
            }
        })
        .collect()
}
