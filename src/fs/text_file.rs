//! A file opened as text: its encoding, its line ends, and the ways to find a place in it.

use std::fs::File;

use super::detect::{Evidence, HEAD_SIZE, Verdict, detect};
use super::line_ends::{LineEnds, LineScanner};
use super::open::read_at;
use super::{Charset, Error, OpenedFile, Watch, align};

/// Blocks of this size read fastest (larger ones fall out of the second-level cache).
pub(super) const BLOCK: usize = 64 * 1024;

/// How much ASCII is skipped to find the first other byte.
const MAX_ASCII: u64 = 1024 * 1024;

/// How far back a sure character start is looked for, in bytes.
const MAX_ANCHOR_DISTANCE: u64 = 16 * 1024 * 1024;

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
}

/// Where a line begins.
#[derive(Debug, PartialEq)]
pub(crate) enum Seek {
    /// `line` counts from 1; from the end it is negative.
    At {
        offset: u64,
        line: i64,
    },
    PastEnd {
        lines: u64,
    },
}

impl TextFile {
    /// Finds out the encoding, unless the caller knows it. A file that is no text is an error.
    pub(crate) fn open(
        opened: OpenedFile,
        requested: Option<Charset>,
        fallback: Option<Charset>,
    ) -> Result<TextFile, Error> {
        let OpenedFile { file, size } = opened;
        let mut head = vec![0; HEAD_SIZE];
        let length = read_at(&file, 0, &mut head)?;
        head.truncate(length);
        let (charset, evidence) = match requested {
            Some(charset) => (charset, Evidence::Caller),
            None => match find_out(&file, &head, fallback)? {
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

    /// What a total of progress is, where it is known.
    pub(super) fn total(&self) -> Option<u64> {
        (self.size > 0).then_some(self.size)
    }

    /// Finds where line `number` begins, counting from 1.
    pub(crate) fn seek_line(&self, number: u64, watch: &Watch<'_>) -> Result<Seek, Error> {
        let line = i64::try_from(number).unwrap_or(i64::MAX);
        let mut offset = self.text_start;
        if number <= 1 {
            return self.at_if_there(offset, line, 0);
        }
        let mut ended = 0;
        let mut is_open = false;
        let mut scanner = LineScanner::new(self.ends);
        let mut block = vec![0; BLOCK];
        loop {
            let length = self.read(offset, &mut block)?;
            if length == 0 {
                break;
            }
            watch.step(offset, self.total())?;
            let block = &block[..length];
            // Counting is faster than finding, so only the block that holds the line is searched.
            let before = scanner.clone();
            let here = scanner.count(block);
            if ended + here >= number - 1 {
                return self.at_if_there(
                    before.nth(offset, block, number - 1 - ended),
                    line,
                    number - 1,
                );
            }
            ended += here;
            is_open = !self.ends.closes(block);
            offset += length as u64;
        }
        scanner.finish(offset, |_| {
            ended += 1;
            true
        });
        Ok(Seek::PastEnd {
            lines: ended + u64::from(is_open),
        })
    }

    /// A final line end starts no line, so a start counts only when a byte follows.
    fn at_if_there(&self, offset: u64, line: i64, lines: u64) -> Result<Seek, Error> {
        let mut next = [0];
        if self.read(offset, &mut next)? > 0 {
            Ok(Seek::At { offset, line })
        } else {
            Ok(Seek::PastEnd { lines })
        }
    }

    /// Finds where the last `count` lines begin, or the whole text if it has fewer.
    pub(crate) fn seek_from_end(&self, count: u64, watch: &Watch<'_>) -> Result<Seek, Error> {
        if self.size == 0 || self.ends.at_cr() {
            return self.seek_from_end_by_counting(count, watch);
        }
        let block_size = BLOCK as u64;
        let mut block = vec![0; BLOCK];
        let mut passed = 0;
        let mut end = self.size;
        while end > self.text_start {
            watch.step(self.size - end, Some(self.size))?;
            let start = ((end - 1) / block_size * block_size).max(self.text_start);
            let length = self.read(
                start,
                &mut block[..usize::try_from(end - start).unwrap_or(BLOCK)],
            )?;
            let mut here = Vec::new();
            LineScanner::new(self.ends).scan(start, &block[..length], |it| {
                here.push(it);
                true
            });
            // The line end that closes the file closes the last line and begins none.
            if here.last() == Some(&self.size) {
                here.pop();
            }
            let wanted = count - passed;
            if here.len() as u64 >= wanted {
                let index = here.len() - usize::try_from(wanted).unwrap_or(here.len());
                let line = -i64::try_from(count).unwrap_or(i64::MAX);
                return Ok(Seek::At {
                    offset: here[index],
                    line,
                });
            }
            passed += here.len() as u64;
            end = start;
        }
        self.whole(passed + 1)
    }

    fn seek_from_end_by_counting(&self, count: u64, watch: &Watch<'_>) -> Result<Seek, Error> {
        let Seek::PastEnd { lines } = self.seek_line(u64::MAX, watch)? else {
            return Ok(Seek::PastEnd { lines: 0 });
        };
        if lines <= count {
            return self.whole(lines);
        }
        match self.seek_line(lines - count + 1, watch)? {
            Seek::At { offset, .. } => {
                let line = -i64::try_from(count).unwrap_or(i64::MAX);
                Ok(Seek::At { offset, line })
            }
            past_end @ Seek::PastEnd { .. } => Ok(past_end),
        }
    }

    /// All of the text, seen from its end.
    fn whole(&self, lines: u64) -> Result<Seek, Error> {
        let line = -i64::try_from(lines).unwrap_or(i64::MAX);
        self.at_if_there(self.text_start, line, 0)
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

    /// How far before `offset` decoding has to begin, in bytes: to the start of the line where escape
    /// sequences decide what bytes mean, and nowhere else.
    pub(super) fn lead(&self, offset: u64, watch: &Watch<'_>) -> Result<u64, Error> {
        let mut start = offset;
        while self.charset.is_stateful() && start > self.text_start {
            watch.step(0, None)?;
            let next = self.text_start.max(start.saturating_sub(BLOCK as u64));
            let mut block = vec![0; usize::try_from(start - next).unwrap_or(0)];
            self.read(next, &mut block)?;
            if let Some(line_end) = memchr::memrchr(b'\n', &block) {
                return Ok(offset - (next + line_end as u64 + 1));
            }
            start = next;
        }
        Ok(offset - start)
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

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::time::{Duration, Instant};

    use super::super::Stop;
    use super::*;

    fn text_file(content: &[u8]) -> TextFile {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        let size = content.len() as u64;
        TextFile::open(OpenedFile { file, size }, None, None).unwrap()
    }

    fn seek(content: &[u8], wanted: i64) -> Seek {
        let stop = Stop::at(Instant::now() + Duration::from_secs(60));
        let watch = Watch::new(&stop, None);
        let file = text_file(content);
        if wanted > 0 {
            file.seek_line(wanted.unsigned_abs(), &watch).unwrap()
        } else {
            file.seek_from_end(wanted.unsigned_abs(), &watch).unwrap()
        }
    }

    #[test]
    fn lines_are_found_from_the_start() {
        let at = |offset, line| Seek::At { offset, line };
        let text = b"one\ntwo\nthree\n";
        assert_eq!(seek(text, 1), at(0, 1));
        assert_eq!(seek(text, 3), at(8, 3));
        assert_eq!(seek(text, 4), Seek::PastEnd { lines: 3 });
        assert_eq!(seek(b"a\nb", 2), at(2, 2));
        assert_eq!(seek(b"a\nb", 3), Seek::PastEnd { lines: 2 });
        assert_eq!(seek(b"", 1), Seek::PastEnd { lines: 0 });
        assert_eq!(seek(b"a\rb\r", 2), at(2, 2));
        assert_eq!(seek(b"a\rb\r", 3), Seek::PastEnd { lines: 2 });
        assert_eq!(seek(b"\xEF\xBB\xBFa\nb", 1), at(3, 1));
    }

    #[test]
    fn lines_are_found_from_the_end() {
        let at = |offset, line| Seek::At { offset, line };
        assert_eq!(seek(b"a\nb\n", -1), at(2, -1));
        assert_eq!(seek(b"a\nb\n", -2), at(0, -2));
        assert_eq!(seek(b"a\nb\n", -9), at(0, -2));
        assert_eq!(seek(b"a\nb", -1), at(2, -1));
        assert_eq!(seek(b"a\rb\r", -1), at(2, -1));
        assert_eq!(seek(b"", -1), Seek::PastEnd { lines: 0 });
    }

    #[test]
    fn a_line_is_found_in_any_block() {
        let text: Vec<u8> = (0..50_000)
            .flat_map(|it| format!("{it:07}\n").into_bytes())
            .collect();
        for line in [1_u64, 8_192, 8_193, 8_194, 49_999, 50_000] {
            let number = i64::try_from(line).unwrap();
            let at = |line| Seek::At {
                offset: (number as u64 - 1) * 8,
                line,
            };
            assert_eq!(seek(&text, number), at(number));
            assert_eq!(seek(&text, number - 50_001), at(number - 50_001));
        }
    }
}
