"""What is sent to other people's registries: Homebrew, Scoop, winget, the AUR and the MCP registry. All of it names files of
the release with their checksums, so it is made last, and only what all files are there for."""

import re

from facts import DIST, SOURCE, fill

TEMPLATES = SOURCE / "dist/channels"

for source in sorted(it for it in TEMPLATES.rglob("*") if it.is_file()):
    text = source.read_text(encoding="utf-8")
    named = [fill(it) for it in re.findall(r"@SHA256 (.+?\.(?:tar\.gz|zip|mcpb))@", text)]
    missing = [it for it in named if not (DIST / it).exists()]
    if missing:
        print(f"LEFT OUT: {source.name}, because there is no {', '.join(missing)}")
        continue
    target = DIST / "channels" / source.relative_to(TEMPLATES)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(fill(text), encoding="utf-8")
    print(target)
