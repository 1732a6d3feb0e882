//! The directories the program was given: missing, doubled, nested, files, or none.

use std::fs;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::time::Instant;

use serde_json::json;
use tempfile::TempDir;

#[cfg(unix)]
use crate::client::LIMIT;
use crate::client::{Client, hello};
use crate::launch::{Launch, program};

fn directory() -> TempDir {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("a.txt"), "a\n").unwrap();
    directory
}

fn instructions(client: &mut Client) -> String {
    let answer = client.request("initialize", hello("2025-11-25"));
    answer["result"]["instructions"]
        .as_str()
        .unwrap()
        .to_owned()
}

// B61, B134
#[test]
fn a_missing_directory_is_said_everywhere_and_used_once_it_is_there() {
    let directory = directory();
    let missing = directory.path().join("missing");
    let mut client = Launch::new([&missing]).start();
    assert!(instructions(&mut client).contains("missing"));
    let answer = client.call("read_file", json!({"path": "b.txt"}));
    assert!(answer.fault().contains("missing"), "{}", answer.fault());
    fs::create_dir(&missing).unwrap();
    fs::write(missing.join("b.txt"), "b\n").unwrap();
    assert_eq!(
        client.call("read_file", json!({"path": "b.txt"})).text(),
        "b\n"
    );
}

#[test]
fn a_missing_directory_leaves_the_others_at_work() {
    let directory = directory();
    // An empty one is what is left of a host's variable that is not set.
    for missing in [directory.path().join("missing"), "".into()] {
        let mut client = Launch::new([&missing, directory.path()]).start();
        let answer = client.call("read_file", json!({"path": "a.txt"}));
        assert_eq!(answer.text(), "a\n");
    }
}

#[test]
fn a_file_given_as_directory_allows_that_file_alone() {
    let directory = directory();
    fs::write(directory.path().join("b.txt"), "b\n").unwrap();
    let mut client = Launch::new([directory.path().join("a.txt")]).start();
    assert_eq!(
        client.call("read_file", json!({"path": "a.txt"})).text(),
        "a\n"
    );
    client.call("read_file", json!({"path": "b.txt"})).fault();
    let beside = directory.path().join("b.txt");
    client.call("read_file", json!({"path": beside})).fault();
}

// B62
#[test]
fn a_directory_given_twice_counts_once_and_a_nested_one_harms_nothing() {
    let directory = directory();
    let root = directory.path().canonicalize().unwrap();
    let mut client = Launch::new([&root, &root.join(".")]).start();
    let listing = client.call("list_dir", json!({}));
    assert!(listing.text().contains("FILE a.txt"), "{}", listing.text());
    fs::create_dir(root.join("sub")).unwrap();
    fs::write(root.join("sub/b.txt"), "b\n").unwrap();
    let mut client = Launch::new([&root, &root.join("sub")]).start();
    assert_eq!(
        client.call("read_file", json!({"path": "b.txt"})).text(),
        "b\n"
    );
    assert_eq!(
        client
            .call("read_file", json!({"path": "sub/b.txt"}))
            .text(),
        "b\n"
    );
}

#[test]
fn several_directories_are_listed_when_none_is_named() {
    let (first, second) = (directory(), directory());
    fs::write(second.path().join("b.txt"), "b\n").unwrap();
    let mut client = Launch::new([first.path(), second.path()]).start();
    let listing = client.call("list_dir", json!({}));
    for root in [&first, &second] {
        let name = root.path().file_name().unwrap().to_str().unwrap();
        assert!(listing.text().contains(name), "{}", listing.text());
    }
    // A relative path is looked for in each, the first first.
    assert_eq!(
        client.call("read_file", json!({"path": "b.txt"})).text(),
        "b\n"
    );
}

// B60
#[test]
fn a_directory_may_have_a_space_and_a_hyphen_in_its_name() {
    let directory = TempDir::new().unwrap();
    for name in ["My Files", "-starts-with-a-hyphen", "日本 語"] {
        let root = directory.path().join(name);
        fs::create_dir(&root).unwrap();
        fs::write(root.join("a.txt"), name).unwrap();
        let mut client = Client::serving(&root);
        assert_eq!(
            client.call("read_file", json!({"path": "a.txt"})).text(),
            name
        );
    }
}

#[test]
fn without_a_directory_the_current_one_is_served() {
    let directory = directory();
    let mut client = Launch::new::<&str>([])
        .with(|it| it.current_dir(directory.path()))
        .start();
    assert_eq!(
        client.call("read_file", json!({"path": "a.txt"})).text(),
        "a\n"
    );
}

