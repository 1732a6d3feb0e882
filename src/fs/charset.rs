//! The names of encodings, and which one a caller asked for.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// An encoding that text can be in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Charset {
    /// One of the WHATWG Encoding Standard.
    Whatwg(&'static Encoding),
    /// Not in that standard, but found on disks.
    Utf32 { big_endian: bool },
}

/// What the caller said of a file's encoding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Requested {
    /// Nothing: find out.
    Detect,
    Charset(Charset),
    /// Code units of this many bytes, in the order that the file shows.
    AnyOrder {
        unit: usize,
    },
}

impl Charset {
    pub(crate) const UTF8: Charset = Charset::Whatwg(UTF_8);

    /// The encoding of this name: a WHATWG label, `utf-32le` or `utf-32be`.
    pub(crate) fn from_label(label: &str) -> Option<Charset> {
        let label = label.trim().to_ascii_lowercase();
        match label.as_str() {
            "utf-32le" | "utf32le" => Some(Charset::Utf32 { big_endian: false }),
            "utf-32be" | "utf32be" => Some(Charset::Utf32 { big_endian: true }),
            "utf8" | "utf-8-sig" | "cp65001" => Some(Charset::UTF8),
            "latin-1" => Some(Charset::Whatwg(encoding_rs::WINDOWS_1252)),
            // What detection and many tools call GBK is read best as its superset.
            "gbk" | "gb2312" | "cp936" => Some(Charset::Whatwg(encoding_rs::GB18030)),
            "cp932" => Some(Charset::Whatwg(encoding_rs::SHIFT_JIS)),
            "cp949" => Some(Charset::Whatwg(encoding_rs::EUC_KR)),
            "cp950" => Some(Charset::Whatwg(encoding_rs::BIG5)),
            label => {
                let standard = Encoding::for_label_no_replacement(label.as_bytes());
                // Python writes `utf_8`, `euc_jp` and `iso8859_15`.
                let hyphened = || label.contains('_').then(|| label.replace('_', "-"));
                match standard {
                    Some(encoding) => Some(Charset::Whatwg(encoding)),
                    None => hyphened().and_then(|it| Charset::from_label(&it)),
                }
            }
        }
    }

    /// UTF-16 or UTF-32, by the bytes of a code unit.
    pub(crate) fn wide(unit: usize, big_endian: bool) -> Charset {
        match (unit, big_endian) {
            (4, big_endian) => Charset::Utf32 { big_endian },
            (_, false) => Charset::Whatwg(UTF_16LE),
            (_, true) => Charset::Whatwg(UTF_16BE),
        }
    }

    /// The name to show and to pass back as `encoding`.
    pub(crate) fn name(self) -> String {
        match self {
            Charset::Whatwg(encoding) => encoding.name().to_ascii_lowercase(),
            Charset::Utf32 { big_endian: false } => "utf-32le".to_owned(),
            Charset::Utf32 { big_endian: true } => "utf-32be".to_owned(),
        }
    }

    /// Bytes of one code unit.
    pub(crate) fn unit(self) -> usize {
        match self {
            Charset::Whatwg(encoding) if encoding == UTF_16LE || encoding == UTF_16BE => 2,
            Charset::Whatwg(_) => 1,
            Charset::Utf32 { .. } => 4,
        }
    }

    pub(crate) fn is_big_endian(self) -> bool {
        match self {
            Charset::Whatwg(encoding) => encoding == UTF_16BE,
            Charset::Utf32 { big_endian } => big_endian,
        }
    }

    pub(crate) fn is_utf8(self) -> bool {
        self == Charset::UTF8
    }

    /// Escape sequences change what later bytes mean; they end with their line.
    pub(crate) fn is_stateful(self) -> bool {
        self == Charset::Whatwg(encoding_rs::ISO_2022_JP)
    }

    /// The byte-order mark that text in this encoding may begin with.
    pub(crate) fn byte_order_mark(self) -> &'static [u8] {
        match self {
            Charset::Utf32 { big_endian: false } => b"\xFF\xFE\0\0",
            Charset::Utf32 { big_endian: true } => b"\0\0\xFE\xFF",
            Charset::Whatwg(it) if it == UTF_8 => b"\xEF\xBB\xBF",
            Charset::Whatwg(it) if it == UTF_16LE => b"\xFF\xFE",
            Charset::Whatwg(it) if it == UTF_16BE => b"\xFE\xFF",
            Charset::Whatwg(it) if it == encoding_rs::GB18030 => b"\x84\x31\x95\x33",
            Charset::Whatwg(_) => b"",
        }
    }
}

impl Requested {
    /// Understands the `encoding` argument. Nothing when there is no such encoding.
    pub(crate) fn from_label(label: Option<&str>) -> Option<Requested> {
        let Some(label) = label.map(|it| it.trim().to_ascii_lowercase()) else {
            return Some(Requested::Detect);
        };
        match label.as_str() {
            "auto" => Some(Requested::Detect),
            // The names that say nothing of the order of bytes.
            "utf-16" | "utf16" | "utf_16" | "unicode" | "ucs-2" | "iso-10646-ucs-2" => {
                Some(Requested::AnyOrder { unit: 2 })
            }
            "utf-32" | "utf32" | "utf_32" | "ucs-4" => Some(Requested::AnyOrder { unit: 4 }),
            label => Charset::from_label(label).map(Requested::Charset),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_shown_is_understood_again() {
        for encoding in [
            "utf-8",
            "gb18030",
            "shift_jis",
            "utf-16le",
            "utf-32be",
            "windows-1252",
            "big5",
        ] {
            assert_eq!(Charset::from_label(encoding).unwrap().name(), encoding);
        }
        assert_eq!(Charset::from_label("GBK").unwrap().name(), "gb18030");
        assert_eq!(Charset::from_label("klingon"), None);
    }
}
