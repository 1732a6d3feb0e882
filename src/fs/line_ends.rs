//! Where lines end in raw bytes, whatever the encoding.
//!
//! LF is never the second byte of a character in any encoding that is read here, so lines can be
//! found without decoding them; in UTF-16 and UTF-32 it is looked for unit by unit.

use super::Charset;

/// What ends a line in one file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LineEnds {
    unit: usize,
    big_endian: bool,
    /// Lines end at CR too, with an LF after it or without: files from before Mac OS X.
    at_cr: bool,
}

impl LineEnds {
    /// A file whose head has CR and no LF ends its lines at CR too. The one place that decides.
    pub(super) fn of(charset: Charset, head: &[u8]) -> LineEnds {
        let mut ends = LineEnds {
            unit: charset.unit(),
            big_endian: charset.is_big_endian(),
            at_cr: false,
        };
        let has =
            |wanted| (0..head.len() / ends.unit).any(|it| ends.is(head, it * ends.unit, wanted));
        // Escape sequences last to the LF; such files are younger than lines that end at CR.
        ends.at_cr = !charset.is_stateful()
            && memchr::memchr(b'\r', head).is_some()
            && has(b'\r')
            && !has(b'\n');
        ends
    }

    /// What ends a line in the same text once it is decoded.
    pub(super) fn of_text(self) -> LineEnds {
        LineEnds {
            unit: 1,
            big_endian: false,
            at_cr: self.at_cr,
        }
    }

    pub(super) fn at_cr(self) -> bool {
        self.at_cr
    }

    pub(super) fn unit(self) -> usize {
        self.unit
    }

    /// Whether the unit at `position` is this ASCII character.
    pub(super) fn is(self, raw: &[u8], position: usize, wanted: u8) -> bool {
        let Some(unit) = raw.get(position..).and_then(|it| it.get(..self.unit)) else {
            return false;
        };
        let significant = if self.big_endian { self.unit - 1 } else { 0 };
        unit.iter()
            .enumerate()
            .all(|(at, byte)| *byte == if at == significant { wanted } else { 0 })
    }

    /// Whether a line ends where this block does.
    pub(super) fn closes(self, block: &[u8]) -> bool {
        let last = block.len().wrapping_sub(self.unit);
        self.is(block, last, b'\n') || self.at_cr && self.is(block, last, b'\r')
    }

    /// A text without its line end.
    pub(super) fn trim_end(self, text: &str) -> &str {
        let without_lf = text.strip_suffix('\n');
        match without_lf.unwrap_or(text) {
            // A CR alone at the end is a line end only where CR ends lines.
            rest if without_lf.is_some() || self.at_cr => rest.strip_suffix('\r').unwrap_or(rest),
            rest => rest,
        }
    }
}

/// Finds line ends in consecutive blocks of one file.
#[derive(Clone, Debug)]
pub(super) struct LineScanner {
    ends: LineEnds,
    /// A CR was the last unit; whether an LF belongs to it is not known yet.
    after_cr: bool,
}

impl LineScanner {
    pub(super) fn new(ends: LineEnds) -> LineScanner {
        LineScanner {
            ends,
            after_cr: false,
        }
    }

    /// Calls `found` with the offset just past every line end, until it returns false.
    /// `offset` is where the block begins; blocks begin at a unit's start.
    pub(super) fn scan(&mut self, offset: u64, block: &[u8], mut found: impl FnMut(u64) -> bool) {
        if self.ends.at_cr {
            self.scan_cr(offset, block, found);
        } else if self.ends.unit == 1 {
            for position in memchr::memchr_iter(b'\n', block) {
                if !found(offset + position as u64 + 1) {
                    return;
                }
            }
        } else {
            let lead = if self.ends.big_endian {
                self.ends.unit - 1
            } else {
                0
            };
            for position in memchr::memchr_iter(b'\n', block) {
                let start = position.wrapping_sub(lead);
                let aligned = position >= lead && start.is_multiple_of(self.ends.unit);
                if aligned && self.ends.is(block, start, b'\n') {
                    let end = start + self.ends.unit;
                    if !found(offset + end as u64) {
                        return;
                    }
                }
            }
        }
    }

    fn scan_cr(&mut self, offset: u64, block: &[u8], mut found: impl FnMut(u64) -> bool) {
        let unit = self.ends.unit;
        for start in (0..block.len() / unit).map(|it| it * unit) {
            let is_lf = self.ends.is(block, start, b'\n');
            if self.after_cr && !is_lf && !found(offset + start as u64) {
                self.after_cr = false;
                return;
            }
            self.after_cr = self.ends.is(block, start, b'\r');
            if is_lf && !found(offset + (start + unit) as u64) {
                return;
            }
        }
    }

    /// At the end of the file: a CR that was last ends its line there.
    pub(super) fn finish(self, end: u64, mut found: impl FnMut(u64) -> bool) {
        if self.after_cr {
            found(end);
        }
    }

    /// The offset just past the `n`-th line end of this block, which has as many.
    pub(super) fn nth(mut self, offset: u64, block: &[u8], n: u64) -> u64 {
        let mut passed = 0;
        let mut found = offset;
        self.scan(offset, block, |end| {
            passed += 1;
            found = end;
            passed < n
        });
        found
    }

    /// How many lines end in this block.
    pub(super) fn count(&mut self, block: &[u8]) -> u64 {
        if self.ends.unit == 1 && !self.ends.at_cr {
            return bytecount::count(block, b'\n') as u64;
        }
        let mut count = 0;
        self.scan(0, block, |_| {
            count += 1;
            true
        });
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(charset: &str, raw: &[u8], expected: &[u64]) {
        let ends = LineEnds::of(Charset::from_label(charset).unwrap(), raw);
        // Whatever the blocks are, the ends are the same.
        for block_size in [ends.unit, 4, 64] {
            let mut scanner = LineScanner::new(ends);
            let mut seen = Vec::new();
            let mut offset = 0;
            for block in raw.chunks(block_size) {
                scanner.scan(offset, block, |end| {
                    seen.push(end);
                    true
                });
                offset += block.len() as u64;
            }
            scanner.finish(offset, |end| {
                seen.push(end);
                true
            });
            assert_eq!(seen, expected, "blocks of {block_size}");
        }
    }

    #[test]
    fn lines_end_at_lf_whatever_is_before_it() {
        check("utf-8", b"a\r\nb\rc\nd", &[3, 7]);
        check("utf-16le", b"a\0\r\0\n\0\x0A\x0Ab\0\n\0", &[6, 12]);
        check("utf-16be", b"\0a\0\n\x0A\x00\0\n", &[4, 8]);
        check("utf-32le", b"a\0\0\0\n\0\0\0", &[8]);
    }

    #[test]
    fn without_any_lf_they_end_at_cr() {
        check("utf-8", b"a\rb\r\rc\r", &[2, 4, 5, 7]);
        check("utf-16le", b"a\0\r\0b\0", &[4]);
    }

    #[test]
    fn a_line_is_shown_without_its_end() {
        let plain = LineEnds::of(Charset::UTF8, b"a\n");
        let cr = LineEnds::of(Charset::UTF8, b"a\rb");
        assert_eq!(plain.trim_end("a\r\n"), "a");
        assert_eq!(plain.trim_end("a\r"), "a\r");
        assert_eq!(cr.trim_end("a\r"), "a");
    }
}
