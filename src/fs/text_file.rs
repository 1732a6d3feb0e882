//! A file opened as text: its encoding, its line ends, and the character starts in it.

use std::fs::File;
use std::sync::Arc;

use super::detect::{Evidence, HEAD_SIZE, Verdict, detect};
use super::line_ends::LineEnds;
use super::line_index::{LineIndexes, Survey};
use super::open::read_at;
use super::{Charset, Error, OpenedFile, Requested, Watch, align};

/// Blocks of this size read fastest (larger ones fall out of the second-level cache).
pub(super) const BLOCK: usize = 64 * 1024;

/// How much ASCII is skipped to find the first other byte.
const MAX_ASCII: u64 = 1024 * 1024;

/// How far back a sure character start is looked for, in bytes: all of it is held in memory.
const MAX_ANCHOR_DISTANCE: u64 = 1024 * 1024;

#[derive(Debug)]
pub(crate) struct TextFile {
    file: File,
    /// Bytes, as the system said when the file was opened.
    pub(crate) size: u64,
    pub(crate) charset: Charset,
    pub(crate) evidence: Evidence,
    /// Just past the byte-order mark.
    pub(super) text_start: u64,
    pub(super) ends: LineEnds,
    indexes: Arc<LineIndexes>,
}

impl TextFile {
    /// Finds out the encoding, unless the caller knows it. A file that is no text is an error.
    pub(crate) fn open(
        opened: OpenedFile,
        requested: Requested,
        fallback: Option<Charset>,
    ) -> Result<TextFile, Error> {
        let OpenedFile {
            file,
            size,
            indexes,
        } = opened;
        let mut head = vec![0; HEAD_SIZE];
        let length = read_at(&file, 0, &mut head)?;
        head.truncate(length);
        let (charset, evidence) = match requested {
            Requested::Charset(charset) => (charset, Evidence::Caller),
            Requested::AnyOrder { unit } => (in_order(&head, unit), Evidence::Caller),
            Requested::Detect => match find_out(&file, &head, fallback)? {
                Verdict::Text(charset, evidence) => (charset, evidence),
                Verdict::Binary(kind) => return Err(Error::Binary { kind, size }),
            },
        };
        let mark = charset.byte_order_mark();
        let mark = if head.starts_with(mark) {
            mark.len()
        } else {
            0
        };
        Ok(TextFile {
            file,
            size,
            charset,
            evidence,
            text_start: mark as u64,
            ends: LineEnds::of(charset, &head[mark..]),
            indexes,
        })
    }

    /// Fills the block from `offset` on; less only at the end of the file. A file that grows is
    /// read to where it ended when it was opened; one whose size is said to be 0, to its real end.
    pub(super) fn read(&self, offset: u64, block: &mut [u8]) -> Result<usize, Error> {
        let end = if self.size == 0 { u64::MAX } else { self.size };
        let wanted = end.saturating_sub(offset).min(block.len() as u64);
        // The minimum fits, being no more than the length of the block.
        let wanted = usize::try_from(wanted).unwrap_or(block.len());
        Ok(read_at(&self.file, offset, &mut block[..wanted])?)
    }

