//! One page of a text: as much as fits, cut where nothing is lost.
//!
//! **Joining the pages gives the decoded text**: a page ends at a line end, or, inside a line that
//! is longer than a page, between two characters.

use std::borrow::Cow;

use super::align;
use super::decode::{TextDecoder, decode_all};
use super::detect::is_binary;
use super::escape::escape_controls;
use super::line_ends::LineScanner;
use super::text_file::BLOCK;
use super::{Error, Evidence, TextFile, Watch};

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
    /// The page ends inside a line; on the last page, one that no line end closes.
    pub(crate) is_open: bool,
    /// Sequences that stand for no character.
    pub(crate) invalid: u64,
    /// Control characters that were escaped.
    pub(crate) escaped: u64,
}

/// Raw bytes that a page of broken text has at least; far below any budget.
const MIN_PAGE: usize = 16;

/// Raw bytes from the start of the page on, their text, and where lines end in both.
struct Stretch {
    raw: Vec<u8>,
    /// How much of `raw` and of `text` comes before the page, only to know what its bytes mean.
    lead: usize,
    lead_text: usize,
    text: String,
    /// Where each line ends in `raw`, as far as lines are wanted.
    ends: Vec<usize>,
    invalid: u64,
    /// The file has no more.
    is_last: bool,
}

/// Where a page ends, in raw bytes from its start, with its text.
struct Cut {
    end: usize,
    text: String,
    invalid: u64,
}

pub(crate) fn read_page(
    file: &TextFile,
    from: Position,
    limits: Limits,
    watch: &Watch<'_>,
) -> Result<Page, Error> {
    let lead = file.lead(from.offset, watch)?;
    // As if the lead were right before the page in the file, which none of it needs to be.
    let start = from.offset - lead.len() as u64;
    let mut stretch = read_stretch(file, start, lead, limits, watch)?;
    let Cut {
        end,
        mut text,
        invalid,
    } = cut(file, &mut stretch, limits);
    text.drain(..stretch.lead_text);
    if file.evidence != Evidence::Caller && is_binary(&text) {
        let size = file.size;
        return Err(Error::Binary { kind: None, size });
    }
    let (text, escaped) = match escape_controls(&text) {
        (Cow::Owned(escaped), count) => (escaped, count),
        (Cow::Borrowed(_), count) => (text, count),
    };
    let lines = stretch.ends.partition_point(|it| *it <= end);
    let is_last = stretch.is_last && end == stretch.raw.len();
    let ends_line = lines > 0 && stretch.ends[lines - 1] == end;
    Ok(Page {
        text,
        end: start + end as u64,
        lines: lines as u64,
        is_last,
        is_open: end > stretch.lead && !ends_line,
        invalid,
        escaped,
    })
}

/// Reads until the page is full for sure, by its lines or by its bytes.
fn read_stretch(
    file: &TextFile,
    offset: u64,
    lead: Vec<u8>,
    limits: Limits,
    watch: &Watch<'_>,
) -> Result<Stretch, Error> {
    let wanted_lines = limits
        .lines
        .map_or(usize::MAX, |it| usize::try_from(it).unwrap_or(usize::MAX));
    let mut decoder = TextDecoder::new(file.charset);
    let mut text = String::new();
    decoder.decode(&lead, false, &mut text);
    let mut stretch = Stretch {
        lead: lead.len(),
        lead_text: text.len(),
        raw: lead,
        text,
        ends: Vec::new(),
        invalid: 0,
        is_last: false,
    };
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
            scanner.clone().finish(done as u64, note);
            stretch.is_last = true;
        }
        decoder.decode(block, length == 0, &mut stretch.text);
        stretch.invalid = decoder.invalid;
        if stretch.is_last {
            return Ok(stretch);
        }
        if stretch.ends.len() >= wanted_lines
            || stretch.text.len() - stretch.lead_text > limits.bytes
        {
            let next = offset + stretch.raw.len() as u64;
            stretch.is_last = file.read(next, &mut [0])? == 0;
            if stretch.is_last {
                decoder.decode(&[], true, &mut stretch.text);
                stretch.invalid = decoder.invalid;
            }
            return Ok(stretch);
        }
    }
}

