//! A text line by line, in constant memory: of a very long line only its beginning is kept.

use std::collections::VecDeque;

use super::align;
use super::decode::decode_all;
use super::detect::is_binary;
use super::escape::escape_controls;
use super::line_ends::LineScanner;
use super::text_file::BLOCK;
use super::{Error, Evidence, TextFile, Watch};

/// Characters of a line that are shown.
pub(crate) const MAX_CHARS: usize = 2_000;

/// Raw bytes of a line that are kept: enough for [`MAX_CHARS`] in any encoding, and then some.
const KEPT: usize = MAX_CHARS * 8;

#[derive(Debug)]
pub(crate) struct Line {
    /// Without its line end, control characters escaped.
    pub(crate) text: String,
    /// Where the rest of the line begins, in raw bytes of the file, if not all of it is shown.
    pub(crate) rest: Option<u64>,
    pub(crate) invalid: u64,
    pub(crate) escaped: u64,
}

#[derive(Debug)]
pub(crate) struct LineReader<'a> {
    file: &'a TextFile,
    block: Vec<u8>,
    /// Where `block` begins in the file, and where in the file the next line begins.
    block_start: u64,
    line_start: u64,
    /// Ends of lines in `block`, as offsets in the file.
    ends: VecDeque<u64>,
    scanner: Option<LineScanner>,
}

impl<'a> LineReader<'a> {
    /// `offset` is where a line begins.
    pub(crate) fn new(file: &'a TextFile, offset: u64) -> Self {
        LineReader {
            file,
            block: Vec::new(),
            block_start: offset,
            line_start: offset,
            ends: VecDeque::new(),
            scanner: Some(LineScanner::new(file.ends)),
        }
    }

    /// The next line, or nothing at the end of the file.
    pub(crate) fn next(&mut self, watch: &Watch<'_>) -> Result<Option<Line>, Error> {
        let start = self.line_start;
        let mut kept = Vec::new();
        let end = loop {
            let block_end = self.block_start + self.block.len() as u64;
            let end = self.ends.front().copied();
            self.keep(start, end.unwrap_or(block_end), &mut kept);
            if let Some(end) = end {
                self.ends.pop_front();
                break end;
            }
            if self.scanner.is_none() {
                break block_end;
            }
            watch.step(block_end, self.file.total())?;
            self.read_block(block_end)?;
        };
        self.line_start = end;
        if end == start {
            return Ok(None);
        }
        self.show(start, end, &kept).map(Some)
    }

    /// Adds what this block has of the line from `start` to `end`, until enough is kept.
    fn keep(&self, start: u64, end: u64, kept: &mut Vec<u8>) {
        let have = start + kept.len() as u64;
        let end = end.min(start + KEPT as u64);
        if have < end && have >= self.block_start {
            let range = [have, end].map(|it| usize::try_from(it - self.block_start).unwrap_or(0));
            kept.extend_from_slice(&self.block[range[0]..range[1]]);
        }
    }

    fn read_block(&mut self, offset: u64) -> Result<(), Error> {
        self.block_start = offset;
        self.block.resize(BLOCK, 0);
        let length = self.file.read(offset, &mut self.block)?;
        self.block.truncate(length);
        let ends = &mut self.ends;
        let mut note = |end| {
            ends.push_back(end);
            true
        };
        if let Some(scanner) = &mut self.scanner {
            scanner.scan(offset, &self.block, &mut note);
        }
        if length == 0
            && let Some(scanner) = self.scanner.take()
        {
            scanner.finish(offset, note);
        }
        Ok(())
    }

    fn show(&self, start: u64, end: u64, kept: &[u8]) -> Result<Line, Error> {
        let charset = self.file.charset;
        let is_whole = start + kept.len() as u64 == end;
        let (text, invalid) = decode_all(charset, kept);
        let shown = self.file.ends.trim_end(&text);
        let fits = |it: &str| it.chars().nth(MAX_CHARS).is_none();
        let (text, invalid, rest) = if is_whole && fits(shown) {
            (shown.to_owned(), invalid, None)
        } else {
            let cut = align::longest(charset, kept, fits);
            let (text, invalid) = decode_all(charset, &kept[..cut]);
            (text, invalid, Some(start + cut as u64))
        };
        if self.file.evidence != Evidence::Caller && is_binary(&text) {
            let size = self.file.size;
            return Err(Error::Binary { kind: None, size });
        }
        let (text, escaped) = escape_controls(&text);
        // A CR inside a line would let the rest overwrite it on a terminal.
        let returns = text.matches('\r').count() as u64;
        Ok(Line {
            text: if returns > 0 {
                text.replace('\r', "\\x0D")
            } else {
                text.into_owned()
            },
            rest,
            invalid,
            escaped: escaped + returns,
        })
    }
}
