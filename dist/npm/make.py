"""The npm packages: one for each platform with the program in it, and `filewright`, which starts the one that npm chose."""

import json
import pathlib
import shutil
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from facts import DESCRIPTION, DIST, KEYWORDS, LICENSE, LINUX_ARM64, LINUX_X64, MACOS, OWNER, REPOSITORY, SOURCE, VERSION
from facts import WINDOWS_X64, program, write_tar

# The program is static on Linux, universal on macOS, and run by an emulator on Windows for arm64.
PLATFORMS = {
    "linux-x64": (LINUX_X64, "linux", ["x64"]),
    "linux-arm64": (LINUX_ARM64, "linux", ["arm64"]),
    "win32": (WINDOWS_X64, "win32", ["x64", "arm64"]),
    "darwin": (MACOS, "darwin", ["x64", "arm64"]),
}
COMMON = {
    "version": VERSION,
    "description": DESCRIPTION,
    "license": LICENSE,
    "homepage": REPOSITORY,
    "repository": {"type": "git", "url": f"git+{REPOSITORY}.git"},
}


def pack(name, package, files):
    """npm installs a tarball of one folder called package."""
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work, "package")
        (folder / "bin").mkdir(parents=True)
        shutil.copyfile(SOURCE / "LICENSE-MIT", folder / "LICENSE-MIT")
        shutil.copyfile(SOURCE / "LICENSE-APACHE", folder / "LICENSE-APACHE")
        for path, content in files.items():
            (folder / path).write_bytes(content)
        (folder / "package.json").write_text(json.dumps({"name": name, **COMMON, **package}, indent=2) + "\n")
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)
        write_tar(DIST / f"{name}-{VERSION}.tgz", folder)


for platform, (triple, system, processors) in PLATFORMS.items():
    built = program(triple)
    if built:
        package = {"os": [system], "cpu": processors, "preferUnplugged": True, "files": ["bin"]}
        package["description"] = f"{DESCRIPTION} (the program for {platform})"
        pack(f"filewright-{platform}", package, {f"bin/{built.name}": built.read_bytes()})

launcher = {
    "mcpName": f"io.github.{OWNER}/filewright",
    "keywords": KEYWORDS,
    "bin": {"filewright": "bin/filewright.js"},
    "files": ["bin"],
    "engines": {"node": ">=18"},
    "optionalDependencies": {f"filewright-{platform}": VERSION for platform in PLATFORMS},
}
script = (SOURCE / "dist/npm/filewright.js").read_bytes()
readme = (SOURCE / "README.md").read_bytes()
pack("filewright", launcher, {"bin/filewright.js": script, "README.md": readme})
