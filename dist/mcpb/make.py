"""The one-click bundles for desktop hosts. A bundle's manifest tells systems apart but not processors, so arm64 Linux has a
bundle of its own; macOS has a universal program, and Windows on arm64 runs the x64 one."""

import json
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from facts import DIST, LINUX_ARM64, LINUX_X64, MACOS, SOURCE, VERSION, WINDOWS_X64, program, template, write_zip

HERE = SOURCE / "dist/mcpb"
FILES = {"linux": "filewright-linux", "win32": "filewright.exe", "darwin": "filewright-macos"}


def make(name, programs):
    programs = {system: program(triple) for system, triple in programs.items()}
    programs = {system: built for system, built in programs.items() if built}
    if not programs:
        return
    manifest = json.loads(template("mcpb/manifest.json"))
    manifest["compatibility"]["platforms"] = list(programs)
    config = manifest["server"]["mcp_config"]
    first, *others = programs
    manifest["server"]["entry_point"] = f"server/{FILES[first]}"
    config["command"] = "${__dirname}/server/" + FILES[first]
    overrides = {system: {"command": "${__dirname}/server/" + FILES[system]} for system in others}
    if overrides:
        config["platform_overrides"] = overrides
    files = [("manifest.json", json.dumps(manifest, ensure_ascii=False, indent=2).encode())]
    files += [("icon.png", (HERE / "icon.png").read_bytes())]
    resources = sorted((HERE / "mcpb-resources").iterdir())
    files += [(f"mcpb-resources/{it.name}", it.read_bytes()) for it in resources]
    files += [(name, (SOURCE / name).read_bytes()) for name in ["LICENSE-APACHE", "LICENSE-MIT"]]
    executable = [(f"server/{FILES[system]}", built.read_bytes()) for system, built in programs.items()]
    write_zip(DIST / name, files + executable, {it for it, _ in executable})


make(f"filewright-{VERSION}.mcpb", {"linux": LINUX_X64, "win32": WINDOWS_X64, "darwin": MACOS})
make(f"filewright-{VERSION}-linux-arm64.mcpb", {"linux": LINUX_ARM64})
