//! What a hostile or merely odd tree of files can bring about: nothing outside, and everything inside.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use proptest::prelude::*;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;
use tempfile::TempDir;

use crate::client::Client;
use crate::launch::Launch;
use crate::shapes::Revision;

const SECRET: &str = "what nobody may read";

/// Read so often while a directory and a link change places.
const READS: usize = 1_500;

#[test]
fn a_directory_that_turns_into_a_link_gives_nothing_away() {
    let place = TempDir::new().unwrap();
    let root = place.path().join("root");
    let outside = place.path().join("outside");
    for directory in [&root.join("dir"), &outside] {
        fs::create_dir_all(directory).unwrap();
    }
    fs::write(root.join("dir/file"), "inside\n").unwrap();
    fs::write(outside.join("file"), SECRET).unwrap();
    symlink(&outside, root.join("link")).unwrap();

    let is_over = Arc::new(AtomicBool::new(false));
    let swapping = {
        let (is_over, root) = (Arc::clone(&is_over), root.clone());
        thread::spawn(move || {
            while !is_over.load(Ordering::SeqCst) {
                let (dir, link) = (root.join("dir"), root.join("link"));
                renameat_with(CWD, &dir, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        })
    };
    let mut client = Client::speaking(Revision::July2026, &root);
    let mut seen = [false; 2];
    for _ in 0..READS {
        let answer = client.call("read_file", json!({"path": "dir/file"}));
        let text = answer.0.to_string();
        assert!(!text.contains(SECRET), "{text}");
        seen[usize::from(text.contains("inside"))] = true;
    }
    is_over.store(true, Ordering::SeqCst);
    swapping.join().unwrap();
    assert_eq!(
        seen, [true; 2],
        "both were there to be read: refused, inside"
    );
}

/// Something in a tree; names are chosen by number, so that links may meet what they point at.
#[derive(Clone, Debug)]
enum Thing {
    Directory(usize, usize),
    File(usize, usize),
    /// In which directory, under which name, to what.
    Link(usize, usize, Target),
}

#[derive(Clone, Debug)]
enum Target {
    Inside(usize),
    Relative(usize),
    OtherRoot,
    Outside,
    OutsideFile,
    Upwards,
    Nowhere,
}

const NAMES: [&str; 12] = [
    "plain",
    "with space",
    " edge ",
    "quo\"te",
    "it\u{2019}s",
    "caf\u{e9}",
    "cafe\u{301}",
    "new\nline",
    "~",
    "-dash",
    "\u{65e5}\u{672c}",
    "[x]*",
];

fn things() -> impl Strategy<Value = Vec<Thing>> {
    let place = || (0..6_usize, 0..NAMES.len());
    let target = prop_oneof![
        (0..6_usize).prop_map(Target::Inside),
        (0..NAMES.len()).prop_map(Target::Relative),
        Just(Target::OtherRoot),
        Just(Target::Outside),
        Just(Target::OutsideFile),
        Just(Target::Upwards),
        Just(Target::Nowhere),
    ];
    let thing = prop_oneof![
        place().prop_map(|(within, name)| Thing::Directory(within, name)),
        place().prop_map(|(within, name)| Thing::File(within, name)),
        (place(), target).prop_map(|((within, name), to)| Thing::Link(within, name, to)),
    ];
    proptest::collection::vec(thing, 1..24)
}

/// Makes the things below `root`; what cannot be made, because something is there, is left out.
fn build(root: &Path, other: &Path, outside: &Path, things: &[Thing]) {
    let mut directories: Vec<PathBuf> = vec![root.to_owned()];
    for (number, thing) in things.iter().enumerate() {
        let within = |index: usize| directories[index % directories.len()].clone();
        match thing {
            Thing::Directory(place, name) => {
                let path = within(*place).join(NAMES[*name]);
                if fs::create_dir(&path).is_ok() {
                    directories.push(path);
                }
            }
            Thing::File(place, name) => {
                let path = within(*place).join(NAMES[*name]);
                if fs::symlink_metadata(&path).is_err() {
                    fs::write(path, format!("file {number}\n")).unwrap();
                }
            }
            Thing::Link(place, name, target) => {
                let target = match target {
                    Target::Inside(index) => within(*index),
                    Target::Relative(name) => PathBuf::from(NAMES[*name]),
                    Target::OtherRoot => other.join("there.txt"),
                    Target::Outside => outside.to_owned(),
                    Target::OutsideFile => outside.join("secret.txt"),
                    Target::Upwards => PathBuf::from("../../.."),
                    Target::Nowhere => PathBuf::from("no such thing"),
                };
                // A name that is taken stays as it is.
                drop(symlink(target, within(*place).join(NAMES[*name])));
            }
        }
    }
}

/// The files below a directory that are none of them links, by what a listing calls them.
fn listed_files(listing: &str) -> Vec<String> {
    let lines = listing.lines().filter_map(|it| it.strip_prefix("FILE "));
    lines
        .map(|it| it.rsplit_once("  ").map_or(it, |(name, _)| name).to_owned())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn nothing_outside_is_read_and_everything_listed_is(things in things()) {
        let place = TempDir::new().unwrap();
        let [root, other, outside] = ["root", "other", "outside"].map(|it| place.path().join(it));
        for directory in [&root, &other, &outside] {
            fs::create_dir(directory).unwrap();
        }
        fs::write(outside.join("secret.txt"), SECRET).unwrap();
        fs::write(outside.join("plain"), SECRET).unwrap();
        fs::write(other.join("there.txt"), "the other root\n").unwrap();
        build(&root, &other, &outside, &things);

        let mut client = Launch::new([&root, &other]).start();
        let listing = client.call("list_dir", json!({"path": root, "depth": 20}));
        let listing = listing.text().to_owned();
        for name in listed_files(&listing) {
            let path = format!("{}/{name}", root.display());
            let answer = client.call("read_file", json!({"path": path}));
            prop_assert!(answer.text().starts_with("file "), "{path}: {}\n{listing}", answer.0);
        }
        // Every name there is, as it is, by its path from the root and from inside links.
        let mut paths: Vec<String> = NAMES.iter().map(|it| (*it).to_owned()).collect();
        for one in NAMES {
            paths.extend(NAMES.iter().map(|it| format!("{one}/{it}")));
            paths.extend(["secret.txt", "../outside/secret.txt", "../secret.txt"].map(|it| format!("{one}/{it}")));
        }
        for path in paths {
            client.post_call("read_file", json!({"path": path}));
        }
        let ending = client.finish();
        for line in &ending.lines {
            prop_assert!(!line.to_string().contains(SECRET), "{line}\n{things:?}");
        }
    }
}
