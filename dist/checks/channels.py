"""Checks what is sent to registries: it is well formed, nothing in it is left to fill in, and every checksum is that of the file
it stands beside."""

import hashlib
import json
import os
import pathlib
import re

import yaml

DIST = pathlib.Path(os.environ["DIST"])
REQUIRED = {
    "version": ["DefaultLocale"],
    "installer": ["Installers", "NestedInstallerFiles", "InstallerType"],
    "defaultLocale": ["PackageLocale", "Publisher", "PackageName", "License", "ShortDescription"],
    "locale": ["PackageLocale"],
}

files = sorted(it for it in (DIST / "channels").rglob("*") if it.is_file())
for path in files:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"@[A-Z0-9]+[@ ]", text), f"{path}: something is not filled in"
    if path.suffix == ".json":
        json.loads(text)
    if path.suffix == ".yaml":
        manifest = yaml.safe_load(text)
        wanted = ["PackageIdentifier", "PackageVersion", "ManifestVersion", *REQUIRED[manifest["ManifestType"]]]
        assert all(it in manifest for it in wanted), f"{path}: one of {wanted} is missing"
    sums = re.findall(r"\b[0-9a-fA-F]{64}\b", text)
    named = dict.fromkeys(re.findall(r"/([^/\"'\s]+\.(?:tar\.gz|zip|mcpb))\b", text))
    named = [it for it in named if (DIST / it).exists()]
    known = [hashlib.sha256((DIST / it).read_bytes()).hexdigest() for it in named]
    assert sorted(sums) == sorted(known), f"{path}: its checksums are not those of {named}"
print(f"ok: {len(files)} manifests: {', '.join(it.name for it in files)}")
