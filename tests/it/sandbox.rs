//! What a hostile or merely odd tree of files can bring about: nothing outside, and everything inside.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
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
use crate::nobody::{Place, set_mode};
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

// B59
#[test]
fn a_relative_path_starts_in_the_roots_and_never_in_the_process_directory() {
    let place = TempDir::new().unwrap();
    for (path, text) in [("one/a", "a\n"), ("two/b", "b\n"), ("cwd/c", SECRET)] {
        let path = place.path().join(path);
        fs::create_dir(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let roots = ["one", "two"].map(|it| place.path().join(it));
    let launch = Launch::new(roots).with(|it| it.current_dir(place.path().join("cwd")));
    let mut client = launch.start();
    for path in ["a", "b"] {
        let answer = client.call("read_file", json!({"path": path}));
        assert_eq!(answer.text(), format!("{path}\n"));
    }
    let answer = client.call("read_file", json!({"path": "c"}));
    assert!(!answer.fault().contains(SECRET));
}

// B60
#[test]
fn a_directory_that_a_shell_split_or_left_in_quotes_is_still_meant() {
    let place = TempDir::new().unwrap();
    let root = place.path().join("My Files");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("a"), "a\n").unwrap();
    let root = root.display().to_string();
    let split: Vec<String> = root.split(' ').map(str::to_owned).collect();
    for arguments in [split, vec![format!("\"{root}\"")]] {
        let mut client = Launch::new(&arguments).loud().start();
        let answer = client.call("read_file", json!({"path": "a"}));
        assert_eq!(answer.text(), "a\n", "{arguments:?}");
    }
}

// B71
#[test]
fn a_file_that_says_it_is_empty_and_is_not_is_counted() {
    let mut client = Client::serving(Path::new("/proc"));
    let counted = client.call("wordcount", json!({"path": "meminfo"})).json();
    assert!(counted["bytes"].as_u64().unwrap() > 0, "{counted}");
    assert!(counted["lines"].as_u64().unwrap() > 0, "{counted}");
}

// B73
#[test]
fn a_permission_that_is_missing_is_said_by_every_tool_for_a_file_and_what_is_below_it() {
    let place = Place::new();
    let (root, shut) = (place.root(), place.root().join("shut"));
    fs::create_dir(&shut).unwrap();
    for path in [root.join("closed"), shut.join("inside")] {
        fs::write(path, SECRET).unwrap();
    }
    symlink("shut/inside", root.join("link")).unwrap();
    set_mode(&root.join("closed"), 0o000);
    set_mode(&shut, 0o000);
    let mut client = place.launch().start();
    for tool in ["read_file", "read_lines", "wordcount"] {
        // What is there and what is not look the same behind a closed door.
        for path in ["closed", "shut/inside", "shut/nothing", "link"] {
            let answer = client.call(tool, json!({"path": path}));
            let fault = answer.fault();
            assert!(fault.starts_with("permission denied: "), "{fault}");
            assert!(fault.contains(path), "{fault}");
        }
    }
    client.assert_silent();
    drop(client);
    set_mode(&shut, 0o755);
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

const NAMES: [&[u8]; 15] = [
    b"plain",
    b"with space",
    b" edge ",
    b"quo\"te",
    "it\u{2019}s".as_bytes(),
    "caf\u{e9}".as_bytes(),
    "cafe\u{301}".as_bytes(),
    b"caf\xe9",
    b"new\nline",
    b"tab\tand \x1b[31m",
    b"back\\slash",
    b"~",
    b"-dash",
    "\u{65e5}\u{672c}".as_bytes(),
    b"[x]*",
];

fn name(index: usize) -> &'static OsStr {
    OsStr::from_bytes(NAMES[index])
}

/// A name as listings print it: on one line, and nothing but UTF-8.
fn printed(name: &[u8]) -> String {
    let mut printed = String::new();
    for chunk in name.utf8_chunks() {
        let valid = chunk.valid().replace('\n', "\\n").replace('\t', "\\t");
        printed += &valid.replace('\u{1b}', "\\x1B");
        printed.extend(chunk.invalid().iter().map(|it| format!("\\x{it:02X}")));
    }
    printed
}

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
            Thing::Directory(place, named) => {
                let path = within(*place).join(name(*named));
                if fs::create_dir(&path).is_ok() {
                    directories.push(path);
                }
            }
            Thing::File(place, named) => {
                let path = within(*place).join(name(*named));
                if fs::symlink_metadata(&path).is_err() {
                    fs::write(path, format!("file {number}\n")).unwrap();
                }
            }
            Thing::Link(place, named, target) => {
                let target = match target {
                    Target::Inside(index) => within(*index),
                    Target::Relative(named) => PathBuf::from(name(*named)),
                    Target::OtherRoot => other.join("there.txt"),
                    Target::Outside => outside.to_owned(),
                    Target::OutsideFile => outside.join("secret.txt"),
                    Target::Upwards => PathBuf::from("../../.."),
                    Target::Nowhere => PathBuf::from("no such thing"),
                };
                // A name that is taken stays as it is.
                drop(symlink(target, within(*place).join(name(*named))));
            }
        }
    }
}

