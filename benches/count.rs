//! What counting costs, beside `wc` and beside decoding alone, on 250 MB of each kind of text.
//!
//! `cargo bench --bench count`. Processor time of whole processes, the median of five interleaved
//! rounds: carry the ratios to another machine, not the times.
#![allow(
    clippy::print_stdout,
    reason = "a benchmark is there to print its figures"
)]

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use encoding_rs::{Encoding, GBK, SHIFT_JIS, UTF_8};

mod common;

use common::*;

/// Makes one line of some kind of text.
type Line = fn(&mut Random) -> String;

const SIZE: usize = 250_000_000;
/// The text that is repeated up to that size: more than any cache that guesses holds.
const PATTERN: usize = 8_000_000;
const ROUNDS: usize = 5;

fn main() -> Result<()> {
    let scratch = Scratch::new()?;
    println!("wordcount of 250 MB: times the processor time of ...");
    println!(
        "  {:<12} {:>10} {:>12} {:>12} {:>12}",
        "", "ours", "wc -l", "wc -lwm", "decoding"
    );
    let texts: [(&str, &'static Encoding, Line); 6] = [
        ("ASCII", UTF_8, english),
        ("Chinese", UTF_8, chinese),
        ("mixed", UTF_8, mixed),
        ("source", UTF_8, source),
        ("GBK", GBK, chinese),
        ("Shift-JIS", SHIFT_JIS, japanese),
    ];
    for (name, encoding, line) in texts {
        let file = scratch.0.join("text.txt");
        fs::write(&file, filled(encoding, line))?;
        measure(name, encoding, &file)?;
    }
    Ok(())
}

fn measure(name: &str, encoding: &'static Encoding, file: &Path) -> Result<()> {
    let mut ours = Vec::new();
    let mut lines = Vec::new();
    let mut figures = Vec::new();
    let mut decoding = Vec::new();
    for _ in 0..ROUNDS {
        let mut program = Command::new(env!("CARGO_BIN_EXE_filewright"));
        program.args(["call", "wordcount", "path=text.txt", "--root"]);
        program.arg(file.parent().ok_or("no directory")?);
        ours.push(cost(&mut program)?);
        if encoding == UTF_8 {
            lines.extend(cost_of_wc("-l", file)?);
            figures.extend(cost_of_wc("-lwm", file)?);
        } else {
            decoding.push(own_cost(|| decode(encoding, file))?);
        }
    }
    let ours = median(&mut ours).as_secs_f64();
    let ratio = |other: &mut Vec<Duration>| match other[..] {
        [] => "-".to_owned(),
        _ => format!("{:.2}", ours / median(other).as_secs_f64()),
    };
    let speed = match figures[..] {
        [] => "-".to_owned(),
        _ => format!("1/{:.1}", median(&mut figures).as_secs_f64() / ours),
    };
    println!(
        "  {name:<12} {:>7.0} ms {:>12} {:>12} {:>12}",
        ours * 1e3,
        ratio(&mut lines),
        speed,
        ratio(&mut decoding),
    );
    if encoding == UTF_8 && lines.is_empty() {
        println!("  SKIPPED: wc is not here, so there is nothing to compare {name} with");
    }
    Ok(())
}

fn cost_of_wc(flags: &str, file: &Path) -> Result<Option<Duration>> {
    let mut wc = Command::new("wc");
    wc.arg(flags).arg(file).env("LC_ALL", "C.UTF-8");
    match cost(&mut wc) {
        Ok(cost) => Ok(Some(cost)),
        Err(error) if error.downcast_ref::<std::io::Error>().is_some() => Ok(None),
        Err(error) => Err(error),
    }
}

fn decode(encoding: &'static Encoding, file: &Path) -> Result<()> {
    let mut file = File::open(file)?;
    let mut raw = vec![0; 64 * 1024];
    let mut text = vec![0; 256 * 1024];
    let mut decoder = encoding.new_decoder_without_bom_handling();
    loop {
        let length = file.read(&mut raw)?;
        let (_, read, written, _) = decoder.decode_to_utf8(&raw[..length], &mut text, length == 0);
        std::hint::black_box(&text[..written]);
        if length == 0 {
            return Ok(());
        }
        if read < length {
            return Err("the buffer for decoded text is too small".into());
        }
    }
}

/// Numbers that only look random: the same texts in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }

    /// Small numbers more often than large ones, as words and characters are.
    fn often_small(&mut self, limit: usize) -> usize {
        let limit = self.below(limit) + 1;
        self.below(limit)
    }

    fn letters(&mut self, first: u32, kinds: usize, count: usize) -> String {
        let letter = |_| char::from_u32(first + self.often_small(kinds) as u32);
        (0..count).filter_map(letter).collect()
    }
}

fn english(random: &mut Random) -> String {
    let words = (0..8 + random.below(8)).map(|_| {
        let length = 1 + random.below(9);
        random.letters(u32::from('a'), 26, length)
    });
    words.collect::<Vec<_>>().join(" ") + ".\n"
}

/// Characters of level 1 of GB 2312, so that every encoding of Chinese has them.
fn chinese(random: &mut Random) -> String {
    let mut text = "\u{3000}\u{3000}".to_owned();
    for _ in 0..3 + random.below(8) {
        for _ in 0..5 + random.below(9) {
            let place = random.often_small(3_600);
            let raw = [0xB0 + (place / 94) as u8, 0xA1 + (place % 94) as u8];
            text.push_str(&GBK.decode(&raw).0);
        }
        text.push('，');
    }
    text + "。\n"
}

fn japanese(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..3 + random.below(5) {
        text += &random.letters(0x3042, 80, 6);
        text += ["日本", "東京", "時間", "世界"][random.below(4)];
        text += &random.letters(0x30A2, 80, 4);
        text.push('、');
    }
    text + "。\n"
}

fn mixed(random: &mut Random) -> String {
    match random.below(10) {
        0..3 => english(random),
        3..6 => chinese(random),
        6 => japanese(random),
        7 => random.letters(0xAC00, 11_000, 20) + " \u{C2DC}\u{AC04}\n",
        8 => random.letters(0x430, 32, 9) + " " + &random.letters(0x430, 32, 5) + "\r\n",
        _ => random.letters(0xE0, 30, 9) + " \u{1F600} \u{20BB7} na\u{EF}ve\n",
    }
}

fn source(random: &mut Random) -> String {
    let indent = "    ".repeat(random.below(5));
    let length = 3 + random.below(9);
    let name = random.letters(u32::from('a'), 26, length);
    match random.below(4) {
        0 => format!("{indent}}}\n"),
        1 => format!("{indent}if {name}.len() < {} {{\n", random.below(4096)),
        2 => format!("{indent}// {}", english(random)),
        _ => format!(
            "{indent}let {name} = buffer[index + {}]?;\n",
            random.below(64)
        ),
    }
}

/// Text of this size in this encoding, with a line end at its end.
fn filled(encoding: &'static Encoding, line: Line) -> Vec<u8> {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut pattern = Vec::new();
    while pattern.len() < PATTERN {
        pattern.extend_from_slice(&encoding.encode(&line(&mut random)).0);
    }
    let times = SIZE.div_ceil(pattern.len());
    pattern.repeat(times)
}
