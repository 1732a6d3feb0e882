//! The directories that may be read, and the only way to an opened file or directory in them.
//!
//! **A path is checked by what is opened, not by its text**: every step is taken relative to a
//! directory handle, so that swapping a directory for a link in between gains nothing.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use cap_std::fs::Dir;

use super::line_index::LineIndexes;
use super::open::{self, Reached, Want};
use super::open_root::OpenRoot;
use super::{Deny, Error, Watch, resolve};

/// How often a call looks up while it waits for a directory that is still being opened.
const WAIT_SLICE: Duration = Duration::from_millis(100);

/// All directories this server was given, in order.
#[derive(Debug)]
pub(crate) struct Roots {
    roots: Vec<Arc<Root>>,
    /// What `~` stands for.
    home: Option<PathBuf>,
    indexes: Arc<LineIndexes>,
    /// The threads that open the directories first.
    openers: Mutex<Vec<JoinHandle<()>>>,
}

/// One directory as given, whatever has become of it.
#[derive(Debug)]
struct Root {
    given: PathBuf,
    deny: Arc<Deny>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
enum State {
    Opening,
    Ready(Arc<OpenRoot>),
    Unusable(String),
}

/// How a root stands, for instructions and logs.
#[derive(Debug)]
pub(crate) enum RootState {
    Opening,
    Ready { path: PathBuf, is_file: bool },
    Unusable(String),
}

/// A regular file, opened for reading, and where it was found.
#[derive(Debug)]
pub(crate) struct OpenedFile {
    pub(crate) file: File,
    /// Bytes, as the system says at this moment; 0 does not mean that there is nothing to read.
    pub(crate) size: u64,
    pub(super) indexes: Arc<LineIndexes>,
}

/// A directory, opened, with what a listing needs to look around in it.
#[derive(Debug)]
pub(super) struct OpenedDir {
    pub(super) dir: Dir,
    /// Where it is, with all links resolved.
    pub(super) real: PathBuf,
    /// Set when the root is one file: nothing else is to be seen here.
    pub(super) only: Option<OsString>,
    pub(super) root: Arc<OpenRoot>,
}

impl OpenedDir {
    /// Whether a file at this path below the directory may not be read.
    pub(super) fn denies(&self, path: &Path) -> bool {
        let below = self
            .real
            .strip_prefix(&self.root.real)
            .unwrap_or(Path::new(""));
        self.root.deny.holds(&below.join(path))
    }
}

impl Roots {
    /// Starts opening every root on a thread of its own, so that a dead mount delays nobody.
    pub(crate) fn open(given: Vec<PathBuf>, home: Option<PathBuf>, deny: Deny) -> Roots {
        let deny = Arc::new(deny);
        let mut openers = Vec::new();
        let roots = given.into_iter().map(|given| {
            let root = Arc::new(Root {
                given,
                deny: Arc::clone(&deny),
                state: Mutex::new(State::Opening),
                changed: Condvar::new(),
            });
            let opening = Arc::clone(&root);
            let spawned = thread::Builder::new()
                .name("root".into())
                .spawn(move || opening.reopen());
            match spawned {
                Ok(opener) => openers.push(opener),
                Err(_) => root.reopen(),
            }
            root
        });
        Roots {
            roots: roots.collect(),
            home,
            indexes: Arc::default(),
            openers: Mutex::new(openers),
        }
    }

    /// Waits until every root is open or known to be unusable, at most this long. Whether all are.
    pub(crate) fn wait(&self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        for root in &self.roots {
            let mut state = root.lock();
            while let State::Opening = *state {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return false;
                }
                state = root.wait(state, left);
            }
        }
        true
    }

    /// The same, and until the threads that opened them have ended.
    pub(crate) fn settle(&self, limit: Duration) {
        if !self.wait(limit) {
            return;
        }
        let mut openers = self.openers.lock().unwrap_or_else(PoisonError::into_inner);
        for opener in openers.drain(..) {
            // One that panicked has ended as well.
            let _ = opener.join();
        }
    }

    /// Every root as given, and how it stands.
    pub(crate) fn states(&self) -> Vec<(PathBuf, RootState)> {
        let state_of = |root: &Arc<Root>| match &*root.lock() {
            State::Opening => RootState::Opening,
            State::Ready(open) => RootState::Ready {
                path: open.path(),
                is_file: open.only.is_some(),
            },
            State::Unusable(reason) => RootState::Unusable(reason.clone()),
        };
        let all = self.roots.iter().map(|it| (it.given.clone(), state_of(it)));
        let mut states: Vec<(PathBuf, RootState)> = Vec::new();
        for (given, state) in all {
            // The same directory under two spellings is one.
            let is_known = |(_, known): &(PathBuf, RootState)| match (known, &state) {
                (RootState::Ready { path: known, .. }, RootState::Ready { path, .. }) => {
                    known == path
                }
                _ => false,
            };
            if !states.iter().any(is_known) {
                states.push((given, state));
            }
        }
        states
    }

