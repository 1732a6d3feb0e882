//! What is remembered of a file, whatever is done to it between two calls.

use std::fs::OpenOptions;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::sync::Arc;
use std::time::Instant;

use proptest::prelude::*;
use tempfile::NamedTempFile;

use super::super::{Charset, OpenedFile, Requested, Seek, Stop, TextFile, Watch, count};
use super::*;

const LINES: u64 = 200_000;
const LINE: usize = 16;

/// A file that nobody has touched for an hour, and what is remembered of it.
struct Place {
    file: NamedTempFile,
    indexes: Arc<LineIndexes>,
}

impl Place {
    fn new(content: &[u8]) -> Place {
        let file = NamedTempFile::new().unwrap();
        std::fs::write(&file, content).unwrap();
        let indexes = Arc::default();
        let place = Place { file, indexes };
        place.rest(3_600);
        place
    }

    fn writer(&self) -> File {
        OpenOptions::new().write(true).open(&self.file).unwrap()
    }

    fn write_at(&self, offset: u64, content: &[u8]) {
        let mut file = self.writer();
        file.seek(SeekFrom::Start(offset)).unwrap();
        file.write_all(content).unwrap();
    }

    /// Makes the last change look so many seconds old.
    fn rest(&self, seconds: u64) {
        let time = SystemTime::now() - Duration::from_secs(seconds);
        self.writer().set_modified(time).unwrap();
    }

    fn open(&self) -> TextFile {
        let file = File::open(&self.file).unwrap();
        let size = file.metadata().unwrap().len();
        let indexes = Arc::clone(&self.indexes);
        let opened = OpenedFile {
            file,
            size,
            indexes,
        };
        TextFile::open(opened, Requested::Charset(Charset::UTF8), None).unwrap()
    }

    fn seek(&self, line: u64) -> Seek {
        let stop = Stop::at(Instant::now() + Duration::from_secs(60));
        let watch = Watch::new(&stop, None);
        self.open().seek_line(line, &watch).unwrap()
    }

    fn count(&self) {
        let stop = Stop::at(Instant::now() + Duration::from_secs(60));
        count(&self.open(), &Watch::new(&stop, None)).unwrap();
    }

    /// Where a scan for that line would begin.
    fn nearest(&self, line: u64) -> usize {
        self.open().survey().nearest(line - 1).block
    }

    /// Lines that begin at a multiple of [`LINE`], found where they are.
    #[track_caller]
    fn check_even(&self, lines: u64) {
        for line in [2, 4_096, 4_097, 4_098, lines / 2, lines] {
            let offset = (line - 1) * LINE as u64;
            let number = i64::try_from(line).unwrap();
            let line_found = self.seek(line);
            assert_eq!(
                line_found,
                Seek::At {
                    offset,
                    line: number
                }
            );
        }
        assert_eq!(self.seek(lines + 1), Seek::PastEnd { lines });
    }
}

fn even_lines(lines: u64) -> Vec<u8> {
    b"fifteen letters\n".repeat(usize::try_from(lines).unwrap())
}

#[test]
fn a_scan_is_remembered_and_the_next_one_begins_beside_the_line() {
    let place = Place::new(&even_lines(LINES));
    assert_eq!(place.nearest(LINES), 0);
    place.check_even(LINES);
    let block = LINES * LINE as u64 / BLOCK as u64;
    assert_eq!(place.nearest(LINES) as u64, block - 1);
    assert_eq!(place.nearest(2), 0);
    // A line that begins with a block ends with the one before it.
    assert_eq!(place.nearest(4_097), 0);
    assert_eq!(place.nearest(4_098), 1);
    place.check_even(LINES);
}

#[test]
fn a_scan_that_ends_early_is_gone_on_with() {
    let place = Place::new(&even_lines(LINES));
    place.seek(50_000);
    let known = place.nearest(LINES);
    assert_eq!(known as u64, 50_000 * LINE as u64 / BLOCK as u64 - 1);
    place.check_even(LINES);
    assert!(place.nearest(LINES) > known);
}

#[test]
fn counting_a_file_finds_its_lines_for_later() {
    for content in [
        even_lines(LINES),
        "f\u{fc}nfzehn l\u{e4}nge\n"
            .as_bytes()
            .repeat(LINES as usize),
    ] {
        let place = Place::new(&content);
        place.count();
        let counted = place.nearest(LINES);
        assert_eq!(counted, content.len() / BLOCK - 1);
        let found = place.seek(LINES - 1);
        assert_eq!(found, Place::new(&content).seek(LINES - 1));
    }
}

#[test]
fn a_file_that_grows_keeps_what_is_known() {
    let place = Place::new(&even_lines(LINES));
    place.check_even(LINES);
    let known = place.nearest(LINES);
    let end = LINES * LINE as u64;
    place.write_at(end, &even_lines(LINES));
    place.rest(100);
    assert_eq!(place.nearest(2 * LINES), known);
    place.check_even(2 * LINES);
}

