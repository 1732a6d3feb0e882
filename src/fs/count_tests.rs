//! Holds every way of counting to the plain counter, on all kinds of text, whole and broken.

use proptest::prelude::*;

use super::super::count_scalar::reference;
use super::*;

/// Characters at every edge of a class, and some from the middle.
const EDGES: [u32; 78] = [
    0x00, 0x08, 0x09, 0x0A, 0x0D, 0x0E, 0x1C, 0x20, 0x41, 0x7F, 0x80, 0x85, 0x86, 0xA0, 0xA1, 0xE9,
    0x7FF, 0x800, 0x1100, 0x167F, 0x1680, 0x1681, 0x1D00, 0x1EA1, 0x2000, 0x200A, 0x200B, 0x201C,
    0x2028, 0x2029, 0x202F, 0x2058, 0x205F, 0x2060, 0x2190, 0x2E7F, 0x2E80, 0x2FFF, 0x3000, 0x3001,
    0x3002, 0x3005, 0x3007, 0x3008, 0x3021, 0x302A, 0x3038, 0x303C, 0x3042, 0x30FC, 0x312F, 0x3130,
    0x319F, 0x31A0, 0x31FF, 0x3200, 0x3400, 0x4DBF, 0x4DC0, 0x4DFF, 0x4E00, 0x9FFF, 0xA000, 0xAC00,
    0xD7FF, 0xE000, 0xF8FF, 0xF900, 0xFAFF, 0xFE30, 0xFE50, 0xFF00, 0xFF01, 0xFF9F, 0xFFA0, 0xFFE6,
    0xFFE7, 0x1B000,
];

fn kernels() -> Vec<Kernel> {
    let mut kernels = vec![Kernel::best(), Kernel::Portable];
    kernels.dedup();
    kernels
}

/// The figures of a text that comes in these blocks, as `count` feeds them.
fn counted(kernel: Kernel, charset: Charset, blocks: &[&[u8]], ends_at_cr: bool) -> [u64; 5] {
    let mut counter = Counter::new(Tally::new(kernel, ends_at_cr), charset);
    let mut pending = Vec::new();
    for block in blocks {
        pending.extend_from_slice(block);
        let used = counter.add(&pending, false).unwrap();
        pending.drain(..used);
    }
    counter.add(&pending, true).unwrap();
    let counts = counter.finish();
    [
        counts.chars,
        counts.cjk,
        counts.words,
        counts.lines,
        counts.invalid_sequences,
    ]
}

#[track_caller]
fn check_bytes(charset: Charset, raw: &[u8], cuts: &[usize], ends_at_cr: bool) {
    let (text, invalid) = decode_all(charset, raw);
    let [chars, cjk, words, lines] = reference(&text, ends_at_cr);
    let mut blocks = Vec::new();
    let mut rest = raw;
    for cut in cuts {
        let (block, after) = rest.split_at((*cut).min(rest.len()));
        blocks.push(block);
        rest = after;
    }
    blocks.push(rest);
    for kernel in kernels() {
        let figures = counted(kernel, charset, &blocks, ends_at_cr);
        let wanted = [chars, cjk, words, lines, invalid];
        assert_eq!(figures, wanted, "{kernel:?} {cuts:?} {raw:x?}");
    }
}

#[track_caller]
fn check(text: &str, wanted: [u64; 4]) {
    assert_eq!(reference(text, false), wanted);
    check_bytes(Charset::UTF8, text.as_bytes(), &[], false);
}

#[test]
fn words_are_what_a_word_processor_shows() {
    check("one two\n", [8, 0, 2, 1]);
    check("\u{4f60}\u{597d}\u{ff0c}world\u{3002}", [9, 2, 5, 1]);
    check("a\u{a0}b\u{3000}c\u{85}d", [7, 0, 4, 1]);
    check("\u{c548}\u{b155} \u{d558}", [4, 0, 2, 1]);
    check("\u{3007}\u{20000}", [2, 2, 2, 1]);
    check("a\u{200B}b - c", [7, 0, 3, 1]);
    check("", [0, 0, 0, 0]);
}

#[test]
fn lines_end_at_lf_and_in_files_without_any_at_cr() {
    check("a\r\nb\rc\n\n", [8, 0, 3, 3]);
    assert_eq!(reference("a\rb\r\nc", true)[3], 3);
    assert_eq!(reference("a\r", true)[3], 1);
    for cut in 0..6 {
        check_bytes(Charset::UTF8, b"a\rb\r\nc", &[cut], true);
    }
}