    /// For a scan in whole blocks from the start of the text.
    pub(super) fn survey(&self) -> Survey<'_> {
        self.indexes.survey(&self.file, self.text_start, self.ends)
    }

    /// What a total of progress is, where it is known.
    pub(super) fn total(&self) -> Option<u64> {
        (self.size > 0).then_some(self.size)
    }

    /// The character start at or before a byte offset.
    pub(crate) fn floor(&self, offset: u64, watch: &Watch<'_>) -> Result<u64, Error> {
        if offset <= self.text_start {
            return Ok(self.text_start);
        }
        let lowest = self
            .text_start
            .max(offset.saturating_sub(MAX_ANCHOR_DISTANCE));
        let mut start = offset;
        let mut before = Vec::new();
        loop {
            watch.step(0, None)?;
            // In whole units from the start of the text, so that units stay whole.
            let unit = self.ends.unit() as u64;
            let next = lowest.max(start.saturating_sub(BLOCK as u64));
            let next = next - (next - self.text_start) % unit;
            let mut block = vec![0; usize::try_from(start - next).unwrap_or(0)];
            let length = self.read(next, &mut block)?;
            if length < block.len() {
                // Past the end, where there are no characters.
                return Ok(offset);
            }
            block.extend_from_slice(&before);
            before = block;
            start = next;
            if let Some(sure) = align::anchor(self.charset, &before) {
                return self.floor_after(start + sure as u64, offset);
            }
            if start <= lowest {
                let is_sure = start == self.text_start;
                return if is_sure {
                    self.floor_after(start, offset)
                } else {
                    Ok(offset)
                };
            }
        }
    }

    /// What has to be decoded before the bytes at `offset`: where escape sequences decide what bytes mean,
    /// the last one of the line. With it comes the character before the offset, since two sequences with
    /// nothing between them would be an error.
    pub(super) fn lead(&self, offset: u64, watch: &Watch<'_>) -> Result<Vec<u8>, Error> {
        let Some((start, mut lead)) = self.last_escape(offset, watch)? else {
            return Ok(Vec::new());
        };
        let width = if lead[1] == b'$' { 2 } else { 1 };
        if start + (lead.len() + width) as u64 <= offset {
            let mut last = vec![0; width];
            self.read(offset - width as u64, &mut last)?;
            lead.extend(last);
        }
        Ok(lead)
    }

    /// The last escape sequence before `offset` in its line, and where it begins.
    fn last_escape(&self, offset: u64, watch: &Watch<'_>) -> Result<Option<(u64, Vec<u8>)>, Error> {
        let mut end = offset;
        while self.charset.is_stateful() && end > self.text_start {
            watch.step(0, None)?;
            let start = self.text_start.max(end.saturating_sub(BLOCK as u64));
            // A sequence may be cut by the end of the block.
            let block_end = offset.min(end + align::ESCAPE as u64 - 1);
            let mut block = vec![0; usize::try_from(block_end - start).unwrap_or(0)];
            let length = self.read(start, &mut block)?;
            block.truncate(length);
            let line_end = memchr::memrchr(b'\n', &block);
            let escape = align::last_escape(&block).filter(|it| Some(*it) > line_end);
            if let Some(escape) = escape {
                let sequence = block[escape..escape + align::ESCAPE].to_vec();
                return Ok(Some((start + escape as u64, sequence)));
            }
            if line_end.is_some() {
                break;
            }
            end = start;
        }
        Ok(None)
    }

    /// The character start at or before `offset`, knowing that one is at `sure`.
    fn floor_after(&self, sure: u64, offset: u64) -> Result<u64, Error> {
        // Enough beyond the offset to see an LF that belongs to a CR before it.
        let mut raw = vec![0; usize::try_from(offset - sure).unwrap_or(0) + self.ends.unit()];
        let length = self.read(sure, &mut raw)?;
        let position = usize::try_from(offset - sure).unwrap_or(length);
        if position > length {
            return Ok(offset);
        }
        Ok(sure + align::floor(self.charset, &raw[..length], position) as u64)
    }
}

/// UTF-16 or UTF-32 in the order of bytes that the head shows by its mark or by what it holds; little-endian
/// where it shows none, as in the WHATWG Encoding Standard.
fn in_order(head: &[u8], unit: usize) -> Charset {
    match detect(head, head.len() < HEAD_SIZE, None) {
        Verdict::Text(charset, _) if charset.unit() == unit => charset,
        _ => Charset::wide(unit, false),
    }
}

/// Judges a file by its head, and where that is all ASCII, by the first stretch that is not: source
/// files may have pages of code before the first comment.
fn find_out(file: &File, head: &[u8], fallback: Option<Charset>) -> Result<Verdict, Error> {
    let verdict = detect(head, head.len() < HEAD_SIZE, fallback);
    let is_ascii = verdict == Verdict::Text(Charset::UTF8, Evidence::Valid) && head.is_ascii();
    if !is_ascii || head.len() < HEAD_SIZE {
        return Ok(verdict);
    }
    let mut block = vec![0; HEAD_SIZE];
    let mut offset = head.len() as u64;
    while offset < MAX_ASCII {
        let length = read_at(file, offset, &mut block)?;
        if let Some(first) = block[..length].iter().position(|it| !it.is_ascii()) {
            let length = read_at(file, offset + first as u64, &mut block)?;
            return Ok(
                match detect(&block[..length], length < HEAD_SIZE, fallback) {
                    // The head has shown that it is text.
                    Verdict::Binary(_) => verdict,
                    later => later,
                },
            );
        }
        if length < HEAD_SIZE {
            break;
        }
        offset += length as u64;
    }
    Ok(verdict)
}
