//! What `list_dir` says of directories that are huge, deep, forbidden in part, or changing meanwhile.

use std::collections::HashMap;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;
use crate::nobody::{Place, set_mode};

/// The largest line of an answer.
const LINE: usize = 256 * 1024;

/// The entries of a listing, without the notices around them.
fn entries(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|it| !it.starts_with('['));
    lines.map(str::to_owned).collect()
}

/// Where a listing says that it goes on; all other arguments that it names must be those given.
fn next_offset(text: &str, given: &Value) -> Option<u64> {
    let last = text.lines().next_back()?;
    let rest = last.strip_prefix("[more follows. Continue: list_dir ")?;
    let mut offset = None;
    let mut named = HashMap::new();
    for pair in rest.strip_suffix(']').unwrap().split(' ') {
        match pair.split_once('=').unwrap() {
            ("offset", value) => offset = value.parse().ok(),
            (name, value) => drop(named.insert(name.to_owned(), value.to_owned())),
        }
    }
    let mut wanted = given.as_object().unwrap().clone();
    wanted.remove("offset");
    let wanted = wanted.into_iter();
    let text = |it: Value| it.as_str().map_or(it.to_string(), str::to_owned);
    assert_eq!(named, wanted.map(|(name, it)| (name, text(it))).collect());
    offset
}

/// Follows the notices to the end and joins what they lead to.
fn list_to_the_end(client: &mut Client, arguments: &Value) -> Vec<String> {
    let mut arguments = arguments.clone();
    let mut all = Vec::new();
    loop {
        let answer = client.call("list_dir", arguments.clone());
        let size = answer.0.to_string().len();
        assert!(size <= LINE, "an answer of {size} bytes");
        let page = entries(answer.text());
        assert!(!page.is_empty(), "no progress: {}", answer.text());
        all.extend(page);
        match next_offset(answer.text(), &arguments) {
            Some(next) => arguments["offset"] = json!(next),
            None => return all,
        }
    }
}

// B77, B78
#[test]
fn a_hundred_thousand_entries_are_one_page_of_a_known_total() {
    let directory = TempDir::new().unwrap();
    for number in 0..100_000 {
        File::create(directory.path().join(format!("f{number:05}"))).unwrap();
    }
    let mut client = Client::serving(directory.path());
    for (offset, shown) in [(0, 1_000), (50_000, 1_000), (99_500, 500)] {
        let arguments = json!({"offset": offset, "limit": 1000});
        let answer = client.call("list_dir", arguments);
        let page = entries(answer.text());
        let expected = (offset..offset + shown).map(|it| format!("FILE f{it:05}  0"));
        assert!(page.iter().eq(&expected.collect::<Vec<_>>()), "{offset}");
        assert!(answer.text().contains(" of 100,000 in "), "{offset}");
        let has_more = answer.text().contains("[more follows. ");
        assert_eq!(has_more, offset + shown < 100_000);
    }
    let none = client.call("list_dir", json!({"offset": 100_000}));
    assert!(none.text().contains("100,000 entries"), "{}", none.text());
}

// The benchmark `files` has 300,000.
#[test]
fn a_deep_tree_is_listed_level_by_level_in_the_order_of_bytes() {
    let directory = TempDir::new().unwrap();
    let mut levels = vec![Vec::new(); 3];
    for outer in 0..20 {
        let outer = format!("d{outer}");
        levels[0].push(format!("{outer}/"));
        for inner in 0..20 {
            let inner = format!("{outer}/e{inner}");
            fs::create_dir_all(directory.path().join(&inner)).unwrap();
            levels[1].push(format!("{inner}/"));
            for file in 0..25 {
                let file = format!("{inner}/f{file}");
                File::create(directory.path().join(&file)).unwrap();
                levels[2].push(file);
            }
        }
    }
    let mut client = Client::serving(directory.path());
    let mut expected: Vec<String> = Vec::new();
    for (depth, level) in (1..).zip(levels) {
        expected.extend(level);
        expected.sort_by_key(|it| it.trim_end_matches('/').as_bytes().to_vec());
        let lines = expected.iter().map(|it| match it.ends_with('/') {
            true => format!("DIR  {it}"),
            false => format!("FILE {it}  0"),
        });
        // One level is the default, and said by nothing.
        let mut arguments = json!({"limit": 1000});
        if depth > 1 {
            arguments["depth"] = json!(depth);
        }
        let listed = list_to_the_end(&mut client, &arguments);
        assert!(listed.iter().eq(&lines.collect::<Vec<_>>()), "{depth}");
    }
}