/// Where hosts start their servers, or where everything would be open.
#[test]
fn without_a_directory_some_places_are_not_served_and_every_call_says_so() {
    let home = directory();
    let program = program();
    let binary = program.parent().unwrap();
    let system = std::env::var_os("SystemRoot").map_or("/usr".into(), PathBuf::from);
    for place in [Path::new("/"), &system, home.path(), binary] {
        let mut client = Launch::new::<&str>([])
            .with(|it| {
                it.current_dir(place)
                    .env("HOME", home.path())
                    .env("USERPROFILE", home.path())
            })
            .start();
        assert!(!instructions(&mut client).is_empty());
        for (tool, path) in [
            ("read_file", "a.txt"),
            ("wordcount", "a.txt"),
            ("list_dir", "."),
        ] {
            let answer = client.call(tool, json!({"path": path}));
            assert!(
                answer.fault().contains("directory"),
                "{}: {}",
                place.display(),
                answer.fault()
            );
        }
    }
}

// B54
#[test]
fn the_root_of_the_file_system_may_be_given_on_purpose() {
    let directory = directory();
    let path = directory.path().join("a.txt");
    let mut client = Client::serving(path.ancestors().last().unwrap());
    assert_eq!(
        client.call("read_file", json!({"path": path})).text(),
        "a\n"
    );
}

// B52
#[test]
fn a_tilde_is_the_home_only_alone_or_before_a_slash() {
    let directory = directory();
    let root = directory.path();
    fs::create_dir_all(root.join("home")).unwrap();
    fs::create_dir_all(root.join("~Mine")).unwrap();
    fs::write(root.join("home/h.txt"), "home\n").unwrap();
    fs::write(root.join("~Mine/m.txt"), "mine\n").unwrap();
    let mut client = Launch::new([root])
        .with(|it| {
            it.env("HOME", root.join("home"))
                .env("USERPROFILE", root.join("home"))
        })
        .start();
    assert_eq!(
        client.call("read_file", json!({"path": "~/h.txt"})).text(),
        "home\n"
    );
    assert_eq!(
        client
            .call("read_file", json!({"path": "~Mine/m.txt"}))
            .text(),
        "mine\n"
    );
    assert!(
        client
            .call("list_dir", json!({"path": "~"}))
            .text()
            .contains("h.txt")
    );
}

#[test]
fn the_list_of_what_is_denied_can_be_replaced() {
    let directory = directory();
    let root = directory.path();
    for name in [".netrc", "keys.kdbx", "own.secret"] {
        fs::write(root.join(name), "x\n").unwrap();
    }
    let config = root.join("c.toml");
    let denied = |text: &str| -> Vec<bool> {
        fs::write(&config, text).unwrap();
        let launch = Launch::new([root]).with(|it| it.arg("--config").arg(&config));
        let mut client = launch.start();
        let names = [".netrc", "keys.kdbx", "own.secret"].into_iter();
        let answers = names.map(|it| client.call("read_file", json!({"path": it})));
        let results = answers.map(|it| it.0["result"]["isError"] == true);
        results.collect()
    };
    assert_eq!(denied(""), [true, true, false]);
    assert_eq!(denied("deny = []\n"), [false, false, false]);
    assert_eq!(denied("deny = [\"*.secret\"]\n"), [false, false, true]);
}

/// Asks until the answer is this: that a directory was replaced is noticed a moment later.
#[cfg(unix)]
fn assert_soon(client: &mut Client, tool: &str, arguments: &serde_json::Value, expected: &str) {
    let begun = Instant::now();
    loop {
        let answer = client.call(tool, arguments.clone());
        let said = answer.0["result"]["content"][0]["text"].to_string();
        if said.contains(expected) {
            return;
        }
        assert!(begun.elapsed() < LIMIT, "{said}");
    }
}

fn read(client: &mut Client, path: &Path) -> String {
    client
        .call("read_file", json!({"path": path}))
        .text()
        .to_owned()
}