/// Decides where the page ends: after the lines that were asked for, at the end of the file, at the
/// last line end that fits, or else inside a line that is longer than a page.
fn cut(file: &TextFile, stretch: &mut Stretch, limits: Limits) -> Cut {
    let is_full_of_lines = limits
        .lines
        .is_some_and(|it| stretch.ends.len() as u64 >= it);
    let lead = stretch.lead_text;
    // As long as it will be on the page, of a text that begins with the lead.
    let length_of = |text: &str| escape_controls(text.get(lead..).unwrap_or("")).0.len();
    if !is_full_of_lines && stretch.is_last && length_of(&stretch.text) <= limits.bytes {
        return Cut {
            end: stretch.raw.len(),
            text: std::mem::take(&mut stretch.text),
            invalid: stretch.invalid,
        };
    }
    // Line ends are the same characters in the text as in the raw bytes, so the n-th of one is the
    // n-th of the other.
    let mut text_ends = Vec::new();
    let mut scanner = LineScanner::new(file.ends.of_text());
    scanner.scan(0, stretch.text.as_bytes(), |end| {
        text_ends.push(usize::try_from(end).unwrap_or(usize::MAX));
        text_ends.len() < stretch.ends.len() && end <= (lead + limits.bytes) as u64
    });
    if stretch.is_last && text_ends.len() < stretch.ends.len() {
        let length = stretch.text.len();
        scanner.finish(length as u64, |_| {
            text_ends.push(length);
            true
        });
    }
    let mut fitting = text_ends.partition_point(|it| *it <= lead + limits.bytes);
    // Escapes make text longer, so less of it may fit than its own length says.
    let end_of = |fitting: usize| fitting.checked_sub(1).map_or(lead, |last| text_ends[last]);
    let mut length = length_of(&stretch.text[..end_of(fitting)]);
    while length > limits.bytes {
        let dropped = &stretch.text[end_of(fitting - 1)..end_of(fitting)];
        length -= escape_controls(dropped).0.len();
        fitting -= 1;
    }
    if fitting > 0 {
        let end = stretch.ends[fitting - 1];
        stretch.text.truncate(end_of(fitting));
        let is_clean = stretch.invalid == 0;
        return Cut {
            end,
            text: std::mem::take(&mut stretch.text),
            invalid: if is_clean {
                0
            } else {
                decode_all(file.charset, &stretch.raw[..end]).1
            },
        };
    }
    let first_line = stretch.ends.first().copied().unwrap_or(stretch.raw.len());
    let fits = |text: &str| length_of(text) <= limits.bytes;
    let end = align::longest(file.charset, &stretch.raw[..first_line], fits);
    // Bytes that mean nothing may have no character start near; a page moves on all the same.
    let end = if end > stretch.lead {
        end
    } else {
        first_line.min(stretch.lead + MIN_PAGE)
    };
    let (text, invalid) = decode_all(file.charset, &stretch.raw[..end]);
    Cut { end, text, invalid }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::super::{Charset, OpenedFile, Requested, Stop};
    use super::*;

    fn encoded(label: &str, text: &str) -> Vec<u8> {
        match Charset::from_label(label).unwrap() {
            Charset::Utf32 { .. } => text
                .chars()
                .flat_map(|it| u32::from(it).to_be_bytes())
                .collect(),
            Charset::Whatwg(it) if it == encoding_rs::UTF_16LE => {
                text.encode_utf16().flat_map(u16::to_le_bytes).collect()
            }
            Charset::Whatwg(encoding) => encoding.encode(text).0.into_owned(),
        }
    }

    /// Reads a file page by page, as a client does that follows the notices.
    fn pages(raw: &[u8], label: &str, bytes: usize, lines: Option<u64>) -> Vec<Page> {
        let stop = Stop::at(Instant::now() + Duration::from_secs(60));
        let watch = Watch::new(&stop, None);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(raw).unwrap();
        let size = raw.len() as u64;
        let opened = OpenedFile {
            file,
            size,
            indexes: Default::default(),
        };
        let requested = Requested::from_label(Some(label)).unwrap();
        let file = TextFile::open(opened, requested, None).unwrap();
        let mut offset = file.text_start;
        let mut pages = Vec::new();
        loop {
            assert_eq!(
                file.floor(offset, &watch).unwrap(),
                offset,
                "a page starts at a character"
            );
            let from = Position { offset, line: None };
            let page = read_page(&file, from, Limits { bytes, lines }, &watch).unwrap();
            assert!(page.text.len() <= bytes);
            assert!(page.is_last || page.end > offset, "a page moves on");
            offset = page.end;
            let is_last = page.is_last;
            pages.push(page);
            if is_last {
                return pages;
            }
        }
    }

    const LABELS: [&str; 9] = [
        "utf-8",
        "gb18030",
        "shift_jis",
        "euc-jp",
        "big5",
        "iso-2022-jp",
        "utf-16le",
        "utf-32be",
        "windows-1252",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn joined_pages_are_the_whole_text(
            text in "([a-z ]{0,9}|[\u{4e00}-\u{4e40}\u{3042}\u{65e5}]{0,9}|\r?\n|\r|\t){0,40}",
            bytes in 12_usize..90,
            lines in proptest::option::of(1_u64..5),
        ) {
            for label in LABELS {
                let raw = encoded(label, &text);
                let whole = decode_all(Charset::from_label(label).unwrap(), &raw).0;
                let pages = pages(&raw, label, bytes, lines);
                let joined: String = pages.iter().map(|it| it.text.as_str()).collect();
                prop_assert_eq!(joined, whole, "{}", label);
                for page in pages {
                    prop_assert!(lines.is_none_or(|it| page.lines <= it), "{}", label);
                }
            }
        }

        #[test]
        fn any_bytes_at_all_can_be_paged_through(
            raw in proptest::collection::vec(any::<u8>(), 0..400),
            bytes in 64_usize..120,
        ) {
            for label in LABELS {
                let pages = pages(&raw, label, bytes, None);
                prop_assert!(pages.last().is_some_and(|it| it.is_last));
            }
        }
    }

    #[test]
    fn a_line_longer_than_a_page_is_cut_between_characters() {
        let text = "\u{4f60}\u{597d}".repeat(100_000);
        for label in ["utf-8", "gb18030", "utf-16le"] {
            let pages = pages(&encoded(label, &text), label, 65_536, None);
            assert!(pages.len() > 1 && pages[0].is_open, "{label}");
            assert_eq!(
                pages.iter().map(|it| it.text.as_str()).collect::<String>(),
                text,
                "{label}"
            );
        }
    }
}
