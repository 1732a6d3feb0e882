"""deb, rpm, apk and Arch packages for both processors, made by nfpm."""

import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from facts import DIST, EPOCH, LINUX_ARM64, LINUX_X64, SOURCE, VERSION, program, template

DEB = {"urgency": "low", "distributions": ["unstable"]}
KINDS = ["deb", "rpm", "apk", "archlinux"]


def changes():
    """What the changelog says of this version, one entry a bullet, as nfpm reads it (JSON is YAML as well)."""
    text = (SOURCE / "CHANGELOG.md").read_text(encoding="utf-8")
    part = text.partition(f"\n## {VERSION}")[2].partition("\n## ")[0]
    bullets = part.partition("\n- ")[2].split("\n- ")
    notes = [" ".join(it.split("\n\n")[0].split()) for it in bullets if it.strip()]
    date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH))
    packager = "the filewright authors <filewright@example.invalid>"
    return [{"semver": VERSION, "date": date, "packager": packager, "deb": DEB, "changes": [{"note": it} for it in notes]}]


with tempfile.TemporaryDirectory() as work:
    page = (DIST / "generated/doc/filewright.1").read_bytes()
    pathlib.Path(work, "filewright.1.gz").write_bytes(gzip.compress(page, mtime=0))
    pathlib.Path(work, "changelog.yaml").write_text(json.dumps(changes()), encoding="utf-8")
    for processor, triple in {"amd64": LINUX_X64, "arm64": LINUX_ARM64}.items():
        built = program(triple)
        if built is None:
            continue
        places = {"ARCH": processor, "BINARY": str(built), "WORK": work, "GENERATED": str(DIST / "generated")}
        config = pathlib.Path(work, f"{processor}.yaml")
        config.write_text(template("linux/nfpm.yaml", **places), encoding="utf-8")
        # Generated and checked-out files carry the time of this run.
        for path in [built, *pathlib.Path(work).iterdir(), *(DIST / "generated").rglob("*"), *(SOURCE / "dist/linux").iterdir()]:
            os.utime(path, (EPOCH, EPOCH))
        for kind in KINDS:
            subprocess.run(["nfpm", "package", "-f", config, "-p", kind, "-t", DIST], cwd=SOURCE, check=True)
