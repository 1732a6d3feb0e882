//! Splits a byte stream into messages: one message a line.
//!
//! A line ends at LF; one CR before it and a byte-order mark at its start are dropped, blank lines
//! are skipped, and a last line without LF is served. A line over the cap costs that line only.

use std::io::{self, Read};

/// How much is asked of the stream at once.
const READ_SIZE: usize = 64 * 1024;

/// How much of a line over the cap is kept, to find its id in.
const HEAD_SIZE: usize = 64 * 1024;

/// A buffer that grew past this is given back once its line is done.
const KEPT_CAPACITY: usize = 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

#[derive(Debug, PartialEq)]
pub(crate) enum Frame<'a> {
    /// One message without its line end; never blank.
    Line(&'a [u8]),
    /// A line over the cap: how it began, and its length in bytes.
    TooLong { head: &'a [u8], bytes: u64 },
    /// The stream has ended.
    End,
}

/// Reads frames from any byte stream.
#[derive(Debug)]
pub(crate) struct FrameReader<R> {
    input: R,
    buffer: Vec<u8>,
    /// `buffer[start..]` is unread; its first `searched` bytes hold no LF.
    start: usize,
    searched: usize,
    max_line: usize,
    ended: bool,
}

impl<R: Read> FrameReader<R> {
    /// `max_line` is the cap on one line, in bytes without its line end.
    pub(crate) fn new(input: R, max_line: usize) -> Self {
        FrameReader {
            input,
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            max_line,
            ended: false,
        }
    }

    /// The next message. An error is one of the stream itself; after it only the end follows.
    pub(crate) fn next(&mut self) -> io::Result<Frame<'_>> {
        loop {
            self.give_back();
            let pending = &self.buffer[self.start..];
            let line_end = memchr::memchr(b'\n', &pending[self.searched..])
                .map(|position| self.searched + position);
            let length = match line_end {
                Some(length) => length,
                None if self.ended && pending.is_empty() => return Ok(Frame::End),
                None if self.ended => pending.len(),
                None if pending.len() > self.max_line + 1 => return self.discard_line(),
                None => {
                    self.searched = pending.len();
                    self.fill()?;
                    continue;
                }
            };
            let line = self.start..self.start + length;
            self.start += length + usize::from(line_end.is_some());
            self.searched = 0;
            let content = trim(&self.buffer[line.clone()]);
            if content.is_empty() {
                continue;
            }
            // Measured again below because the borrow checker wants the return at the end.
            if content.len() > self.max_line {
                let head = line.start..line.start + length.min(HEAD_SIZE);
                return Ok(Frame::TooLong {
                    head: &self.buffer[head],
                    bytes: length as u64,
                });
            }
            return Ok(Frame::Line(trim(&self.buffer[line])));
        }
    }

    /// Moves what is unread to the front, and frees a buffer that one long line had blown up.
    fn give_back(&mut self) {
        if self.start == self.buffer.len() {
            self.buffer.clear();
            self.start = 0;
            if self.buffer.capacity() > KEPT_CAPACITY {
                self.buffer = Vec::new();
            }
        } else if self.start > READ_SIZE {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        let filled = self.buffer.len();
        self.buffer.resize(filled + READ_SIZE, 0);
        let outcome = self.input.read(&mut self.buffer[filled..]);
        let count = *outcome.as_ref().unwrap_or(&0);
        self.buffer.truncate(filled + count);
        self.ended = count == 0;
        match outcome {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                self.ended = false;
                Ok(())
            }
            Err(error) => Err(error),
            Ok(_) => Ok(()),
        }
    }

    /// Reads on to the next LF without keeping anything but how the line began.
    fn discard_line(&mut self) -> io::Result<Frame<'_>> {
        let mut bytes = (self.buffer.len() - self.start) as u64;
        let mut kept = self.buffer[self.start..][..HEAD_SIZE.min(bytes as usize)].to_vec();
        self.buffer = Vec::new();
        self.start = 0;
        self.searched = 0;
        while !self.ended {
            self.buffer.clear();
            self.fill()?;
            if let Some(position) = memchr::memchr(b'\n', &self.buffer) {
                bytes += position as u64;
                self.start = position + 1;
                break;
            }
            bytes += self.buffer.len() as u64;
            self.start = self.buffer.len();
        }
        // The head goes in front of what is still unread, so that it can be lent out.
        let head = 0..kept.len();
        kept.extend_from_slice(&self.buffer[self.start..]);
        self.buffer = kept;
        self.start = head.end;
        Ok(Frame::TooLong {
            head: &self.buffer[head],
            bytes,
        })
    }
}

/// Drops what surrounds a message on its line: a byte-order mark, a CR, and white space.
fn trim(line: &[u8]) -> &[u8] {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    line.trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that hands out its pieces one read at a time.
    struct Pieces<'a>(Vec<&'a [u8]>);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let piece = self.0.remove(0);
            buffer[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }

    #[track_caller]
    fn check(pieces: &[&[u8]], expected: &[&str]) {
        let mut reader = FrameReader::new(Pieces(pieces.to_vec()), 20);
        let mut seen = Vec::new();
        loop {
            match reader.next().unwrap() {
                Frame::Line(line) => seen.push(String::from_utf8_lossy(line).into_owned()),
                Frame::TooLong { head, bytes } => {
                    seen.push(format!("{} of {bytes}", String::from_utf8_lossy(head)));
                }
                Frame::End => break,
            }
        }
        assert_eq!(seen, expected);
    }

    #[test]
    fn lines_end_at_lf_or_crlf_and_blank_ones_are_skipped() {
        check(&[b"a\r\n\n \r\nb\n"], &["a", "b"]);
    }

    #[test]
    fn a_line_may_arrive_in_pieces_and_the_last_needs_no_lf() {
        check(&[b"ab", b"c\nd", b"e"], &["abc", "de"]);
    }

    #[test]
    fn a_byte_order_mark_is_dropped_at_the_start_of_any_line() {
        check(&[b"\xEF\xBB\xBFa\n\xEF\xBB\xBFb\n"], &["a", "b"]);
    }

    #[test]
    fn a_line_over_the_cap_is_reported_and_the_next_one_served() {
        check(
            &[b"0123456789", b"0123456789", b"0123456789", b"0\nok\n"],
            &["012345678901234567890123456789 of 31", "ok"],
        );
        check(
            &[b"0123456789012345678901234\nok"],
            &["0123456789012345678901234 of 25", "ok"],
        );
        check(&[b"01234567890123456789\n"], &["01234567890123456789"]);
        check(
            &[b"012345678901234567890123456789"],
            &["012345678901234567890123456789 of 30"],
        );
    }
}