#[test]
fn every_character_is_what_the_tables_say() {
    // A letter before each, at every place of a block by and by.
    for start in (0..0x11_0000).step_by(4096) {
        let characters = (start..start + 4096).filter_map(char::from_u32);
        let text: String = characters.flat_map(|it| ['a', it, 'b']).collect();
        check_bytes(Charset::UTF8, text.as_bytes(), &[], false);
    }
}

#[test]
fn two_nuls_are_no_text_wherever_a_block_ends() {
    for cut in 0..4 {
        let mut counter = Counter::new(Tally::new(Kernel::best(), false), Charset::UTF8);
        counter.refuses_nuls = true;
        let (head, tail) = b"a\0\0b".split_at(cut);
        let heads = counter.add(head, false);
        assert!(heads.is_none() || counter.add(tail, true).is_none());
    }
}

/// Small random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    /// A text in stretches of one kind each: edges, one character, ASCII, anything.
    fn text(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.below(12) {
            let kind = self.below(4);
            let one = EDGES[self.below(EDGES.len())];
            for _ in 0..self.below(90) {
                let code = match kind {
                    0 => EDGES[self.below(EDGES.len())],
                    1 => one,
                    2 => u32::from(b"aaa b\n\r c"[self.below(9)]),
                    _ => u32::try_from(self.below(0x11_0000)).unwrap(),
                };
                text.extend(char::from_u32(code));
            }
        }
        text
    }

    fn cuts(&mut self) -> [usize; 4] {
        [(); 4].map(|()| self.below(300))
    }
}

/// `FILEWRIGHT_FUZZ=500000 cargo test every_way` runs as many cases.
fn cases(usual: usize) -> usize {
    let asked = std::env::var("FILEWRIGHT_FUZZ").ok();
    asked.and_then(|it| it.parse().ok()).unwrap_or(usual)
}

#[test]
fn every_way_counts_as_the_plain_one_does() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for _ in 0..cases(1_500) {
        let mut raw = random.text().into_bytes();
        // Every second text is broken in up to three places.
        for _ in 0..random.below(2) * 3 {
            if !raw.is_empty() {
                let at = random.below(raw.len());
                match random.below(3) {
                    0 => raw[at] = u8::try_from(random.below(256)).unwrap(),
                    1 => raw.truncate(at),
                    _ => drop(raw.remove(at)),
                }
            }
        }
        check_bytes(Charset::UTF8, &raw, &random.cuts(), random.below(2) == 0);
    }
}

#[test]
fn every_way_counts_bytes_of_any_kind_alike() {
    const BYTES: [u8; 20] = [
        0x00, 0x20, 0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xE0, 0xE3, 0xED,
        0xEF, 0xF0, 0xF4, 0xF5, 0xFF,
    ];
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    for _ in 0..cases(1_500) {
        let ascii = random.below(100);
        let mut raw = vec![b'a'; ascii];
        raw.extend((0..random.below(9)).map(|_| BYTES[random.below(BYTES.len())]));
        let after = random.below(100);
        raw.resize(raw.len() + after, b' ');
        check_bytes(Charset::UTF8, &raw, &random.cuts(), false);
    }
}

#[test]
fn every_encoding_gives_the_same_figures() {
    let text = "\u{4f60}\u{597d}\u{ff0c}\u{4e16}\u{754c}\u{3002} one two\r\n\u{3042}\n".repeat(40);
    let wanted = reference(&text, false);
    for name in ["gb18030", "shift_jis", "euc-jp", "big5", "utf-16le"] {
        let charset = Charset::from_label(name).unwrap();
        let raw = match charset {
            Charset::Whatwg(it) if it == encoding_rs::UTF_16LE => {
                text.encode_utf16().flat_map(u16::to_le_bytes).collect()
            }
            Charset::Whatwg(it) => it.encode(&text).0.into_owned(),
            Charset::Utf32 { .. } => Vec::new(),
        };
        let (decoded, _) = decode_all(charset, &raw);
        let same = decoded == text;
        check_bytes(charset, &raw, &[63, 64, 65], false);
        assert!(!same || reference(&decoded, false) == wanted, "{name}");
    }
}

proptest! {
    #[test]
    fn pieces_give_the_same_figures_as_the_whole(
        text in "[a \n\r\u{4e00}\u{3042}\u{3000}\u{e9}\u{85}\u{20000}]{0,60}",
        cuts in proptest::collection::vec(0_usize..80, 0..4),
        ends_at_cr: bool,
    ) {
        check_bytes(Charset::UTF8, text.as_bytes(), &cuts, ends_at_cr);
    }
}
