//! Files that are not simply files: links, pipes, sockets, closed doors, odd names.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::json;
use tempfile::TempDir;

use crate::client::Client;
use crate::launch::Launch;
use crate::nobody::{Place, set_mode};

// B73: as root nothing is forbidden, so this runs as nobody.
#[test]
fn what_may_not_be_read_is_said_and_the_rest_is_read() {
    let place = Place::new();
    let root = place.root();
    fs::write(root.join("open.txt"), "open\n").unwrap();
    fs::write(root.join("closed.txt"), "closed\n").unwrap();
    fs::create_dir(root.join("shut")).unwrap();
    fs::write(root.join("shut/inside.txt"), "inside\n").unwrap();
    set_mode(&root.join("closed.txt"), 0o000);
    set_mode(&root.join("shut"), 0o000);
    let mut client = place.launch().start();
    for path in ["closed.txt", "shut/inside.txt"] {
        let answer = client.call("read_file", json!({"path": path}));
        assert!(answer.fault().contains("permission"), "{}", answer.fault());
    }
    let answer = client.call("list_dir", json!({"path": "shut"}));
    assert!(answer.fault().contains("permission"), "{}", answer.fault());
    let listing = client.call("list_dir", json!({"depth": 3}));
    assert_eq!(
        listing.text(),
        "FILE closed.txt  7\nFILE open.txt  5\n??   shut (permission denied)\n"
    );
    // What the pattern wants may be in there.
    let listing = client.call("list_dir", json!({"depth": 3, "pattern": "o*"}));
    assert_eq!(
        listing.text(),
        "FILE open.txt  5\n??   shut (permission denied)\n"
    );
    drop(client);
    set_mode(&root.join("shut"), 0o755);
}

#[test]
fn a_directory_that_may_not_be_read_stops_nothing() {
    let place = Place::new();
    let root = place.root();
    set_mode(&root, 0o000);
    let mut client = place.launch().start();
    let answer = client.call("list_dir", json!({}));
    assert!(answer.fault().contains("permission"), "{}", answer.fault());
    drop(client);
    // Nor does it hide what lies in the others.
    let other = root.parent().unwrap().join("other");
    fs::create_dir_all(other.join("sub")).unwrap();
    fs::write(other.join("sub/b.txt"), "b\n").unwrap();
    let mut client = place.launch().with(|it| it.arg(&other)).start();
    let answer = client.call("read_file", json!({"path": "sub/b.txt"}));
    assert_eq!(answer.text(), "b\n");
    let answer = client.call("list_dir", json!({"path": "sub"}));
    assert_eq!(answer.text(), "FILE b.txt  2\n");
    drop(client);
    set_mode(&root, 0o755);
}

// S02: at once, since nobody will ever write into the FIFO.
#[test]
fn what_is_no_regular_file_is_refused_by_its_kind() {
    let directory = TempDir::new().unwrap();
    let fifo = directory.path().join("pipe");
    let made = Command::new("mkfifo").arg(&fifo).status().unwrap();
    assert!(made.success());
    let _socket = UnixListener::bind(directory.path().join("socket")).unwrap();
    let mut client = Client::serving(directory.path());
    for (path, kind) in [("pipe", "pipe"), ("socket", "socket")] {
        for tool in ["read_file", "read_lines", "wordcount", "list_dir"] {
            let answer = client.call(tool, json!({"path": path}));
            assert!(
                answer.fault().to_lowercase().contains(kind),
                "{}",
                answer.fault()
            );
        }
    }
    client.call("list_dir", json!({})).text();
    let mut client = Client::serving(Path::new("/dev"));
    client.call("read_file", json!({"path": "zero"})).fault();
}

// S01: a change between two looks gains nothing.
#[test]
fn a_link_out_of_the_root_is_refused_however_it_is_reached() {
    let outside = TempDir::new().unwrap();
    fs::write(outside.path().join("secret.txt"), "secret\n").unwrap();
    let directory = TempDir::new().unwrap();
    let root = directory.path();
    symlink(outside.path(), root.join("out")).unwrap();
    symlink(root.join("out/secret.txt"), root.join("twice")).unwrap();
    symlink("loop", root.join("loop")).unwrap();
    let mut client = Client::serving(root);
    for path in [
        "out/secret.txt",
        "twice",
        "out/../out/secret.txt",
        "out/no-such-file",
    ] {
        let answer = client.call("read_file", json!({"path": path}));
        assert!(!answer.fault().contains("secret\n"));
    }
    client.call("read_file", json!({"path": "loop"})).fault();
    // Existing or not, what is outside looks the same from inside.
    let tell = |client: &mut Client, name: &str| {
        let path = outside.path().join(name);
        let answer = client.call("read_file", json!({"path": path}));
        answer.fault().replace(name, "NAME")
    };
    assert_eq!(
        tell(&mut client, "secret.txt"),
        tell(&mut client, "absent.txt")
    );
}

// B74
#[test]
fn a_link_from_one_root_into_another_works_at_any_depth() {
    let (first, second) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    fs::create_dir_all(second.path().join("a/b")).unwrap();
    fs::write(second.path().join("a/b/c.txt"), "deep\n").unwrap();
    symlink(second.path(), first.path().join("link")).unwrap();
    let mut client = Launch::new([first.path(), second.path()]).start();
    assert_eq!(
        client
            .call("read_file", json!({"path": "link/a/b/c.txt"}))
            .text(),
        "deep\n"
    );
    assert!(
        client
            .call("list_dir", json!({"path": "link/a"}))
            .text()
            .contains('b')
    );
}

// B66
#[test]
fn a_name_with_a_line_feed_is_listed_on_one_line_and_read_by_what_is_printed() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("two\nlines.txt"), "content\n").unwrap();
    let mut client = Client::serving(directory.path());
    let listing = client.call("list_dir", json!({}));
    assert!(
        listing
            .text()
            .lines()
            .next()
            .unwrap()
            .contains("two\\nlines.txt"),
        "{}",
        listing.text()
    );
    for path in ["two\nlines.txt", "two\\nlines.txt"] {
        assert_eq!(
            client.call("read_file", json!({"path": path})).text(),
            "content\n"
        );
    }
}

#[test]
fn details_are_the_time_of_change_and_the_mode() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("a.txt");
    fs::write(&path, "abc").unwrap();
    set_mode(&path, 0o640);
    let time = UNIX_EPOCH + Duration::from_secs(1_704_164_645);
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(time).unwrap();
    let mut client = Client::serving(directory.path());
    let listing = client.call("list_dir", json!({"details": true}));
    assert_eq!(
        listing.text(),
        "FILE a.txt  3  2024-01-02T03:04:05Z  0640\n"
    );
}

#[test]
fn the_latest_change_comes_first_or_last_but_in_order() {
    let directory = TempDir::new().unwrap();
    for (name, seconds) in [("b.txt", 300), ("c.txt", 100), ("a.txt", 200)] {
        let file = fs::File::create(directory.path().join(name)).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds))
            .unwrap();
    }
    let mut client = Client::serving(directory.path());
    let listing = client.call("list_dir", json!({"sort": "modified"}));
    let names = listing.text().lines().map(|it| &it[5..6]);
    let order: String = names.collect();
    assert!(order == "bac" || order == "cab", "{order}");
}
