//! A file that takes the program a second or so to count: 300 MB of Shift-JIS.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, Weak};

use serde_json::{Value, json};
use tempfile::TempDir;

const SIZE: usize = 300_000_000;

/// For calls whose answer is waited for: long enough to still run when the next line is read.
const BRIEF_SIZE: usize = 50_000_000;

/// Real text, so that detection has something to go by.
const TEXT: &str = "むかしむかし、あるところに、おじいさんとおばあさんが住んでいました。\r\n\
    おじいさんは山へしばかりに、おばあさんは川へせんたくに行きました。\r\n\
    すると、ドンブラコ、ドンブラコと、大きな桃が流れてきました。\r\n\
    「おや、これは良いおみやげになるわ」と、おばあさんは桃を家に持ち帰りました。\r\n";

/// The directory of the slow file, shared by the tests that run at the moment and removed with the last of them.
pub(crate) fn directory() -> Arc<TempDir> {
    static SHARED: Mutex<Weak<TempDir>> = Mutex::new(Weak::new());
    // A test that failed while making it leaves nothing behind that could be wrong.
    let mut shared = SHARED
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(directory) = shared.upgrade() {
        return directory;
    }
    let directory = Arc::new(TempDir::new().unwrap());
    make(&directory.path().join("slow.txt"), SIZE);
    make(&directory.path().join("brief.txt"), BRIEF_SIZE);
    std::fs::write(directory.path().join("quick.txt"), "quick\n").unwrap();
    *shared = Arc::downgrade(&directory);
    directory
}

fn make(path: &Path, size: usize) {
    let (line, _, _) = encoding_rs::SHIFT_JIS.encode(TEXT);
    let block = line.repeat(1 << 12);
    let mut file = File::create(path).unwrap();
    for _ in 0..size / block.len() {
        file.write_all(&block).unwrap();
    }
}

/// The params of a call that takes long; `token` asks for progress.
pub(crate) fn call(token: Option<Value>) -> Value {
    let mut params = json!({"name": "wordcount", "arguments": {"path": "slow.txt"}});
    if let Some(token) = token {
        params["_meta"] = json!({"progressToken": token});
    }
    params
}

/// The params of a call that is still under way when the next line is read, and answered soon.
pub(crate) fn brief_call() -> Value {
    json!({"name": "wordcount", "arguments": {"path": "brief.txt"}})
}
