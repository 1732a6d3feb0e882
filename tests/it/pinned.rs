//! Two lines of literature in each of sixteen encodings, as bytes and as text, with their figures.

#[derive(Debug)]
pub(crate) struct Pinned {
    pub(crate) encoding: &'static str,
    /// The byte-order mark, where the encoding has one; all bytes are in hexadecimal digits.
    pub(crate) mark: &'static str,
    /// LF, and CRLF.
    pub(crate) line_end: [&'static str; 2],
    pub(crate) lines: [&'static str; 2],
    pub(crate) raw: [&'static str; 2],
    /// The figures for both lines with LF after each.
    pub(crate) chars: usize,
    pub(crate) cjk: usize,
    pub(crate) words: usize,
    pub(crate) bytes: usize,
}

pub(crate) fn raw(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks(2);
    let pairs = pairs.map(|it| str::from_utf8(it).unwrap());
    pairs
        .map(|it| u8::from_str_radix(it, 16).unwrap())
        .collect()
}

pub(crate) const PINNED: [Pinned; 16] = [
    Pinned {
        encoding: "utf-8",
        mark: "efbbbf",
        line_end: ["0a", "0d0a"],
        lines: [
            "Es war einmal ein König, der hatte eine Tochter,",
            "die war über alle Maßen schön und stolz.",
        ],
        raw: [
            "4573207761722065696e6d616c2065696e204bc3b66e69672c2064657220686174746520\
             65696e6520546f63687465722c",
            "6469652077617220c3bc62657220616c6c65204d61c39f656e20736368c3b66e20756e64\
             2073746f6c7a2e",
        ],
        chars: 90,
        cjk: 0,
        words: 17,
        bytes: 94,
    },
    Pinned {
        encoding: "utf-16le",
        mark: "fffe",
        line_end: ["0a00", "0d000a00"],
        lines: ["学而时习之，不亦说乎？", "有朋自远方来，不亦乐乎？"],
        raw: [
            "665b0c80f665604e4b4e0cff0d4ea64ef48b4e4e1fff",
            "09670b67ea81dc8fb96565670cff0d4ea64e504e4e4e1fff",
        ],
        chars: 25,
        cjk: 19,
        words: 23,
        bytes: 50,
    },
    Pinned {
        encoding: "utf-16be",
        mark: "feff",
        line_end: ["000a", "000d000a"],
        lines: [
            "吾輩は猫である。名前はまだ無い。",
            "どこで生れたかとんと見当がつかぬ。",
        ],
        raw: [
            "543e8f29306f732b30673042308b3002540d524d306f307e3060712130443002",
            "306930533067751f308c305f304b306830933068898b5f53304c3064304b306c3002",
        ],
        chars: 35,
        cjk: 9,
        words: 33,
        bytes: 70,
    },
    Pinned {
        encoding: "utf-32le",
        mark: "fffe0000",
        line_end: ["0a000000", "0d0000000a000000"],
        lines: [
            "Все счастливые семьи похожи друг на друга,",
            "каждая несчастливая семья несчастлива по-своему.",
        ],
        raw: [
            "120400004104000035040000200000004104000047040000300400004104000042040000\
             3b04000038040000320400004b040000350400002000000041040000350400003c040000\
             4c04000038040000200000003f0400003e040000450400003e0400003604000038040000\
             2000000034040000400400004304000033040000200000003d0400003004000020000000\
             34040000400400004304000033040000300400002c000000",
            "3a040000300400003604000034040000300400004f040000200000003d04000035040000\
             41040000470400003004000041040000420400003b040000380400003204000030040000\
             4f0400002000000041040000350400003c0400004c0400004f040000200000003d040000\
             3504000041040000470400003004000041040000420400003b0400003804000032040000\
             30040000200000003f0400003e0400002d00000041040000320400003e04000035040000\
             3c040000430400002e000000",
        ],
        chars: 92,
        cjk: 0,
        words: 12,
        bytes: 368,
    },
    Pinned {
        encoding: "utf-32be",
        mark: "0000feff",
        line_end: ["0000000a", "0000000d0000000a"],
        lines: [
            "나 보기가 역겨워 가실 때에는",
            "말없이 고이 보내 드리우리다",
        ],
        raw: [
            "0000b098000000200000bcf40000ae300000ac00000000200000c5ed0000aca80000c6cc\
             000000200000ac000000c2e4000000200000b54c0000c5d00000b294",
            "0000b9d00000c5c60000c774000000200000ace00000c774000000200000bcf40000b0b4\
             000000200000b4dc0000b9ac0000c6b00000b9ac0000b2e4",
        ],
        chars: 33,
        cjk: 0,
        words: 9,
        bytes: 132,
    },
    Pinned {
        encoding: "gb18030",
        mark: "84319533",
        line_end: ["0a", "0d0a"],
        lines: ["学而时习之，不亦说乎？", "有朋自远方来，不亦乐乎？"],
        raw: [
            "d1a7b6f8cab1cfb0d6aea3acb2bbd2e0cbb5baf5a3bf",
            "d3d0c5f3d7d4d4b6b7bdc0b4a3acb2bbd2e0c0d6baf5a3bf",
        ],
        chars: 25,
        cjk: 19,
        words: 23,
        bytes: 48,
    },
    Pinned {
        encoding: "big5",
        mark: "",
        line_end: ["0a", "0d0a"],
        lines: ["學而時習之，不亦說乎？", "有朋自遠方來，不亦樂乎？"],
        raw: [
            "bec7a6d3aec9b2dfa4a7a141a4a3a5e7bba1a547a148",
            "a6b3aa42a6dbbbb7a4e8a8d3a141a4a3a5e7bcd6a547a148",
        ],
        chars: 25,
        cjk: 19,
        words: 23,
        bytes: 48,
    },
    Pinned {
        encoding: "shift_jis",
        mark: "",
        line_end: ["0a", "0d0a"],
        lines: [
            "吾輩は猫である。名前はまだ無い。",
            "どこで生れたかとんと見当がつかぬ。",
        ],
        raw: [
            "8ce1947982cd944c82c582a082e9814296bc914f82cd82dc82be96b382a28142",
            "82c782b182c590b682ea82bd82a982c682f182c68ca9939682aa82c282a982ca8142",
        ],
        chars: 35,
        cjk: 9,
        words: 33,
        bytes: 68,
    },
    Pinned {
        encoding: "euc-jp",
        mark: "",
        line_end: ["0a", "0d0a"],
        lines: [
            "吾輩は猫である。名前はまだ無い。",
            "どこで生れたかとんと見当がつかぬ。",
        ],
        raw: [
            "b8e3c7daa4cfc7ada4c7a4a2a4eba1a3ccbec1b0a4cfa4dea4c0ccb5a4a4a1a3",
            "a4c9a4b3a4c7c0b8a4eca4bfa4aba4c8a4f3a4c8b8abc5f6a4aca4c4a4aba4cca1a3",
        ],
        chars: 35,
        cjk: 9,
        words: 33,
        bytes: 68,
    },
    Pinned {
        encoding: "iso-2022-jp",
        mark: "",
        line_end: ["0a", "0d0a"],
        lines: [
            "吾輩は猫である。名前はまだ無い。",
            "どこで生れたかとんと見当がつかぬ。",
        ],
        raw: [
            "1b24423863475a244f472d24472422246b21234c3e4130244f245e24404c35242421231b\
             2842",
            "1b24422449243324474038246c243f242b244824732448382b4576242c2444242b244c21\
             231b2842",
        ],
        chars: 35,
        cjk: 9,
        words: 33,
        bytes: 80,
    },
    Pinned {
        encoding: "euc-kr",
        mark: "",
        line_end: ["0a", "0d0a"],
        lines: [
            "나 보기가 역겨워 가실 때에는",
            "말없이 고이 보내 드리우리다",
        ],
        raw: [
            "b3aa20bab8b1e2b0a120bfaab0dcbff620b0a1bdc720b6a7bfa1b4c2",
            "b8bbbef8c0cc20b0edc0cc20bab8b3bb20b5e5b8aebfecb8aeb4d9",
        ],
        chars: 33,
        cjk: 0,
        words: 9,
        bytes: 57,
    },
    Pinned {
        encoding: "koi8-r",
        mark: "",
        line_end: ["0a", "0d0a"],
        lines: [
            "Все счастливые семьи похожи друг на друга,",
            "каждая несчастливая семья несчастлива по-своему.",
        ],
        raw: [
            "f7d3c520d3dec1d3d4ccc9d7d9c520d3c5cdd8c920d0cfc8cfd6c920c4d2d5c720cec120\
             c4d2d5c7c12c",
            "cbc1d6c4c1d120cec5d3dec1d3d4ccc9d7c1d120d3c5cdd8d120cec5d3dec1d3d4ccc9d7\
             c120d0cf2dd3d7cfc5cdd52e",
        ],
        chars: 92,
        cjk: 0,
        words: 12,
        bytes: 92,
    },
    Pinned {
        encoding: "windows-1251",
        mark: "",
        line_end: ["0a", "0d0a"],
        lines: [
            "Все счастливые семьи похожи друг на друга,",
            "каждая несчастливая семья несчастлива по-своему.",
        ],
        raw: [
            "c2f1e520f1f7e0f1f2ebe8e2fbe520f1e5ecfce820efeef5eee6e820e4f0f3e320ede020\
             e4f0f3e3e02c",
            "eae0e6e4e0ff20ede5f1f7e0f1f2ebe8e2e0ff20f1e5ecfcff20ede5f1f7e0f1f2ebe8e2\
             e020efee2df1e2eee5ecf32e",
        ],
        chars: 92,
        cjk: 0,
        words: 12,
        bytes: 92,
    },
    Pinned {
        encoding: "windows-1252",
        mark: "",
        line_end: ["0a", "0d0a"],
        lines: [
            "Parfois, à peine ma bougie éteinte, mes yeux se fermaient si vite",
            "que je n'avais pas le temps de me dire: «Je m'endors.»",
        ],
        raw: [
            "506172666f69732c20e0207065696e65206d6120626f7567696520e97465696e74652c20\
             6d65732079657578207365206665726d6169656e742073692076697465",
            "717565206a65206e27617661697320706173206c652074656d7073206465206d65206469\
             72653a20ab4a65206d27656e646f72732ebb",
        ],
        chars: 121,
        cjk: 0,
        words: 23,
        bytes: 121,
    },
    Pinned {
        encoding: "windows-1250",
        mark: "",
        line_end: ["0a", "0d0a"],
        lines: [
            "Panno Święta, co Jasnej bronisz Częstochowy",
            "i w Ostrej świecisz Bramie! Ty, co gród zamkowy",
        ],
        raw: [
            "50616e6e6f208c7769ea74612c20636f204a61736e656a2062726f6e69737a20437aea73\
             746f63686f7779",
            "692077204f737472656a209c7769656369737a204272616d6965212054792c20636f2067\
             72f364207a616d6b6f7779",
        ],
        chars: 92,
        cjk: 0,
        words: 15,
        bytes: 92,
    },
    Pinned {
        encoding: "windows-1253",
        mark: "",
        line_end: ["0a", "0d0a"],
        lines: ["Σε γνωρίζω από την κόψη", "του σπαθιού την τρομερή"],
        raw: [
            "d3e520e3edf9f1dfe6f920e1f0fc20f4e7ed20eafcf8e7",
            "f4eff520f3f0e1e8e9effd20f4e7ed20f4f1efece5f1de",
        ],
        chars: 48,
        cjk: 0,
        words: 9,
        bytes: 48,
    },
];
