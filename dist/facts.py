"""What the packaging scripts know of the project: Cargo.toml, where it is published, how a template is filled, and archives
that are the same for the same content."""

import hashlib
import os
import pathlib
import re
import subprocess
import time
import tomllib
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = tomllib.loads((SOURCE / "Cargo.toml").read_text(encoding="utf-8"))["package"]
VERSION = PACKAGE["version"]
DESCRIPTION = PACKAGE["description"]
LICENSE = PACKAGE["license"]
KEYWORDS = PACKAGE["keywords"]

DIST = pathlib.Path(os.environ["DIST"])
REPOSITORY = os.environ["REPOSITORY"]
OWNER = REPOSITORY.rstrip("/").split("/")[-2]
RELEASE = f"{REPOSITORY}/releases/download/v{VERSION}"
EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])

LINUX_X64 = "x86_64-unknown-linux-gnu"
LINUX_ARM64 = "aarch64-unknown-linux-gnu"
WINDOWS_X64 = "x86_64-pc-windows-gnu"
MACOS = "universal-apple-darwin"


def program(triple):
    """The built program of a target, or None where it was not built."""
    name = "filewright.exe" if triple == WINDOWS_X64 else "filewright"
    path = DIST / "bin" / triple / name
    return path if path.exists() else None


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def fill(text, **more):
    """Puts the facts in for @NAME@, and the checksum of a file of the release for @SHA256 FILE@."""
    facts = {
        "VERSION": VERSION,
        "DESCRIPTION": DESCRIPTION,
        "LICENSE": LICENSE,
        "REPOSITORY": REPOSITORY,
        "OWNER": OWNER,
        "RELEASE": RELEASE,
        "DATE": time.strftime("%Y-%m-%d", time.gmtime(EPOCH)),
        **more,
    }
    text = re.sub(r"@([A-Z]+)@", lambda found: facts[found[1]], text)
    return re.sub(r"@(SHA256) ([^@]+)@", lambda found: sha256(DIST / found[2]), text)


def template(path, **more):
    return fill((SOURCE / "dist" / path).read_text(encoding="utf-8"), **more)


def write_zip(path, files, executable=()):
    """A zip whose bytes depend on nothing but these (name, bytes) pairs and the time of the release."""
    when = time.gmtime(max(EPOCH, 315532800))[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files:
            entry = zipfile.ZipInfo(name, when)
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o100755 if name in executable else 0o100644) << 16
            archive.writestr(entry, content)
    print(path)


def write_tar(path, folder):
    """The same for a gzipped tar of one folder."""
    tar = ["tar", "--create", "--format=ustar", "--sort=name", f"--mtime=@{EPOCH}", "--owner=0", "--group=0", "--numeric-owner"]
    packed = subprocess.run([*tar, "-C", folder.parent, folder.name], check=True, stdout=subprocess.PIPE).stdout
    path.write_bytes(subprocess.run(["gzip", "--no-name", "--best"], input=packed, check=True, stdout=subprocess.PIPE).stdout)
    print(path)
