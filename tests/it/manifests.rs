//! What packages and registries are told: versions, descriptions and tools, as `Cargo.toml` and the program say them.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::pages::{hold, listed_tools, read, root};

/// Templates of what other programs read; packaging fills in what stands between @.
const TEMPLATES: [&str; 11] = [
    "dist/mcpb/manifest.json",
    "dist/linux/nfpm.yaml",
    "dist/channels/server.json",
    "dist/channels/filewright.json",
    "dist/channels/filewright.rb",
    "dist/channels/PKGBUILD",
    "dist/channels/winget/filewright.yaml",
    "dist/channels/winget/filewright.installer.yaml",
    "dist/channels/winget/filewright.locale.en-US.yaml",
    "dist/channels/winget/filewright.locale.zh-CN.yaml",
    "dist/npm/make.py",
];

/// Templates that describe the program in English.
fn describes(template: &str) -> bool {
    let silent = ["filewright.yaml", "installer.yaml", "zh-CN.yaml"];
    !silent.iter().any(|it| template.ends_with(it))
}

fn parsed(file: &str) -> Value {
    serde_json::from_str(&read(file)).unwrap_or_else(|fault| panic!("{file}: {fault}"))
}

/// A tool's description up to the end of its first sentence.
fn first_sentence(tool: &Value) -> String {
    let text = tool["description"].as_str().unwrap();
    let end = text.find(". ").map_or(text.len(), |it| it + 1);
    text[..end].to_owned()
}

fn names(tools: &Value) -> Vec<&str> {
    let tools = tools.as_array().unwrap().iter();
    tools.map(|it| it["name"].as_str().unwrap()).collect()
}

#[test]
fn the_version_and_the_description_of_every_manifest_are_those_of_cargo() {
    for template in TEMPLATES {
        let text = read(template);
        let python = template.ends_with(".py");
        let version = if python { "VERSION" } else { "@VERSION@" };
        assert!(text.contains(version), "{template} has no {version}");
        let written = text.contains(env!("CARGO_PKG_VERSION"));
        assert!(!written, "{template} has a version of its own");
        let description = if python {
            "DESCRIPTION"
        } else {
            "@DESCRIPTION@"
        };
        assert_eq!(
            text.contains(description),
            describes(template),
            "{template}: {description}"
        );
    }
}

#[test]
fn no_manifest_is_forgotten_by_the_test_above() {
    for folder in ["dist/channels", "dist/channels/winget"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{folder}/{}", entry.file_name().to_str().unwrap());
            let known = entry.path().is_dir() || TEMPLATES.contains(&&*name);
            assert!(known, "{name} is not in the list of templates");
        }
    }
}

/// Homebrew takes 80 characters, the MCP registry 100.
#[test]
fn the_description_fits_where_it_is_shown() {
    let description = env!("CARGO_PKG_DESCRIPTION");
    assert!(description.chars().count() <= 80, "{description}");
    let plain = description
        .chars()
        .all(|it| it.is_ascii() && !"\"'\\$`@".contains(it));
    assert!(plain, "{description} would need escapes in some manifest");
}

#[test]
fn the_bundle_lists_the_tools_that_the_program_offers() {
    let file = "dist/mcpb/manifest.json";
    let mut manifest = parsed(file);
    let tools = listed_tools();
    let tools = tools
        .iter()
        .map(|it| json!({"name": it["name"], "description": first_sentence(it)}));
    manifest["tools"] = tools.collect();
    let wanted = serde_json::to_string_pretty(&manifest).unwrap() + "\n";
    hold(file, &wanted);
    let chinese = parsed("dist/mcpb/mcpb-resources/zh-CN.json");
    assert_eq!(names(&chinese["tools"]), names(&manifest["tools"]));
}

#[test]
fn the_bundle_says_the_same_in_the_manifest_and_in_english() {
    let manifest = parsed("dist/mcpb/manifest.json");
    let english = parsed("dist/mcpb/mcpb-resources/en-US.json");
    for key in ["display_name", "long_description"] {
        assert_eq!(english[key], manifest[key], "{key}");
    }
    assert_eq!(english["description"], env!("CARGO_PKG_DESCRIPTION"));
    let chinese = parsed("dist/mcpb/mcpb-resources/zh-CN.json");
    for key in ["display_name", "description", "long_description"] {
        assert!(chinese[key].is_string(), "zh-CN has no {key}");
    }
    let options = manifest["user_config"].as_object().unwrap();
    for name in options.keys() {
        let translated = &chinese["user_config"][name];
        assert!(
            translated["title"].is_string(),
            "zh-CN has no title of {name}"
        );
        assert!(
            translated["description"].is_string(),
            "zh-CN does not describe {name}"
        );
    }
}

/// The program starts with what the bundle passes, once a host has put in the folders.
#[test]
fn the_program_takes_the_arguments_of_the_bundle() {
    let manifest = parsed("dist/mcpb/manifest.json");
    let arguments = manifest["server"]["mcp_config"]["args"].as_array().unwrap();
    let arguments: Vec<&Path> = arguments
        .iter()
        .map(|it| match it.as_str().unwrap() {
            "${user_config.directories}" => Path::new(env!("CARGO_MANIFEST_DIR")),
            other => Path::new(other),
        })
        .collect();
    assert_eq!(
        arguments.len(),
        2,
        "an option that a host would have to know: {arguments:?}"
    );
    let mut client = crate::launch::Launch::new(arguments).start();
    let answer = client.call("read_file", json!({"path": "LICENSE-MIT"}));
    assert!(answer.text().starts_with("MIT License"));
}
