//! Where the lines of large files are, remembered from one call to the next.
//!
//! Kept is the number of line ends before each block, 8 bytes for 64 KiB, as a by-product of whatever
//! scans a file. A file that has been written to is counted afresh, but for one that has grown, as
//! logs do: if some of its known blocks, the first and the last among them, are what they were, only
//! the rest is. An edit in place between these blocks, that moves nothing behind it and comes together
//! with growth, is noticed only where a block that is looked into holds another number of lines.

use std::fs::File;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use super::line_ends::LineEnds;
use super::open::read_at;
use super::text_file::BLOCK;

/// Smaller files are scanned as fast as they are remembered.
const SMALLEST: u64 = 1024 * 1024;

/// Figures kept for all files together, of 8 bytes each: 4 MB, enough for 32 GB of text.
const MOST_COUNTS: usize = 4 * 1024 * 1024 / 8;

const MOST_FILES: usize = 64;

/// Within this a file may change without a change of its times: some file systems keep no finer ones.
const TICK: Duration = Duration::from_secs(2);

/// So many blocks, besides the last, tell whether a file that has grown is still the same.
const HASHED_BLOCKS: usize = 16;

/// What is known of the files that were scanned last, the latest at the end.
#[derive(Debug, Default)]
pub(crate) struct LineIndexes(Mutex<Vec<LineIndex>>);

#[derive(Debug)]
struct LineIndex {
    of: Identity,
    /// For each whole block from the start of the text, the line ends before its end.
    counts: Vec<u64>,
    /// Of some of these blocks, to tell a file that has grown from one that is another now.
    hash: u64,
}

/// Which file it is, and in which state.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Identity {
    key: Key,
    version: Version,
}

/// Which bytes are counted, and what counts as a line end in them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Key {
    device: u64,
    inode: u64,
    text_start: u64,
    ends: LineEnds,
}

/// What differs once a file has been written to.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Version {
    size: u64,
    modified: SystemTime,
    /// Seconds and nanoseconds of the last change of anything about the file; 0 where there is none.
    changed: (i64, i64),
}

/// One scan's view of what is known of its file, and what it adds to that.
#[derive(Debug)]
pub(super) struct Survey<'a> {
    indexes: &'a LineIndexes,
    file: &'a File,
    /// Nothing for a file that is not to be remembered.
    identity: Option<Identity>,
    /// The block that `counts` begins with.
    first: usize,
    counts: Vec<u64>,
}

/// A place to scan from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Nearest {
    /// In whole blocks from the start of the text.
    pub(super) block: usize,
    /// Line ends before it.
    pub(super) ended: u64,
    /// Line ends in that block, where it has been counted before.
    pub(super) expected: Option<u64>,
}

enum Found {
    Nothing,
    Nearest(Nearest),
    /// Known is a file of that name with less in it.
    Shorter {
        last_block: usize,
        hash: u64,
    },
}

impl LineIndexes {
    pub(super) fn survey<'a>(
        &'a self,
        file: &'a File,
        text_start: u64,
        ends: LineEnds,
    ) -> Survey<'a> {
        Survey {
            indexes: self,
            file,
            identity: identity(file, text_start, ends),
            first: 0,
            counts: Vec::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<LineIndex>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last block known to begin before the line end that is wanted.
    fn find(&self, of: &Identity, wanted: u64) -> Found {
        let mut all = self.lock();
        let Some(place) = all.iter().position(|it| it.of.key == of.key) else {
            return Found::Nothing;
        };
        let index = all.remove(place);
        if index.of == *of {
            let nearest = index.nearest(wanted);
            all.push(index);
            return Found::Nearest(nearest);
        }
        if index.of.version.size < of.version.size {
            let last_block = index.counts.len() - 1;
            let hash = index.hash;
            all.push(index);
            return Found::Shorter { last_block, hash };
        }
        Found::Nothing
    }

    /// Whether this block of the file has been counted already.
    fn knows(&self, of: &Identity, block: usize) -> bool {
        let all = self.lock();
        all.iter().any(|it| it.of == *of && it.counts.len() > block)
    }

    fn accept(&self, of: Identity) {
        if let Some(index) = self.lock().iter_mut().find(|it| it.of.key == of.key) {
            index.of = of;
        }
    }

    fn forget(&self, key: &Key) {
        self.lock().retain(|it| it.of.key != *key);
    }

    /// Keeps what was counted from block `first` on.
    fn keep(&self, of: Identity, first: usize, counts: &[u64], hash: u64) {
        let mut all = self.lock();
        let mut index = match all.iter().position(|it| it.of == of) {
            Some(place) => all.remove(place),
            None => {
                all.retain(|it| it.of.key != of.key);
                LineIndex {
                    of,
                    counts: Vec::new(),
                    hash,
                }
            }
        };
        // Another call may have come further meanwhile, or what this one began with been dropped.
        let known = index.counts.len().checked_sub(first);
        if let Some(new) = known.and_then(|known| counts.get(known..))
            && !new.is_empty()
        {
            index.counts.reserve_exact(new.len());
            index.counts.extend_from_slice(new);
            index.hash = hash;
        }
        if !index.counts.is_empty() {
            all.push(index);
        }
        let mut total: usize = all.iter().map(|it| it.counts.len()).sum();
        while all.len() > MOST_FILES || total > MOST_COUNTS {
            total -= all.remove(0).counts.len();
        }
    }
}

