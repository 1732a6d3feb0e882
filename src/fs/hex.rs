//! Bytes as a hex dump, sixteen a row.

use std::fmt::Write as _;

use super::open::read_at;
use super::{Error, OpenedFile};

const ROW: usize = 16;

/// Characters of one whole row with its line end.
const ROW_WIDTH: usize = 8 + 2 + ROW * 3 + 1 + ROW + 3;

/// A part of a dump.
#[derive(Debug)]
pub(crate) struct HexPage {
    /// Empty where the file has no bytes.
    pub(crate) text: String,
    /// Where the next row begins.
    pub(crate) end: u64,
    pub(crate) is_last: bool,
}

/// The rows from `offset` on that fit into `budget` bytes.
pub(crate) fn hex_dump(opened: &OpenedFile, offset: u64, budget: usize) -> Result<HexPage, Error> {
    let rows = (budget / ROW_WIDTH).max(1);
    // One byte more tells whether another page follows: sizes that the system states may be wrong.
    let mut bytes = vec![0; rows * ROW + 1];
    let read = read_at(&opened.file, offset, &mut bytes)?;
    let length = read.min(rows * ROW);
    bytes.truncate(length);
    let mut text = String::with_capacity(rows * ROW_WIDTH);
    for (index, row) in bytes.chunks(ROW).enumerate() {
        // Writing into a String cannot fail.
        let _ = write!(text, "{:08x} ", offset + (index * ROW) as u64);
        for position in 0..ROW {
            let gap = if position == ROW / 2 { "  " } else { " " };
            let _ = match row.get(position) {
                Some(byte) => write!(text, "{gap}{byte:02x}"),
                None => write!(text, "{gap}  "),
            };
        }
        let shown = |byte: &u8| {
            if matches!(byte, 0x20..=0x7E) {
                char::from(*byte)
            } else {
                '.'
            }
        };
        let _ = writeln!(text, "  |{}|", row.iter().map(shown).collect::<String>());
    }
    Ok(HexPage {
        text,
        end: offset + length as u64,
        is_last: read == length,
    })
}
