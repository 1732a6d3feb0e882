//! How files are reached and read: roots, paths, encodings, lines, counts, listings.
//!
//! **Knows neither tools nor the protocol.** Errors carry facts; the words are the tools' business.
//! [`Roots`] is the only maker of an opened file or directory.

mod align;
mod charset;
mod count;
#[cfg(target_arch = "x86_64")]
mod count_avx2;
mod count_portable;
#[cfg(any(test, target_arch = "x86_64"))]
mod count_scalar;
#[cfg(target_arch = "x86_64")]
mod count_tables;
mod count_tally;
mod decode;
mod deny;
mod detect;
mod detect_cyrillic;
mod detect_latin;
mod detect_wide;
mod error;
mod escape;
mod hex;
mod line_ends;
mod line_index;
mod lines;
mod listing;
mod meant;
mod open;
mod open_root;
mod page;
mod path_text;
mod resolve;
mod roots;
mod seek;
mod text_file;
mod watch;
#[cfg(any(windows, test))]
mod windows_path;

pub(crate) use charset::{Charset, Requested};
pub(crate) use count::count;
#[cfg(test)]
pub(crate) use deny::DEFAULT_DENY;
pub(crate) use deny::Deny;
pub(crate) use detect::Evidence;
pub(crate) use error::{Error, Kind};
pub(crate) use escape::escape_name;
pub(crate) use hex::hex_dump;
pub(crate) use lines::LineReader;
pub(crate) use listing::{Entry, EntryKind, LinkState, Listing, Order, Scope, list};
pub(crate) use page::{Limits, Page, Position, read_page};
pub(crate) use roots::{OpenedFile, RootState, Roots, plain_words};
pub(crate) use seek::Seek;
pub(crate) use text_file::TextFile;
pub(crate) use watch::{Stop, Stopped, Watch};
