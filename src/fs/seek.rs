//! Finds a line of a text by its number, from the start or from the end.

use super::line_ends::LineScanner;
use super::line_index::Survey;
use super::text_file::BLOCK;
use super::{Error, TextFile, Watch};

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

/// What a scan came to.
enum Passed {
    /// The end of the line that was wanted, as an offset in the file.
    Ends(u64),
    /// The end of the text, which has fewer lines.
    All { lines: u64 },
}

impl TextFile {
    /// Finds where line `number` begins, counting from 1.
    pub(crate) fn seek_line(&self, number: u64, watch: &Watch<'_>) -> Result<Seek, Error> {
        let line = i64::try_from(number).unwrap_or(i64::MAX);
        if number <= 1 {
            return self.at_if_there(self.text_start, line, 0);
        }
        let mut survey = self.survey();
        let passed = self.pass(number - 1, &mut survey, watch);
        // However the scan ended, what it has counted need not be counted again.
        survey.keep();
        match passed? {
            Passed::Ends(offset) => self.at_if_there(offset, line, number - 1),
            Passed::All { lines } => Ok(Seek::PastEnd { lines }),
        }
    }

    /// Finds the end of line `wanted`, counting from 1.
    fn pass(
        &self,
        wanted: u64,
        survey: &mut Survey<'_>,
        watch: &Watch<'_>,
    ) -> Result<Passed, Error> {
        let nearest = survey.nearest(wanted);
        let mut expected = nearest.expected;
        let mut ended = nearest.ended;
        let mut offset = self.text_start + (nearest.block * BLOCK) as u64;
        let mut is_open = false;
        let mut scanner = LineScanner::new(self.ends);
        let mut block = vec![0; BLOCK];
        loop {
            let length = self.read(offset, &mut block)?;
            let block = &block[..length];
            let before = scanner.clone();
            // Counting is faster than finding, so only the block that holds the line is searched.
            let here = scanner.count(block);
            if expected.take().is_some_and(|it| it != here) {
                // Written to in a way that its times do not tell.
                survey.start_over();
                return self.pass(wanted, survey, watch);
            }
            if length == 0 {
                break;
            }
            watch.step(offset, self.total())?;
            if ended + here >= wanted {
                return Ok(Passed::Ends(before.nth(offset, block, wanted - ended)));
            }
            ended += here;
            is_open = !self.ends.closes(block);
            offset += length as u64;
            if length == BLOCK {
                survey.push(ended);
            }
        }
        scanner.finish(offset, |_| {
            ended += 1;
            true
        });
        Ok(Passed::All {
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
        // Where the bytes end, which may be before the size that the system states.
        let mut real_end = self.size;
        let mut end = self.size;
        while end > self.text_start {
            watch.step(self.size - end, Some(self.size))?;
            let start = ((end - 1) / block_size * block_size).max(self.text_start);
            let length = self.read(
                start,
                &mut block[..usize::try_from(end - start).unwrap_or(BLOCK)],
            )?;
            if end == real_end && start + (length as u64) < end {
                real_end = start + length as u64;
            }
            let mut here = Vec::new();
            LineScanner::new(self.ends).scan(start, &block[..length], |it| {
                here.push(it);
                true
            });
            // The line end that closes the file closes the last line and begins none.
            if here.last() == Some(&real_end) {
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
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::time::{Duration, Instant};

    use super::super::{OpenedFile, Requested, Stop};
    use super::*;

    fn text_file(content: &[u8]) -> TextFile {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        let size = content.len() as u64;
        let indexes = Default::default();
        let opened = OpenedFile {
            file,
            size,
            indexes,
        };
        TextFile::open(opened, Requested::Detect, None).unwrap()
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
