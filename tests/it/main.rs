//! The integration tests: one binary that plays sessions against the built program.
#![allow(
    clippy::unwrap_used,
    reason = "a test that meets a surprise has to stop there"
)]

mod arguments;
mod binary;
mod cancellation;
mod changing;
mod check;
mod cli;
mod client;
mod closing;
mod counting;
#[cfg(unix)]
mod descriptors;
mod docs;
mod encodings;
mod fuzz;
mod generated;
mod launch;
#[cfg(target_os = "linux")]
mod leftovers;
mod listens;
#[cfg(target_os = "linux")]
mod listing;
mod manifests;
#[cfg(unix)]
mod nobody;
mod operator;
mod pages;
mod pinned;
mod protocol;
mod published;
mod reading;
mod roots;
#[cfg(target_os = "linux")]
mod sandbox;
mod script;
mod setup;
mod setup_files;
mod shapes;
mod slow;
#[cfg(unix)]
mod special;
mod stdio;
mod tidy;
mod transcript;
#[cfg(target_os = "linux")]
mod waiting;
mod watching;
#[cfg(windows)]
mod windows;
mod wire;
