"""Cuts samples of a size in bytes out of natural text, in each encoding, with the text that they have to be read as."""

import random
import re
from dataclasses import dataclass

from texts import DISPUTED, TYPEWRITER

SIZES = (16, 64, 256, 1024)
ASIAN = ("zh", "zh-hant", "ja", "ko")


@dataclass
class Kind:
    """A row of the table."""

    name: str
    codec: str
    languages: tuple
    # The share of samples of 64 bytes and more that has to be right, in percent.
    target: float | None = None
    # Bytes that have to be there that are not ASCII, at least, as a share of all.
    least: float = 0.3
    change: str | None = None


EVERY = ("zh", "ja", "ko", "ru", "fr", "de")
KINDS = (
    Kind("GBK", "gbk", ("zh",), 99),
    Kind("GB18030 with extensions A and B", "gb18030", ("zh",), 99, change="rare"),
    Kind("GBK in comments of source code", "gbk", ("zh",), None, 0.1, change="source"),
    Kind("Big5", "big5", ("zh-hant",), 99),
    Kind("Shift-JIS", "cp932", ("ja",), 99),
    Kind("EUC-JP", "euc_jp", ("ja",), 99),
    Kind("ISO-2022-JP", "iso2022_jp", ("ja",), 99, 0),
    Kind("EUC-KR", "cp949", ("ko",), 99),
    Kind("KOI8-R", "koi8_r", ("ru",), 99),
    Kind("KOI8-U", "koi8_u", ("uk",)),
    Kind("windows-1251, Russian", "cp1251", ("ru",), 99),
    Kind("windows-1251, Ukrainian", "cp1251", ("uk",)),
    Kind("windows-1252, French", "cp1252", ("fr",), 95, 0.02),
    Kind("windows-1252, German", "cp1252", ("de",), 95, 0.01),
    Kind("windows-1252, Spanish", "cp1252", ("es",), 95, 0.01),
    Kind("windows-1250, Polish", "cp1250", ("pl",), None, 0.03),
    Kind("windows-1250, Czech", "cp1250", ("cs",), None, 0.05),
    Kind("windows-1253, Greek", "cp1253", ("el",)),
    Kind("windows-1254, Turkish", "cp1254", ("tr",), None, 0.03),
    Kind("UTF-8", "utf-8", EVERY, 99, 0.01),
    Kind("UTF-8 with broken bytes", "utf-8", EVERY, 95, 0.02, change="damage"),
    Kind("UTF-16LE without a mark, Chinese", "utf-16-le", ("zh",), 99),
    Kind("UTF-16LE without a mark, others", "utf-16-le", ("ja", "ko", "ru", "fr", "de"), 99, 0.01),
    Kind("UTF-16BE without a mark, Chinese", "utf-16-be", ("zh",), 99),
    Kind("UTF-16BE without a mark, others", "utf-16-be", ("ja", "ko", "ru", "fr", "de"), 99, 0.01),
    Kind("UTF-32LE without a mark", "utf-32-le", EVERY, 99, 0.01),
    Kind("UTF-32BE without a mark", "utf-32-be", EVERY, 99, 0.01),
)
SOURCE = (
    "static int read_header(struct reader *in, size_t size)", "{", "    if (in->length < size) {", "        return -1;", "    }",
    "    for (size_t i = 0; i < size; i++) {", "        sum += in->bytes[i];", "    return in->state;", "}", "#include <stdio.h>",
)


def cut(kind, size, lines, count):
    """Up to `count` pairs of bytes and text. The same on every run."""
    luck = random.Random(f"{kind.name} {size}")
    found = []
    for _ in range(count * 40):
        language = luck.choice(kind.languages)
        sample = one(kind, size, lines[language], luck)
        if sample:
            found.append(sample)
            if len(found) == count:
                break
    return found


def one(kind, size, lines, luck):
    text = passage(kind, size, lines, luck)
    if text is None:
        return None
    if kind.change == "source":
        code = luck.sample(SOURCE, 3)
        text = f"{code[0]}\n/* " + text.split("\n")[0][:30] + f" */\n{code[1]}\n{code[2]}\n" + text
        text = text[luck.choice((0, len(code[0]) + 1)):]
    if kind.change == "rare":
        text = with_rare(text, luck)
    text = longest(text, kind.codec, size)
    raw = text.encode(kind.codec)
    if len(raw) < size - 4 or high(text, raw, kind) < max(1, kind.least * len(raw)):
        return None
    if kind.change == "damage":
        raw = damaged(raw, size, luck)
        text = raw.decode("utf-8", "replace")
        # Where nothing is left of the encoding, nobody can find it.
        if sum(not it.isascii() and it != "\ufffd" for it in text) < 2:
            return None
    return raw, text


def passage(kind, size, lines, luck):
    """Lines from a random one on, as many characters as may be needed, without what the encoding does not have."""
    start = luck.randrange(len(lines))
    kept, length = [], 0
    for line in lines[start:start + 400]:
        line = fitting(line, kind.codec)
        if line is None:
            continue
        # A sample starts with words.
        if not kept and len(line) < 4:
            continue
        kept.append(line)
        length += len(line) + 1
        if length >= size:
            return "\n".join(kept)
    return None


def fitting(line, codec):
    if codec in ("cp932", "euc_jp", "iso2022_jp", "big5") and DISPUTED.search(line):
        return None
    for line in (line, line.translate(TYPEWRITER)):
        try:
            line.encode(codec)
            return line
        except UnicodeEncodeError:
            pass
    return None


def longest(text, codec, size):
    """The most whole characters that fit."""
    low, high = 0, min(len(text), size)
    while low < high:
        middle = (low + high + 1) // 2
        if len(text[:middle].encode(codec)) <= size:
            low = middle
        else:
            high = middle - 1
    return text[:low]


def high(text, raw, kind):
    """What shows the encoding: bytes that are not ASCII; in wide units, or behind escapes, characters that are not."""
    if re.match("utf-(16|32)|iso2022", kind.codec):
        return sum(not character.isascii() for character in text) * (len(raw) / max(1, len(text)))
    return sum(byte >= 0x80 for byte in raw)


def with_rare(text, luck):
    """One Han character in eight is one that only GB18030 has."""
    def rare(character):
        if not "\u4e00" <= character <= "\u9fff" or luck.random() > 1 / 8:
            return character
        return chr(luck.choice((luck.randint(0x3400, 0x4DB5), luck.randint(0x20000, 0x2A6D6))))
    return "".join(map(rare, text))


def damaged(raw, size, luck):
    """One to three faults: a byte that is lost, overwritten, or put in from a text in an old encoding."""
    raw = bytearray(raw)
    for _ in range(luck.randint(1, 1 if size < 64 else 3)):
        places = [place for place, byte in enumerate(raw) if byte >= 0xC0]
        place = luck.choice(places) if places else luck.randrange(len(raw))
        what = luck.choice(("lost", "overwritten", "put in"))
        if what == "lost":
            del raw[place + 1:place + 2]
        elif what == "overwritten":
            raw[place] = luck.choice((0xFF, 0xFE, 0xC0, luck.randint(0x80, 0xBF)))
        else:
            raw.insert(place, luck.choice(b"\xE9\xE4\xFC\xA0\x93\xFF"))
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return bytes(raw)
    return bytes(raw) + b"\xFF"
