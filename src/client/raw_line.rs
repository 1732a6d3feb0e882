//! Lines as they come over a pipe, with what a strict client would stumble over still on them.

use std::io::{self, Read};

/// How much is asked of the pipe at once; as much as one usually holds.
const READ_SIZE: usize = 64 * 1024;

/// Writes up to this long are never split by the system (PIPE_BUF on Linux).
pub(super) const ATOMIC: u64 = 4096;

/// One line without its LF.
#[derive(Debug, PartialEq)]
pub(super) struct RawLine {
    /// Its beginning, if it is over the cap.
    pub(super) bytes: Vec<u8>,
    /// In bytes, all of it.
    pub(super) length: u64,
    /// It came in more than one piece, though it would have fitted into one.
    pub(super) is_split: bool,
    /// An LF ended it; else the stream did.
    pub(super) is_ended: bool,
}

/// Reads to the end of the stream. A line over `cap` bytes costs no more memory than that.
pub(super) fn read_lines(
    mut input: impl Read,
    cap: usize,
    mut each: impl FnMut(RawLine),
) -> io::Result<()> {
    let mut chunk = vec![0; READ_SIZE];
    let mut line = RawLine::begun();
    let mut pieces = 0;
    loop {
        let count = match input.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            outcome => outcome?,
        };
        if count == 0 {
            break;
        }
        let was_full = count == chunk.len();
        for part in chunk[..count].split_inclusive(|it| *it == b'\n') {
            pieces += 1;
            line.is_ended = part.ends_with(b"\n");
            let part = part.strip_suffix(b"\n").unwrap_or(part);
            line.length += part.len() as u64;
            let kept = part.len().min(cap - line.bytes.len());
            line.bytes.extend_from_slice(&part[..kept]);
            if line.is_ended {
                line.is_split = pieces > 1 && line.length < ATOMIC;
                each(std::mem::replace(&mut line, RawLine::begun()));
                pieces = 0;
            }
        }
        // What our own buffer cuts off is not the server's doing.
        if was_full {
            pieces = 0;
        }
    }
    if line.length > 0 {
        each(line);
    }
    Ok(())
}

impl RawLine {
    fn begun() -> RawLine {
        RawLine {
            bytes: Vec::new(),
            length: 0,
            is_split: false,
            is_ended: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Pieces(Vec<&'static [u8]>);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let piece = self.0.remove(0);
            buffer[..piece.len()].copy_from_slice(piece);
            Ok(piece.len())
        }
    }

    #[test]
    fn pieces_and_missing_ends_are_noticed() {
        let mut seen = Vec::new();
        let pieces = Pieces(vec![b"whole\nspl", b"it\nlonger than it may\n", b"no end"]);
        read_lines(pieces, 10, |it| {
            let text = String::from_utf8(it.bytes).unwrap();
            seen.push((text, it.length, it.is_split, it.is_ended));
        })
        .unwrap();
        let expected = [
            ("whole", 5, false, true),
            ("split", 5, true, true),
            ("longer tha", 18, false, true),
            ("no end", 6, false, false),
        ];
        let expected = expected.map(|(text, a, b, c)| (text.to_owned(), a, b, c));
        assert_eq!(seen, expected);
    }
}
