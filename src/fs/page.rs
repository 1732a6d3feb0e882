//! One page of a text: as much as fits, cut where nothing is lost.
//!
//! **Joining the pages gives the decoded text**: a page ends at a line end, or, inside a line that
//! is longer than a page, between two characters.

use super::align;
use super::decode::{TextDecoder, decode_all};
use super::escape::escape_controls;
use super::line_ends::{LineEnds, LineScanner};
use super::text_file::BLOCK;
use super::{Charset, Error, Evidence, TextFile, Watch};

/// Where a page begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    /// Raw bytes from the start of the file; a character start.
    pub(crate) offset: u64,
    /// The line that begins or goes on there; negative from the end; unknown after a byte offset.
    pub(crate) line: Option<i64>,
}

/// How much fits on a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Bytes of text as UTF-8.
    pub(crate) bytes: usize,
    pub(crate) lines: Option<u64>,
}

#[derive(Debug)]
pub(crate) struct Page {
    /// Decoded, with control characters escaped; line ends as they are.
    pub(crate) text: String,
    /// Raw bytes from the start of the file: where the page ends and the next begins.
    pub(crate) end: u64,
    /// Lines that end on this page.
    pub(crate) lines: u64,
    /// Nothing follows.
    pub(crate) is_last: bool,
    /// The page ends inside a line.
    pub(crate) is_mid_line: bool,
    /// Sequences that stand for no character.
    pub(crate) invalid: u64,
    /// Control characters that were escaped.
    pub(crate) escaped: u64,
}

/// Raw bytes from the start of the page on, with the offsets of the line ends in them.
struct Stretch {
    raw: Vec<u8>,
    /// Where each line ends in `raw`, as far as lines are wanted.
    ends: Vec<usize>,
    /// The file has no more.
    is_last: bool,
}

pub(crate) fn read_page(
    file: &TextFile,
    from: Position,
    limits: Limits,
    watch: &Watch<'_>,
) -> Result<Page, Error> {
    let stretch = read_stretch(file, from.offset, limits, watch)?;
    let cut = find_cut(file.charset, file.ends, &stretch, limits);
    let raw = &stretch.raw[..cut];
    let (text, invalid) = decode_all(file.charset, raw);
    if file.evidence != Evidence::Caller && text.contains("\0\0") {
        let size = file.size;
        return Err(Error::Binary { kind: None, size });
    }
    let (text, escaped) = escape_controls(&text);
    let lines = stretch.ends.partition_point(|it| *it <= cut);
    let is_last = stretch.is_last && cut == stretch.raw.len();
    Ok(Page {
        text: text.into_owned(),
        end: from.offset + cut as u64,
        lines: lines as u64,
        is_last,
        is_mid_line: !is_last && cut > 0 && !stretch.ends.contains(&cut),
        invalid,
        escaped,
    })
}

/// Reads until the page is full for sure, by its lines or by its bytes.
fn read_stretch(
    file: &TextFile,
    offset: u64,
    limits: Limits,
    watch: &Watch<'_>,
) -> Result<Stretch, Error> {
    let wanted_lines = limits
        .lines
        .map_or(usize::MAX, |it| usize::try_from(it).unwrap_or(usize::MAX));
    let mut stretch = Stretch {
        raw: Vec::new(),
        ends: Vec::new(),
        is_last: false,
    };
    let mut text = String::new();
    let mut decoder = TextDecoder::new(file.charset);
    let mut scanner = LineScanner::new(file.ends);
    loop {
        let done = stretch.raw.len();
        watch.step(done as u64, None)?;
        stretch.raw.resize(done + BLOCK, 0);
        let length = file.read(offset + done as u64, &mut stretch.raw[done..])?;
        stretch.raw.truncate(done + length);
        let block = &stretch.raw[done..];
        let ends = &mut stretch.ends;
        let mut note = |end: u64| {
            // Offsets are relative to the page here, so they fit.
            ends.push(usize::try_from(end).unwrap_or(usize::MAX));
            ends.len() < wanted_lines
        };
        scanner.scan(done as u64, block, &mut note);
        if length == 0 {
            scanner.finish(done as u64, note);
            stretch.is_last = true;
            return Ok(stretch);
        }
        decoder.decode(block, false, &mut text);
        if stretch.ends.len() >= wanted_lines || text.len() > limits.bytes {
            let next = offset + stretch.raw.len() as u64;
            stretch.is_last = file.read(next, &mut [0])? == 0;
            return Ok(stretch);
        }
    }
}

/// Where the page ends, in raw bytes from its start.
fn find_cut(charset: Charset, ends: LineEnds, stretch: &Stretch, limits: Limits) -> usize {
    let by_lines = match limits.lines {
        Some(lines) if stretch.ends.len() as u64 >= lines => stretch.ends.last().copied(),
        _ => None,
    };
    let most = by_lines.unwrap_or(stretch.raw.len());
    let fits = |text: &str| escape_controls(text).0.len() <= limits.bytes;
    let whole = decode_all(charset, &stretch.raw[..most]).0;
    if fits(&whole) {
        // A character that the end of the last block cut in two stays for the next page.
        let is_whole = by_lines.is_some() || stretch.is_last;
        return if is_whole {
            most
        } else {
            align::floor(charset, &stretch.raw, most)
        };
    }
    // Line ends are the same characters in the text as in the raw bytes, so the n-th of one is the
    // n-th of the other.
    let escaped = escape_controls(&whole).0;
    let mut fitting = 0;
    let mut scanner = LineScanner::new(ends.of_text());
    scanner.scan(0, escaped.as_bytes(), |end| {
        let is_in = end <= limits.bytes as u64;
        fitting += usize::from(is_in);
        is_in
    });
    match fitting
        .checked_sub(1)
        .and_then(|last| stretch.ends.get(last))
    {
        Some(end) => *end,
        None => align::longest(charset, &stretch.raw[..most], fits),
    }
}
