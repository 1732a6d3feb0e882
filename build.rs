//! Gives the Windows program its manifest: UTF-8 as the process's code page, and paths longer than 260 characters.

use embed_manifest::manifest::{ActiveCodePage, Setting};
use embed_manifest::{embed_manifest, new_manifest};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_CFG_WINDOWS").is_some() {
        let manifest = new_manifest("filewright")
            .active_code_page(ActiveCodePage::Utf8)
            .long_path_aware(Setting::Enabled);
        embed_manifest(manifest)
            .expect("the manifest can be written into cargo's output directory");
    }
}