    /// Opens a regular file for reading.
    pub(crate) fn open_file(&self, path: &str, watch: &Watch<'_>) -> Result<OpenedFile, Error> {
        match self.reach(path, Want::File, watch)? {
            Reached::File { file, size } => Ok(OpenedFile {
                file,
                size,
                indexes: Arc::clone(&self.indexes),
            }),
            Reached::Directory(_) => Err(Error::IsDirectory),
        }
    }

    /// Opens a directory for listing.
    pub(super) fn open_dir(&self, path: &str, watch: &Watch<'_>) -> Result<OpenedDir, Error> {
        match self.reach(path, Want::Directory, watch)? {
            Reached::Directory(opened) => Ok(opened),
            Reached::File { .. } => Err(Error::IsFile),
        }
    }

    /// Whether a link's target lies in a root, and whether something is there. Decided without
    /// touching anything outside.
    pub(super) fn try_absolute(&self, path: &Path, watch: &Watch<'_>) -> Result<(), Error> {
        let open = self.ready(watch)?;
        let place = resolve::locate(path, &open.ready).ok_or(Error::Outside)?;
        open::exists(&place.root, &place.below, &open.ready)
    }

    fn reach(&self, text: &str, want: Want, watch: &Watch<'_>) -> Result<Reached, Error> {
        let home = self.home.as_deref();
        let mut open = self.ready(watch)?;
        let mut found = resolve::reach(text, home, want, &open.ready);
        // A directory that was replaced while we held it: open what is there now, and look again.
        if let Err(Error::RootReplaced | Error::NotFound { .. }) = found
            && self.reopen_replaced(&open.ready)
        {
            open = self.ready(watch)?;
            found = resolve::reach(text, home, want, &open.ready);
        }
        match (found, open.unusable) {
            (Err(Error::NotFound { .. }), Some(unusable)) if Path::new(text).is_relative() => {
                Err(unusable)
            }
            (found, _) => found,
        }
    }

    /// The roots that are open now. One that was unusable is tried again at every call.
    fn ready(&self, watch: &Watch<'_>) -> Result<Ready, Error> {
        if self.roots.is_empty() {
            return Err(Error::NoRoots);
        }
        let mut ready = Vec::with_capacity(self.roots.len());
        let mut unusable = None;
        for root in &self.roots {
            match root.get(watch)? {
                Ok(open) => ready.push(open),
                Err(reason) => {
                    let root = root.given.clone();
                    unusable.get_or_insert(Error::RootUnusable { root, reason });
                }
            }
        }
        match unusable {
            Some(unusable) if ready.is_empty() => Err(unusable),
            unusable => Ok(Ready { ready, unusable }),
        }
    }

    fn reopen_replaced(&self, open: &[Arc<OpenRoot>]) -> bool {
        let mut reopened = false;
        for root in &self.roots {
            let held = match &*root.lock() {
                State::Ready(it) => open.iter().find(|o| Arc::ptr_eq(o, it)).cloned(),
                _ => None,
            };
            if held.is_some_and(|it| it.is_replaced_now()) {
                root.open(OpenRoot::steadied);
                reopened = true;
            }
        }
        reopened
    }
}

struct Ready {
    ready: Vec<Arc<OpenRoot>>,
    /// The first root that cannot be opened, to be reported where nothing was found.
    unusable: Option<Error>,
}

impl Root {
    /// The open root, or why it is unusable. Waits for one that is still being opened.
    fn get(&self, watch: &Watch<'_>) -> Result<Result<Arc<OpenRoot>, String>, Error> {
        let mut state = self.lock();
        loop {
            match &*state {
                State::Ready(open) => return Ok(Ok(Arc::clone(open))),
                State::Unusable(_) => break,
                State::Opening => {
                    watch.step(0, None)?;
                    state = self.wait(state, WAIT_SLICE);
                }
            }
        }
        drop(state);
        self.reopen();
        match &*self.lock() {
            State::Ready(open) => Ok(Ok(Arc::clone(open))),
            State::Unusable(reason) => Ok(Err(reason.clone())),
            State::Opening => Ok(Err("it is still being opened".to_owned())),
        }
    }

    fn reopen(&self) {
        self.open(|it| it);
    }

    fn open(&self, finish: impl FnOnce(OpenRoot) -> OpenRoot) {
        let state = match OpenRoot::open(&self.given, &self.deny) {
            Ok(open) => State::Ready(Arc::new(finish(open))),
            Err(error) => State::Unusable(reason(&error)),
        };
        *self.lock() = state;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>, limit: Duration) -> MutexGuard<'a, State> {
        let waited = self.changed.wait_timeout(state, limit);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it does not exist".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => plain_words(error),
    }
}

/// The system's words for an error, without the number that Rust adds.
pub(crate) fn plain_words(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error")
        .next()
        .unwrap_or_default()
        .to_lowercase()
}