/// Everything below a directory, links not entered: as it is, and by the path that is listed.
fn walk(directory: &Path, listed: &str, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let listed = format!("{listed}{}", printed(entry.file_name().as_bytes()));
        if entry.file_type().unwrap().is_dir() {
            walk(&entry.path(), &format!("{listed}/"), found);
        }
        found.push((entry.path(), listed));
    }
}

/// How the line of something in a listing has to begin and to end, by what the system says of it.
fn line(path: &Path, listed: &str, roots: &[PathBuf]) -> (String, &'static str) {
    let metadata = fs::symlink_metadata(path).unwrap();
    if metadata.is_dir() {
        return (format!("DIR  {listed}/"), "/");
    }
    if metadata.is_file() {
        return (format!("FILE {listed}  "), "");
    }
    let target = fs::read_link(path).unwrap();
    let target = printed(target.as_os_str().as_bytes());
    let state = match path.canonicalize() {
        Err(_) => " (broken)",
        Ok(real) if roots.iter().any(|root| real.starts_with(root)) => "",
        Ok(_) => " (outside)",
    };
    (format!("LINK {listed} -> {target}{state}"), state)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 32,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn nothing_outside_is_read_and_everything_listed_is(
        things in things(),
        has_two_roots: bool,
        is_nobody: bool,
    ) {
        let (place, beside) = (Place::new(), TempDir::new().unwrap());
        set_mode(beside.path(), 0o755);
        let root = place.root().canonicalize().unwrap();
        let beside = beside.path().canonicalize().unwrap();
        let (other, outside) = (beside.join("other"), beside.join("outside"));
        for directory in [&other, &outside] {
            fs::create_dir_all(directory).unwrap();
        }
        fs::write(outside.join("secret.txt"), SECRET).unwrap();
        fs::write(outside.join("plain"), SECRET).unwrap();
        let there = if has_two_roots { "the other root\n" } else { SECRET };
        fs::write(other.join("there.txt"), there).unwrap();
        build(&root, &other, &outside, &things);

        let mut roots = vec![root.clone()];
        roots.extend(has_two_roots.then_some(other));
        let launch = if is_nobody { place.launch() } else { Launch::new([&root]) };
        let mut client = launch.with(|it| it.args(&roots[1..])).start();
        let listing = client.call("list_dir", json!({"path": root, "depth": 20}));
        let listing = listing.text().to_owned();
        let mut found = Vec::new();
        walk(&root, "", &mut found);
        let count = if found.is_empty() { 1 } else { found.len() };
        prop_assert_eq!(listing.lines().count(), count, "{}", listing);
        for (path, listed) in found {
            let (start, end) = line(&path, &listed, &roots);
            let is_so = |it: &str| it.starts_with(&start) && it.ends_with(end);
            prop_assert!(listing.lines().any(is_so), "{start:?}\n{listing}");
            let asked = json!({"path": format!("{}/{listed}", root.display())});
            if path.is_dir() && end != " (outside)" {
                client.call("list_dir", asked).text();
            } else if end.is_empty() {
                let answer = client.call("read_file", asked);
                prop_assert_eq!(answer.text(), fs::read_to_string(&path).unwrap());
            } else {
                client.call("read_file", asked.clone()).fault();
                client.call("list_dir", asked).fault();
            }
        }
        // Every name there is, as it is, by its path from the root and from inside links.
        let names = NAMES.map(printed);
        let mut paths = names.to_vec();
        for one in &names {
            paths.extend(names.iter().map(|it| format!("{one}/{it}")));
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
