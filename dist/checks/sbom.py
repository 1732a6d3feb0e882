"""Checks the bill of materials against the CycloneDX schema, and that it has what Cargo.lock says of the direct dependencies."""

import json
import sys
import tomllib

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
fault = JsonStrictValidator(SchemaVersion.V1_5).validate_str(text)
assert fault is None, fault
bom = json.loads(text)
names = {it["name"] for it in bom["components"]}
with open("Cargo.toml", "rb") as file:
    direct = set(tomllib.load(file)["dependencies"])
assert direct <= names, direct - names
with open("Cargo.lock", "rb") as file:
    locked = {(it["name"], it["version"]) for it in tomllib.load(file)["package"]}
strangers = {(it["name"], it["version"]) for it in bom["components"]} - locked
assert not strangers, strangers
print(f"ok: {len(bom['components'])} crates, valid CycloneDX 1.5")
