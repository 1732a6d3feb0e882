//! Bytes to text, block by block: a character may be split between two blocks.

use encoding_rs::{Decoder, DecoderResult};

use super::Charset;

/// Decodes one stretch of text that begins at a character start. Never sees a byte-order mark.
#[derive(Debug)]
pub(super) struct TextDecoder {
    charset: Charset,
    inner: Inner,
    /// Sequences that stand for no character; each became one U+FFFD.
    pub(super) invalid: u64,
}

enum Inner {
    Whatwg(Decoder),
    /// The bytes of a code unit that is not complete yet.
    Utf32(Vec<u8>),
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Inner")
    }
}

impl TextDecoder {
    pub(super) fn new(charset: Charset) -> TextDecoder {
        TextDecoder {
            charset,
            inner: Inner::new(charset),
            invalid: 0,
        }
    }

    /// Appends the text of `raw`. With `last`, an unfinished character counts as invalid.
    pub(super) fn decode(&mut self, raw: &[u8], last: bool, text: &mut String) {
        if !self.charset.is_stateful() {
            return self.decode_stretch(raw, last, text);
        }
        // A line end ends every escape sequence, so that any line can be read by itself.
        for line in raw.split_inclusive(|it| *it == b'\n') {
            let ends = line.ends_with(b"\n");
            let content = if ends { &line[..line.len() - 1] } else { line };
            self.decode_stretch(content, last || ends, text);
            if ends {
                text.push('\n');
                self.inner = Inner::new(self.charset);
            }
        }
        if raw.is_empty() {
            self.decode_stretch(raw, last, text);
        }
    }

    fn decode_stretch(&mut self, mut raw: &[u8], last: bool, text: &mut String) {
        let decoder = match &mut self.inner {
            Inner::Whatwg(decoder) => decoder,
            Inner::Utf32(pending) => {
                pending.extend_from_slice(raw);
                self.invalid += decode_utf32(pending, self.charset.is_big_endian(), last, text);
                return;
            }
        };
        loop {
            let wanted = decoder.max_utf8_buffer_length_without_replacement(raw.len());
            text.reserve(wanted.unwrap_or(raw.len()));
            let (result, read) = decoder.decode_to_string_without_replacement(raw, text, last);
            raw = &raw[read..];
            match result {
                DecoderResult::InputEmpty => return,
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(..) => {
                    self.invalid += 1;
                    text.push(char::REPLACEMENT_CHARACTER);
                }
            }
        }
    }
}

impl Inner {
    fn new(charset: Charset) -> Inner {
        match charset {
            Charset::Whatwg(encoding) => Inner::Whatwg(encoding.new_decoder_without_bom_handling()),
            Charset::Utf32 { .. } => Inner::Utf32(Vec::new()),
        }
    }
}

/// Decodes the whole units in `pending` and leaves the rest there. Returns how many were invalid.
fn decode_utf32(pending: &mut Vec<u8>, big_endian: bool, last: bool, text: &mut String) -> u64 {
    let mut invalid = 0;
    let units = pending.chunks_exact(4);
    let rest = units.remainder().to_vec();
    for unit in units {
        let unit = [unit[0], unit[1], unit[2], unit[3]];
        let code = if big_endian {
            u32::from_be_bytes(unit)
        } else {
            u32::from_le_bytes(unit)
        };
        text.push(char::from_u32(code).unwrap_or_else(|| {
            invalid += 1;
            char::REPLACEMENT_CHARACTER
        }));
    }
    *pending = rest;
    if last && !pending.is_empty() {
        pending.clear();
        invalid += 1;
        text.push(char::REPLACEMENT_CHARACTER);
    }
    invalid
}

/// The whole of `raw` as text, and how many sequences were invalid.
pub(super) fn decode_all(charset: Charset, raw: &[u8]) -> (String, u64) {
    let mut text = String::new();
    let mut decoder = TextDecoder::new(charset);
    decoder.decode(raw, true, &mut text);
    (text, decoder.invalid)
}
