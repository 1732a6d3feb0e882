//! What only Windows has: drive letters, back slashes, names of devices, long paths, code pages.

use std::fs;
use std::path::Path;

use serde_json::json;
use tempfile::TempDir;

use crate::client::Client;
use crate::launch::Launch;

fn directory() -> TempDir {
    let directory = TempDir::new().unwrap();
    fs::create_dir(directory.path().join("docs")).unwrap();
    fs::write(directory.path().join("docs").join("notes.txt"), "notes\n").unwrap();
    directory
}

fn read(client: &mut Client, path: &str) -> String {
    let answer = client.call("read_file", json!({"path": path}));
    answer.text().to_owned()
}

#[test]
fn a_path_may_have_either_slash_and_either_case() {
    let directory = directory();
    let mut client = Client::serving(directory.path());
    for path in [
        "docs\\notes.txt",
        "docs/notes.txt",
        ".\\docs/notes.txt",
        "DOCS\\Notes.TXT",
    ] {
        assert_eq!(read(&mut client, path), "notes\n", "{path}");
    }
}

#[test]
fn an_absolute_path_may_have_its_drive_in_either_case_and_a_prefix() {
    let directory = directory();
    let path = directory.path().join("docs\\notes.txt");
    let path = path.to_str().unwrap();
    let (drive, rest) = path.split_at(1);
    let mut client = Client::serving(directory.path());
    for path in [
        format!("{}{rest}", drive.to_ascii_lowercase()),
        format!("{}{rest}", drive.to_ascii_uppercase()),
        path.replace('\\', "/"),
        format!("\\\\?\\{path}"),
        format!(
            "/{}{}",
            drive.to_ascii_lowercase(),
            rest[1..].replace('\\', "/")
        ),
    ] {
        assert_eq!(read(&mut client, &path), "notes\n", "{path}");
    }
}

#[test]
fn a_root_may_be_spelled_with_slashes_and_a_small_drive_letter() {
    let directory = directory();
    let root = directory.path().to_str().unwrap().replace('\\', "/");
    let root = format!("{}{}", root[..1].to_ascii_lowercase(), &root[1..]);
    let mut client = Launch::new([root]).start();
    assert_eq!(read(&mut client, "docs\\notes.txt"), "notes\n");
}

#[test]
fn names_of_devices_and_streams_are_refused_at_once() {
    let directory = directory();
    let mut client = Client::serving(directory.path());
    for path in [
        "NUL",
        "con",
        "docs\\COM1.txt",
        "aux.txt",
        "docs\\notes.txt:stream",
        "LPT9",
    ] {
        let answer = client.call("read_file", json!({"path": path}));
        let fault = answer.fault();
        assert!(fault.contains("a device or a stream"), "{path}: {fault}");
    }
}

#[test]
fn a_path_that_leaves_the_root_is_outside_with_either_slash() {
    let directory = directory();
    let root = directory.path().join("docs");
    fs::write(directory.path().join("secret.txt"), "secret\n").unwrap();
    let mut client = Client::serving(&root);
    for path in [
        "..\\secret.txt",
        "../secret.txt",
        "x\\..\\..\\secret.txt",
        "C:secret.txt",
    ] {
        let answer = client.call("read_file", json!({"path": path}));
        let fault = answer.fault();
        assert!(!fault.contains("secret\n"), "{path}: {fault}");
    }
}

#[test]
fn a_path_longer_than_260_characters_is_read_and_listed() {
    let directory = directory();
    let folders = ["长路径".repeat(15), "b".repeat(90), "c".repeat(90)];
    let below = folders.join("\\");
    // Only the program has the manifest, so this test writes with the prefix that needs none.
    let folder = format!("\\\\?\\{}\\{below}", directory.path().display());
    fs::create_dir_all(&folder).unwrap();
    fs::write(format!("{folder}\\deep.txt"), "deep\n").unwrap();
    assert!(folder.len() > 260);
    let mut client = Client::serving(directory.path());
    assert_eq!(read(&mut client, &format!("{below}\\deep.txt")), "deep\n");
    let listing = client.call("list_dir", json!({"path": below}));
    assert!(listing.text().contains("deep.txt"), "{}", listing.text());
    let long = directory.path().join(below);
    let mut client = Client::serving(Path::new(&long));
    assert_eq!(read(&mut client, "deep.txt"), "deep\n");
}

/// GBK and UTF-16 contents under Chinese names, through arguments and pipes, whatever the system's code page is.
#[test]
fn chinese_names_and_contents_come_through_arguments_and_pipes() {
    let directory = TempDir::new().unwrap();
    let text = "中文内容，编码测试。这是一个文件，里面有足够多的汉字。\r\n";
    let (gbk, _, _) = encoding_rs::GBK.encode(text);
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(directory.path().join("国标 文件.txt"), gbk).unwrap();
    let utf16 = [b"\xff\xfe".to_vec(), utf16].concat();
    fs::write(directory.path().join("记事本 😀.txt"), utf16).unwrap();
    let root = directory.path().to_str().unwrap();
    let mut client = Client::serving(directory.path());
    for name in ["国标 文件.txt", "记事本 😀.txt"] {
        let said = read(&mut client, name);
        assert!(said.contains("中文内容，编码测试"), "{said}");
        let listing = client.call("list_dir", json!({}));
        assert!(listing.text().contains(name), "{}", listing.text());
        let path = format!("path={name}");
        let output = Launch::new(["call", "read_file", &path, "--root", root]).output();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.contains("中文内容，编码测试"), "{printed}");
    }
}

#[test]
fn no_line_on_stdout_ends_in_cr_lf() {
    let directory = directory();
    let request = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\r\n";
    let output = Launch::new([directory.path()]).output_of(request);
    assert!(output.stdout.ends_with(b"}\n"));
    assert!(!output.stdout.contains(&b'\r'));
    let root = directory.path().to_str().unwrap();
    let output = Launch::new(["call", "read_file", "path=docs/notes.txt", "--root", root]).output();
    assert_eq!(output.stdout, b"notes\n");
}
