"""The archives: one folder of the archive's name with the program, its documents, the man page and the completions."""

import pathlib
import shutil
import tempfile

from facts import DIST, LINUX_ARM64, LINUX_X64, MACOS, SOURCE, VERSION, WINDOWS_X64, program, write_tar, write_zip

DOCUMENTS = ["README.md", "README.zh-CN.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE", "config.example.toml"]

for triple in [LINUX_X64, LINUX_ARM64, WINDOWS_X64, MACOS]:
    built = program(triple)
    if built is None:
        continue
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work, f"filewright-{VERSION}-{triple}")
        # Everybody may read what is unpacked, whatever umask it was packed under.
        shutil.copytree(DIST / "generated", folder)
        for name in DOCUMENTS:
            shutil.copyfile(SOURCE / name, folder / name)
        shutil.copyfile(built, folder / built.name)
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755 if path.is_dir() or path.name == built.name else 0o644)
        if triple == WINDOWS_X64:
            paths = sorted(it for it in folder.rglob("*") if it.is_file())
            files = [(it.relative_to(work).as_posix(), it.read_bytes()) for it in paths]
            write_zip(DIST / f"{folder.name}.zip", files, {f"{folder.name}/{built.name}"})
        else:
            write_tar(DIST / f"{folder.name}.tar.gz", folder)
