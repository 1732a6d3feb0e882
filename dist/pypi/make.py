"""The wheels: one for each platform, with the program as a script. The README in it carries the name in the MCP registry."""

import base64
import hashlib
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from facts import DESCRIPTION, DIST, KEYWORDS, LICENSE, LINUX_ARM64, LINUX_X64, MACOS, OWNER, REPOSITORY, SOURCE, VERSION
from facts import WINDOWS_X64, program, write_zip

# A static program runs under every libc, so it carries the tags of both.
TAGS = {
    LINUX_X64: "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
    LINUX_ARM64: "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
    WINDOWS_X64: "win_amd64",
    MACOS: "macosx_11_0_universal2",
}
INFO = f"filewright-{VERSION}.dist-info"
METADATA = f"""\
Metadata-Version: 2.4
Name: filewright
Version: {VERSION}
Summary: {DESCRIPTION}
License-Expression: {LICENSE}
License-File: LICENSE-APACHE
License-File: LICENSE-MIT
Keywords: {",".join(KEYWORDS)}
Project-URL: Repository, {REPOSITORY}
Requires-Python: >=3.8
Description-Content-Type: text/markdown; charset=UTF-8

<!-- mcp-name: io.github.{OWNER}/filewright -->
"""


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


for triple, tags in TAGS.items():
    built = program(triple)
    if built is None:
        continue
    script = f"filewright-{VERSION}.data/scripts/{built.name}"
    wheel = "Wheel-Version: 1.0\nGenerator: filewright\nRoot-Is-Purelib: false\n"
    wheel += "".join(f"Tag: py3-none-{tag}\n" for tag in tags.split("."))
    files = [(script, built.read_bytes())]
    files += [(f"{INFO}/licenses/{it}", (SOURCE / it).read_bytes()) for it in ["LICENSE-APACHE", "LICENSE-MIT"]]
    files += [(f"{INFO}/METADATA", METADATA.encode() + (SOURCE / "README.md").read_bytes())]
    files += [(f"{INFO}/WHEEL", wheel.encode())]
    record = "".join(f"{name},sha256={digest(content)},{len(content)}\n" for name, content in files)
    files += [(f"{INFO}/RECORD", f"{record}{INFO}/RECORD,,\n".encode())]
    write_zip(DIST / f"filewright-{VERSION}-py3-none-{tags}.whl", files, {script})