impl LineIndex {
    fn nearest(&self, wanted: u64) -> Nearest {
        // Not past the last one, which tells whether this is still the file that was counted.
        let block = self.counts.partition_point(|it| *it < wanted);
        let block = block.min(self.counts.len() - 1);
        let ended = block.checked_sub(1).map_or(0, |it| self.counts[it]);
        Nearest {
            block,
            ended,
            expected: self.counts.get(block).map(|it| it - ended),
        }
    }
}

impl Survey<'_> {
    /// Where to begin scanning for the line end with that number, counting from 1.
    pub(super) fn nearest(&mut self, wanted: u64) -> Nearest {
        let Some(of) = &self.identity else {
            return Nearest::default();
        };
        let mut found = self.indexes.find(of, wanted);
        if let Found::Shorter { last_block, hash } = found {
            // Never under the lock: a file system may not answer.
            if hash_of_blocks(self.file, of.key.text_start, last_block) == Some(hash) {
                self.indexes.accept(*of);
            } else {
                self.indexes.forget(&of.key);
            }
            found = self.indexes.find(of, wanted);
        }
        let nearest = match found {
            Found::Nearest(nearest) => nearest,
            Found::Nothing | Found::Shorter { .. } => Nearest::default(),
        };
        self.first = nearest.block;
        nearest
    }

    /// What was known is wrong: the scan begins again at the start.
    pub(super) fn start_over(&mut self) {
        if let Some(of) = &self.identity {
            self.indexes.forget(&of.key);
        }
        self.first = 0;
        self.counts.clear();
    }

    /// Notes the line ends from the start of the text to the end of the next block, a whole one.
    pub(super) fn push(&mut self, ended: u64) {
        if self.identity.is_some() && self.first + self.counts.len() < MOST_COUNTS {
            self.counts.push(ended);
        }
    }

    /// Remembers what was noted, unless the file has been written to meanwhile.
    pub(super) fn keep(self) {
        let Some(of) = self.identity else {
            return;
        };
        let Key {
            text_start, ends, ..
        } = of.key;
        if self.counts.is_empty() || identity(self.file, text_start, ends) != Some(of) {
            return;
        }
        let last = self.first + self.counts.len() - 1;
        if self.indexes.knows(&of, last) {
            return;
        }
        if let Some(hash) = hash_of_blocks(self.file, text_start, last) {
            self.indexes.keep(of, self.first, &self.counts, hash);
        }
    }
}

/// What a file is remembered by; nothing for one that is small, special or hardly at rest.
fn identity(file: &File, text_start: u64, ends: LineEnds) -> Option<Identity> {
    use cap_fs_ext::MetadataExt as _;
    let metadata = cap_std::fs::Metadata::from_file(file).ok()?;
    let modified = metadata.modified().ok()?.into_std();
    // A time in the future tells nothing.
    let age = modified.elapsed().ok()?;
    // In files that end lines at CR, what a block holds depends on the one before it.
    if metadata.len() < SMALLEST || age < TICK || ends.at_cr() {
        return None;
    }
    #[cfg(unix)]
    let changed = {
        use cap_std::fs::MetadataExt as _;
        (metadata.ctime(), metadata.ctime_nsec())
    };
    #[cfg(not(unix))]
    let changed = (0, 0);
    let key = Key {
        device: metadata.dev(),
        inode: metadata.ino(),
        text_start,
        ends,
    };
    let version = Version {
        size: metadata.len(),
        modified,
        changed,
    };
    Some(Identity { key, version })
}

/// Of some of the blocks up to this one, the first and the last among them.
fn hash_of_blocks(file: &File, text_start: u64, last: usize) -> Option<u64> {
    let mut bytes = vec![0; BLOCK];
    let mut hasher = DefaultHasher::new();
    let step = (last / HASHED_BLOCKS).max(1);
    for block in (0..last).step_by(step).chain([last]) {
        let length = read_at(file, text_start + (block * BLOCK) as u64, &mut bytes).ok()?;
        bytes[..length].hash(&mut hasher);
        if length < BLOCK {
            return None;
        }
    }
    Some(hasher.finish())
}

#[cfg(test)]
#[path = "line_index_tests.rs"]
mod tests;