#[test]
fn a_file_that_is_written_to_otherwise_is_unknown() {
    let edits: [fn(&Place); 4] = [
        // Its size as before.
        |place| place.write_at(100, b"\n\n\n"),
        // Shorter.
        |place| place.writer().set_len(2_000_000).unwrap(),
        // Longer, with another beginning.
        |place| {
            let content = [b"one more line\n", &*even_lines(LINES)].concat();
            place.write_at(0, &content);
        },
        // Longer and replaced.
        |place| {
            let content = b"x\n".repeat(4_000_000);
            place.write_at(0, &content);
        },
    ];
    for (number, edit) in edits.into_iter().enumerate() {
        let place = Place::new(&even_lines(LINES));
        place.check_even(LINES);
        edit(&place);
        // To the second that it had: only the time of the change itself tells.
        place.rest(3_600);
        assert_eq!(place.nearest(100_000), 0, "{number}");
        let afresh = Place::new(&std::fs::read(&place.file).unwrap());
        for line in [3, 9, 90_000, 100_000, LINES + 1] {
            assert_eq!(place.seek(line), afresh.seek(line), "{number} {line}");
        }
    }
}

#[test]
fn an_edit_hidden_by_growth_is_seen_where_it_matters() {
    let place = Place::new(&even_lines(LINES));
    place.check_even(LINES);
    // In a block that is known, and whose end stays where it was.
    place.write_at(0, &[b'\n'; 15]);
    let end = LINES * LINE as u64;
    place.write_at(end, b"more\n");
    place.rest(100);
    let found = place.seek(20);
    assert_eq!(
        found,
        Seek::At {
            offset: 4 * LINE as u64,
            line: 20
        }
    );
    let offset = (LINES - 1) * LINE as u64;
    let line = i64::try_from(LINES + 15).unwrap();
    assert_eq!(place.seek(LINES + 15), Seek::At { offset, line });
}

#[test]
fn a_file_that_has_just_been_written_to_is_not_remembered() {
    let place = Place::new(&even_lines(LINES));
    place.rest(0);
    place.seek(LINES);
    assert_eq!(place.nearest(LINES), 0);
    place.rest(3_600);
    place.seek(LINES);
    assert!(place.nearest(LINES) > 0);
    place.rest(0);
    assert_eq!(place.nearest(LINES), 0);
}

#[test]
fn small_files_and_lines_that_end_at_cr_are_not_remembered() {
    for content in [b"short\n".repeat(1_000), b"line\r".repeat(400_000)] {
        let place = Place::new(&content);
        assert!(matches!(place.seek(u64::MAX), Seek::PastEnd { .. }));
        assert!(place.indexes.lock().is_empty());
    }
}

#[test]
fn memory_is_bounded_and_the_file_used_last_is_kept() {
    let indexes = LineIndexes::default();
    let of = |inode| Identity {
        key: Key {
            device: 1,
            inode,
            text_start: 0,
            ends: Place::new(b"\n").open().ends,
        },
        version: Version {
            size: 1,
            modified: SystemTime::UNIX_EPOCH,
            changed: (0, 0),
        },
    };
    let sizes = || {
        let all = indexes.lock();
        all.iter().map(|it| it.counts.len()).collect::<Vec<_>>()
    };
    for inode in 0..100 {
        indexes.keep(of(inode), 0, &[1], 0);
        assert!(matches!(indexes.find(&of(0), 1), Found::Nearest(_)));
    }
    assert_eq!(sizes().len(), MOST_FILES);
    let half = vec![1; MOST_COUNTS / 2];
    for inode in 200..203 {
        indexes.keep(of(inode), 0, &half, 0);
    }
    assert_eq!(sizes(), [half.len(), half.len()]);
    // What one file adds may drop the others.
    indexes.keep(of(202), half.len(), &half, 0);
    assert_eq!(sizes(), [MOST_COUNTS]);
    assert!(matches!(indexes.find(&of(202), 1), Found::Nearest(_)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn lines_are_found_as_without_memory(
        mut lengths in prop::collection::vec(0_usize..90_000, 40..80),
        steps in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..5), 1..12),
    ) {
        let text = |lengths: &[usize]| {
            lengths.iter().flat_map(|it| [&*b"x".repeat(*it), b"\n"].concat()).collect::<Vec<u8>>()
        };
        lengths.extend([700_000, 0, 0, 400_000]);
        let place = Place::new(&text(&lengths));
        for (index, step) in steps {
            match step {
                0 => place.count(),
                1 => {
                    // Appends.
                    let end = text(&lengths).len() as u64;
                    lengths.extend([index.index(70_000), 0, 3]);
                    place.write_at(end, &text(&lengths[lengths.len() - 3..]));
                    place.rest(1_000);
                }
                _ => {}
            }
            let line = index.index(lengths.len() + 2) as u64 + 1;
            let offset = text(&lengths[..lengths.len().min(line as usize - 1)]).len() as u64;
            let expected = if line <= lengths.len() as u64 {
                Seek::At { offset, line: line as i64 }
            } else {
                Seek::PastEnd { lines: lengths.len() as u64 }
            };
            prop_assert_eq!(place.seek(line), expected);
        }
    }
}
