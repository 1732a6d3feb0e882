//! Adds up the figures of UTF-8 text, piece by piece, with the fastest code this machine runs.
//!
//! **A piece holds whole characters.** So nothing crosses from one to the next but two facts: whether
//! a word is still open, and the last byte.

use memchr::memmem;

#[cfg(target_arch = "x86_64")]
use super::count_avx2;
use super::count_portable;

/// What can be added up over pieces of text.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sums {
    pub(super) chars: u64,
    pub(super) cjk: u64,
    pub(super) words: u64,
    pub(super) line_feeds: u64,
    /// The last character belongs to a word that may go on.
    pub(super) in_word: bool,
}

/// The code that looks at the bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kernel {
    #[cfg(target_arch = "x86_64")]
    Avx2(count_avx2::Supported),
    Portable,
}

impl Kernel {
    pub(super) fn best() -> Kernel {
        #[cfg(target_arch = "x86_64")]
        if let Some(supported) = count_avx2::Supported::detect() {
            return Kernel::Avx2(supported);
        }
        Kernel::Portable
    }

    /// The sums with those of `text` added; nothing when it is not valid UTF-8.
    fn add(self, sums: Sums, text: &[u8]) -> Option<Sums> {
        match self {
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(supported) => supported.add(sums, text),
            Kernel::Portable => count_portable::add(sums, text),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Tally {
    kernel: Kernel,
    sums: Sums,
    ends_at_cr: bool,
    /// Lines that end at a CR, less the line feeds that belong to one.
    lines_at_cr: u64,
    last: Option<u8>,
}

impl Tally {
    pub(super) fn new(kernel: Kernel, ends_at_cr: bool) -> Tally {
        Tally {
            kernel,
            sums: Sums::default(),
            ends_at_cr,
            lines_at_cr: 0,
            last: None,
        }
    }

    /// Counts a piece. False, and nothing counted, when it is not valid UTF-8.
    pub(super) fn add(&mut self, text: &[u8]) -> bool {
        let Some(sums) = self.kernel.add(self.sums, text) else {
            return false;
        };
        self.sums = sums;
        if self.ends_at_cr {
            let pairs = memmem::find_iter(text, b"\r\n").count();
            let cut_pair = self.last == Some(b'\r') && text.first() == Some(&b'\n');
            self.lines_at_cr += memchr::memchr_iter(b'\r', text).count() as u64;
            self.sums.line_feeds -= pairs as u64 + u64::from(cut_pair);
        }
        self.last = text.last().copied().or(self.last);
        true
    }

    /// Whether two NULs meet in this piece or where it begins.
    pub(super) fn meets_nuls(&self, text: &[u8]) -> bool {
        let cut_pair = self.last == Some(0) && text.first() == Some(&0);
        // Most text has no NUL at all, and one is faster to look for than two.
        cut_pair || memchr::memchr(0, text).is_some() && memmem::find(text, b"\0\0").is_some()
    }

    pub(super) fn sums(&self) -> Sums {
        self.sums
    }

    /// Lines, an unterminated last one counted.
    pub(super) fn lines(&self) -> u64 {
        let is_open = match self.last {
            None | Some(b'\n') => false,
            Some(b'\r') => !self.ends_at_cr,
            Some(_) => true,
        };
        self.sums.line_feeds + self.lines_at_cr + u64::from(is_open)
    }
}