#[test]
fn a_file_among_the_directories_hides_nothing_of_the_others() {
    let directory = directory();
    let root = directory.path();
    fs::create_dir_all(root.join("two/sub")).unwrap();
    for name in ["b.txt", "sub/c.txt", "sub/d.txt"] {
        fs::write(root.join("two").join(name), name).unwrap();
    }
    let (note, two) = (root.join("a.txt"), root.join("two"));
    for files in [
        vec!["a.txt"],
        vec!["two/b.txt"],
        vec!["two/sub/c.txt", "a.txt"],
    ] {
        let mut given: Vec<PathBuf> = files.iter().map(|it| root.join(it)).collect();
        given.push(two.clone());
        for _ in 0..2 {
            let mut client = Launch::new(&given).start();
            for name in ["b.txt", "sub/c.txt", "sub/d.txt"] {
                assert_eq!(read(&mut client, Path::new(name)), name);
                assert_eq!(read(&mut client, &two.join(name)), name);
            }
            for path in [Path::new("sub"), &two.join("sub")] {
                let listing = client.call("list_dir", json!({"path": path}));
                let expected = "FILE c.txt  9\nFILE d.txt  9\n";
                assert_eq!(listing.text(), expected, "{given:?} {}", path.display());
            }
            let answer = client.call("read_file", json!({"path": note}));
            let is_allowed = given.contains(&note);
            assert_eq!(answer.0["result"]["isError"], !is_allowed, "{given:?}");
            let missing = client.call("read_file", json!({"path": "no.txt"}));
            assert!(
                missing.fault().starts_with("no file at"),
                "{}",
                missing.fault()
            );
            given.reverse();
        }
    }
}

#[cfg(unix)]
#[test]
fn a_file_given_is_listed_as_one() {
    let directory = directory();
    let root = directory.path().canonicalize().unwrap();
    fs::create_dir(root.join("two")).unwrap();
    let mut client = Launch::new([root.join("a.txt"), root.join("two")]).start();
    let expected = format!(
        "FILE {}\nDIR  {}\n",
        root.join("a.txt").display(),
        root.join("two").display()
    );
    assert_eq!(client.call("list_dir", json!({})).text(), expected);
}

#[test]
fn a_name_that_is_a_file_in_the_first_directory_is_looked_for_in_the_next() {
    let directory = directory();
    let root = directory.path();
    fs::create_dir_all(root.join("one")).unwrap();
    fs::write(root.join("one/sub"), "a file\n").unwrap();
    fs::create_dir_all(root.join("two/sub")).unwrap();
    fs::write(root.join("two/sub/c.txt"), "c\n").unwrap();
    let mut client = Launch::new([root.join("one"), root.join("two")]).start();
    assert_eq!(read(&mut client, Path::new("sub/c.txt")), "c\n");
    assert_eq!(read(&mut client, Path::new("sub")), "a file\n");
}

#[cfg(unix)]
#[test]
fn a_directory_that_is_replaced_is_served_as_it_is_now() {
    let directory = directory();
    let root = directory.path().join("root");
    let make = |text: &str| {
        fs::create_dir(&root).unwrap();
        fs::write(root.join("a.txt"), text).unwrap();
    };
    make("old\n");
    let mut client = Launch::new([&root]).start();
    assert_eq!(read(&mut client, Path::new("a.txt")), "old\n");
    fs::rename(&root, directory.path().join("moved")).unwrap();
    make("new\n");
    assert_soon(&mut client, "read_file", &json!({"path": "a.txt"}), "new");
    fs::remove_dir_all(&root).unwrap();
    // What is not found is looked for at once.
    for (tool, path) in [
        ("read_file", "a.txt"),
        ("list_dir", "."),
        ("wordcount", "a.txt"),
    ] {
        let answer = client.call(tool, json!({"path": path}));
        assert!(
            answer.fault().contains("does not exist"),
            "{}",
            answer.fault()
        );
    }
    make("third\n");
    for depth in [1, 3] {
        let listing = client.call("list_dir", json!({"depth": depth}));
        assert_eq!(listing.text(), "FILE a.txt  6\n");
    }
    fs::rename(&root, directory.path().join("again")).unwrap();
    fs::create_dir(&root).unwrap();
    assert_soon(
        &mut client,
        "list_dir",
        &json!({"depth": 3}),
        "(empty directory)",
    );
    fs::write(root.join("a.txt"), "third\n").unwrap();
    assert_eq!(read(&mut client, &root.join("a.txt")), "third\n");
}

#[cfg(unix)]
#[test]
fn a_link_given_as_directory_is_followed_to_where_it_leads_now() {
    use std::os::unix::fs::symlink;
    let directory = directory();
    let current = directory.path().join("current");
    for version in ["1", "2"] {
        fs::create_dir(directory.path().join(version)).unwrap();
        fs::write(directory.path().join(version).join("v"), version).unwrap();
    }
    symlink("1", &current).unwrap();
    let mut client = Launch::new([&current]).start();
    assert_eq!(read(&mut client, Path::new("v")), "1");
    fs::remove_file(&current).unwrap();
    symlink("2", &current).unwrap();
    assert_soon(&mut client, "read_file", &json!({"path": "v"}), "2");
    assert_eq!(read(&mut client, &current.join("v")), "2");
}