// B79
#[test]
fn pages_joined_are_the_whole_in_every_order_and_each_call_gives_the_same() {
    let directory = TempDir::new().unwrap();
    let root = directory.path();
    let names = [
        "b", "a", "Z", ".h", "\u{e9}", "10", "9", " x ", "n\nl", "[x]*", "-d", "~",
    ];
    for (number, name) in (1_u64..).zip(names) {
        let file = File::create(root.join(name)).unwrap();
        // Several of one size and of one time: the name decides between them.
        file.set_len(number / 3).unwrap();
        let time = UNIX_EPOCH + Duration::from_secs(1_000_000 * (number / 4));
        file.set_modified(time).unwrap();
    }
    fs::create_dir(root.join("m")).unwrap();
    symlink("a", root.join("l")).unwrap();
    let mut client = Client::serving(root);
    for sort in ["name", "size", "modified"] {
        let mut whole = json!({"sort": sort, "details": true});
        if sort == "name" {
            whole.as_object_mut().unwrap().remove("sort");
        }
        let expected = entries(client.call("list_dir", whole.clone()).text());
        assert_eq!(expected.len(), names.len() + 2, "{expected:#?}");
        for limit in [1, 3, 13, 14] {
            let mut paged = whole.clone();
            paged["limit"] = json!(limit);
            assert_eq!(list_to_the_end(&mut client, &paged), expected, "{paged}");
        }
    }
}

#[test]
fn what_is_larger_or_newer_comes_first_and_the_name_decides_between_equals() {
    let directory = TempDir::new().unwrap();
    for (name, size, seconds) in [("a", 5, 100), ("b", 70, 100), ("c", 5, 300), ("d", 0, 200)] {
        let file = File::create(directory.path().join(name)).unwrap();
        file.set_len(size).unwrap();
        let time = UNIX_EPOCH + Duration::from_secs(seconds);
        file.set_modified(time).unwrap();
    }
    let mut client = Client::serving(directory.path());
    for (sort, order) in [("name", "abcd"), ("size", "bacd"), ("modified", "cdab")] {
        let listing = client.call("list_dir", json!({"sort": sort}));
        let names = listing.text().lines().map(|it| &it[5..6]);
        assert_eq!(names.collect::<String>(), order, "{sort}");
    }
}

// B77: the budget comes before the limit, and the page says where it stopped.
#[test]
fn long_names_are_cut_at_the_budget_and_go_on_from_there() {
    let directory = TempDir::new().unwrap();
    let names: Vec<String> = (0..900)
        .map(|it| format!("{it:03}{}", "n".repeat(247)))
        .collect();
    for name in &names {
        File::create(directory.path().join(name)).unwrap();
    }
    let mut client = Client::serving(directory.path());
    let first = client.call("list_dir", json!({"limit": 1000}));
    let shown = entries(first.text()).join("\n").len();
    assert!(shown <= 65_536, "{shown} bytes");
    assert!(first.text().contains(" of 900 in "));
    let listed = list_to_the_end(&mut client, &json!({"limit": 1000}));
    let expected = names.iter().map(|it| format!("FILE {it}  0"));
    assert!(listed.iter().eq(&expected.collect::<Vec<_>>()));
}

// B73: names may be read where nothing can be asked about them.
#[test]
fn an_entry_that_may_not_be_looked_at_is_one_marked_line() {
    let place = Place::new();
    let root = place.root();
    fs::create_dir(root.join("names")).unwrap();
    fs::write(root.join("names/file"), "x\n").unwrap();
    symlink("file", root.join("names/link")).unwrap();
    fs::write(root.join("open"), "x\n").unwrap();
    set_mode(&root.join("names"), 0o444);
    let mut client = place.launch().start();
    let listing = client.call("list_dir", json!({"depth": 3}));
    assert_eq!(
        listing.text(),
        "DIR  names/\n\
         ??   names/file (permission denied)\n\
         ??   names/link (permission denied)\n\
         FILE open  2\n"
    );
    drop(client);
    set_mode(&root.join("names"), 0o755);
}

