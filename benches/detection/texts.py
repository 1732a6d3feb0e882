"""Natural text in many languages, out of what Debian packages carry: translated manual pages.

Every source file belongs to one of two halves, by its name. Rules of detection are made looking at one of them, and scored
on the other.
"""

import gzip
import hashlib
import html
import re
import subprocess
from pathlib import Path

PACKAGES = {
    "cs": "manpages-cs",
    "de": "manpages-de",
    "el": "manpages-el",
    "es": "manpages-es",
    "fr": "manpages-fr",
    "ja": "manpages-ja",
    # There are no Korean manual pages.
    "ko": "debian-faq-ko",
    "pl": "manpages-pl",
    "ru": "manpages-ru",
    "tr": "manpages-tr",
    "uk": "manpages-uk",
    "zh": "manpages-zh",
}
# One package has both ways to write Chinese, in directories of their own.
PLACES = {"zh": ("zh", "/zh_CN/"), "zh-hant": ("zh", "/zh_TW/")}
HALVES = ("seen", "held-out")
# What typesetters write and old encodings do not have.
TYPEWRITER = str.maketrans({
    "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "‚": "'",
    "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "…": "...", "\u00a0": " ", "\u202f": " ", "•": "*", "→": "->",
})
# Pairs of bytes in Shift-JIS, EUC-JP and Big5 for which there are two traditions.
DISPUTED = re.compile("[〜～‖∥−－¢￠£￡¬￢¦￤‾￣¥\\\\~／∕]")


def fetch(language, folder):
    """Downloads and unpacks one package, once. Says what went wrong, or nothing."""
    place = folder / PACKAGES[language]
    if place.is_dir():
        return None
    folder.mkdir(parents=True, exist_ok=True)
    got = subprocess.run(["apt-get", "download", "-qq", PACKAGES[language]], cwd=folder, capture_output=True, text=True)
    found = sorted(folder.glob(PACKAGES[language] + "_*.deb"))
    if not found:
        return got.stderr.strip().splitlines()[-1] if got.stderr.strip() else "nothing was downloaded"
    subprocess.run(["dpkg-deb", "-x", found[-1], place], check=True)
    return None


def lines_of(language, half, folder):
    """The lines of all texts of one half in one language, a blank line between two texts."""
    package, part = PLACES.get(language, (language, "/"))
    lines = []
    for path in sorted((folder / PACKAGES[package]).rglob("*")):
        # A link is a page that is there under another name.
        if path.is_symlink() or not path.is_file() or part not in str(path) or half_of(path) != half:
            continue
        if path.name.endswith(".html"):
            lines += plain_lines(without_tags(path.read_text("utf-8")))
        elif "/man/" in str(path) and path.suffix == ".gz":
            lines += plain_lines(without_roff(gzip.open(path).read().decode("utf-8", "replace")))
    return lines


def half_of(path):
    return HALVES[hashlib.sha256(path.name.encode()).digest()[0] % 2]


def plain_lines(text):
    lines = [" ".join(line.split()) if not line.startswith(" ") else line.rstrip() for line in text.splitlines()]
    return [line for line in lines if line.isprintable() and "\ufffd" not in line] + [""]


def without_tags(page):
    page = re.sub(r"(?s)<(head|script|style)\b.*?</\1>", "", page)
    return html.unescape(re.sub(r"<[^>]*>", "", page))


def without_roff(page):
    """What a reader sees of a manual page, roughly: requests with words keep their words."""
    kept = []
    for line in page.splitlines():
        if re.match(r"[.']\s*\\\"", line) or line.startswith("'"):
            continue
        words = re.match(r"\.\s*(SH|SS|TP|IP|B|I|BR|BI|IR|RB|RI|IB)\s+(.*)", line)
        if words:
            line = words.group(2).replace('"', "")
        elif line.startswith("."):
            continue
        kept.append(without_escapes(line))
    return "\n".join(line for line in kept if "\\" not in line)


def without_escapes(line):
    line = re.sub(r'\\".*', "", line)
    line = re.sub(r"\\f(\(..|\[[^]]*\]|.)|\\s[-+]?\d|\\m\[[^]]*\]", "", line)
    line = re.sub(r"\\[&,/:|^%c]", "", line)
    line = re.sub(r"\\\((aq|cq|oq)|\\\[(aq|cq|oq)\]", "'", line)
    line = re.sub(r"\\\((dq|lq|rq)|\\\[(dq|lq|rq)\]", '"', line)
    return line.replace("\\-", "-").replace("\\ ", " ").replace("\\~", " ")
