//! Keeps of many entries only those that the page asked for, in order.

use std::cmp::Reverse;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::SystemTime;

use cap_std::fs::{Dir, Metadata};

use super::{Found, Order, Scope, Shape};

/// What entries are sorted by before their names: the larger or newer first.
type Rank = (Reverse<u64>, Reverse<Option<SystemTime>>);

/// Fewer than these are not worth sorting out. Small in tests, so that they get there.
const MIN_KEPT: usize = if cfg!(test) { 16 } else { 1024 };

/// Takes every entry, in any order, and remembers no more than twice what will be shown.
#[derive(Debug)]
pub(super) struct Gather<'a> {
    order: Order,
    dir: &'a Dir,
    offset: usize,
    /// Entries up to the end of the page.
    wanted: usize,
    total: usize,
    kept: Vec<(Rank, Found)>,
    /// Nothing from here on can come onto the page.
    bound: Option<(Rank, OsString)>,
}

impl<'a> Gather<'a> {
    pub(super) fn new(scope: &Scope, dir: &'a Dir) -> Gather<'a> {
        Gather {
            order: scope.order,
            dir,
            offset: scope.offset,
            wanted: scope.offset.saturating_add(scope.limit),
            total: 0,
            kept: Vec::new(),
            bound: None,
        }
    }

    pub(super) fn add(&mut self, path: &Path, shape: Shape) {
        self.total += 1;
        let rank = self.rank(path);
        let is_beyond = |(bound_rank, bound): &(Rank, OsString)| {
            (&rank, bytes(path.as_os_str())) >= (bound_rank, bytes(bound))
        };
        if self.bound.as_ref().is_some_and(is_beyond) {
            return;
        }
        let path = path.to_owned();
        self.kept.push((rank, Found { path, shape }));
        if self.kept.len() >= self.wanted.saturating_mul(2).max(MIN_KEPT) {
            self.forget();
        }
    }

    /// Keeps the entries up to the end of the page and learns from the last of them.
    fn forget(&mut self) {
        let Some(last) = self
            .wanted
            .checked_sub(1)
            .filter(|it| *it < self.kept.len())
        else {
            return;
        };
        self.kept.select_nth_unstable_by(last, compare);
        self.kept.truncate(self.wanted);
        let (rank, found) = &self.kept[last];
        self.bound = Some((*rank, found.path.clone().into_os_string()));
    }

    /// The entries of the page, sorted, and how many there are in all.
    pub(super) fn page(mut self) -> (Vec<Found>, usize) {
        self.kept.sort_unstable_by(compare);
        let page = self.kept.into_iter().take(self.wanted).skip(self.offset);
        (page.map(|(_, found)| found).collect(), self.total)
    }

    /// Only an order by size or time has to look at every entry.
    fn rank(&self, path: &Path) -> Rank {
        let metadata = || self.dir.symlink_metadata(path).ok();
        match self.order {
            Order::Name => (Reverse(0), Reverse(None)),
            Order::Size => {
                let size = metadata()
                    .filter(Metadata::is_file)
                    .map_or(0, |it| it.len());
                (Reverse(size), Reverse(None))
            }
            Order::Modified => {
                let modified = metadata().and_then(|it| it.modified().ok());
                (Reverse(0), Reverse(modified.map(|it| it.into_std())))
            }
        }
    }
}

fn compare(one: &(Rank, Found), other: &(Rank, Found)) -> std::cmp::Ordering {
    one.0
        .cmp(&other.0)
        .then_with(|| bytes(one.1.path.as_os_str()).cmp(bytes(other.1.path.as_os_str())))
}

/// Names are compared by their bytes, which is the same everywhere.
fn bytes(name: &OsStr) -> &[u8] {
    name.as_encoded_bytes()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_page_is_what_sorting_everything_gives(
            names in proptest::collection::hash_set("[a-c]{1,6}", 0..400),
            offset in 0_usize..300,
            limit in 1_usize..40,
        ) {
            let directory = tempfile::tempdir().unwrap();
            let dir = Dir::open_ambient_dir(directory.path(), cap_std::ambient_authority()).unwrap();
            let scope = Scope { depth: 1, pattern: None, order: Order::Name, offset, limit };
            let mut gather = Gather::new(&scope, &dir);
            for name in &names {
                gather.add(Path::new(name), Shape::File);
            }
            let (page, total) = gather.page();
            let page: Vec<String> = page.iter().map(|it| it.path.display().to_string()).collect();
            let mut sorted: Vec<String> = names.into_iter().collect();
            sorted.sort();
            prop_assert_eq!(total, sorted.len());
            let expected: Vec<String> = sorted.into_iter().skip(offset).take(limit).collect();
            prop_assert_eq!(page, expected);
        }
    }
}