#[test]
fn what_is_no_file_and_no_directory_is_listed_by_its_kind() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let directory = TempDir::new().unwrap();
    let fifo = directory.path().join("pipe");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
    let path = directory.path().join("socket");
    let _socket = std::os::unix::net::UnixListener::bind(path).unwrap();
    let mut client = Client::serving(directory.path());
    for depth in [1, 2] {
        let listing = client.call("list_dir", json!({"depth": depth}));
        assert_eq!(listing.text(), "FIFO pipe\nSOCK socket\n");
    }
    let mut client = Client::serving(Path::new("/dev"));
    let listing = client.call("list_dir", json!({"pattern": "null"}));
    assert_eq!(listing.text(), "DEV  null\n");
}

/// How often a directory is listed while entries come and go.
const LISTINGS: usize = 150;

#[test]
fn entries_that_come_and_go_meanwhile_end_no_listing_and_hide_nothing() {
    let directory = TempDir::new().unwrap();
    let root = directory.path();
    fs::create_dir(root.join("sub")).unwrap();
    for name in ["stays", "sub/stays"] {
        fs::write(root.join(name), "x\n").unwrap();
    }
    let is_over = Arc::new(AtomicBool::new(false));
    let changing = {
        let (is_over, root) = (Arc::clone(&is_over), root.to_owned());
        thread::spawn(move || {
            while !is_over.load(Ordering::SeqCst) {
                for number in 0..20 {
                    fs::create_dir(root.join(format!("sub/d{number}"))).unwrap();
                    fs::write(root.join(format!("sub/d{number}/f")), "x\n").unwrap();
                    symlink("stays", root.join(format!("l{number}"))).unwrap();
                }
                for number in 0..20 {
                    fs::remove_dir_all(root.join(format!("sub/d{number}"))).unwrap();
                    fs::remove_file(root.join(format!("l{number}"))).unwrap();
                }
            }
        })
    };
    let mut client = Client::serving(root);
    for (number, sort) in (0..LISTINGS).zip(["name", "size", "modified"].iter().cycle()) {
        let arguments = json!({"depth": 1 + number % 4, "details": true, "sort": sort});
        let listing = client.call("list_dir", arguments);
        let stays = |name: &str| entries(listing.text()).iter().any(|it| it.contains(name));
        assert!(stays("FILE stays  2  "), "{}", listing.text());
        assert!(stays("DIR  sub/"), "{}", listing.text());
        let is_deep = number % 4 > 0;
        assert_eq!(stays("FILE sub/stays  2  "), is_deep, "{}", listing.text());
    }
    is_over.store(true, Ordering::SeqCst);
    changing.join().unwrap();
}

// B69
#[test]
fn a_path_longer_than_the_system_takes_at_once_is_read_and_listed() {
    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
    let directory = TempDir::new().unwrap();
    let name = "d".repeat(200);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut dir = openat(CWD, directory.path(), flags, Mode::empty()).unwrap();
    for _ in 0..25 {
        mkdirat(&dir, &name, Mode::from_raw_mode(0o755)).unwrap();
        dir = openat(&dir, &name, flags, Mode::empty()).unwrap();
    }
    let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = openat(&dir, "f.txt", flags, Mode::from_raw_mode(0o644)).unwrap();
    rustix::io::write(&file, b"deep\n").unwrap();
    let deepest = vec![&*name; 25].join("/");
    let mut client = Client::serving(directory.path());
    let root = directory.path().display();
    for path in [
        format!("{deepest}/f.txt"),
        format!("{root}/{deepest}/f.txt"),
    ] {
        let answer = client.call("read_file", json!({"path": path}));
        assert_eq!(answer.text(), "deep\n");
    }
    let listing = client.call("list_dir", json!({"path": deepest}));
    assert_eq!(listing.text(), "FILE f.txt  5\n");
    // One name that is too long is said to be so, and the session goes on.
    let answer = client.call("read_file", json!({"path": "x".repeat(300)}));
    assert!(answer.fault().contains("too long"), "{}", answer.fault());
}
