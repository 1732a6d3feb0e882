"""The bill of materials: every crate that is in the programs, from Cargo's own resolution, as CycloneDX 1.5."""

import json
import subprocess
import time

from facts import DIST, EPOCH, LINUX_ARM64, LINUX_X64, SOURCE, VERSION, WINDOWS_X64

NATIVE = [LINUX_X64, LINUX_ARM64, WINDOWS_X64, "aarch64-apple-darwin", "x86_64-apple-darwin"]


def metadata():
    platforms = [word for triple in NATIVE for word in ["--filter-platform", triple]]
    command = ["cargo", "metadata", "--locked", "--format-version", "1", *platforms]
    return json.loads(subprocess.run(command, cwd=SOURCE, check=True, stdout=subprocess.PIPE).stdout)


def linked(nodes, root):
    """The packages that end up in a program: what is reached without tests and build scripts."""
    found, waiting = {}, [root]
    while waiting:
        one = waiting.pop()
        if one not in found:
            normal = [it["pkg"] for it in nodes[one]["deps"] if any(kind["kind"] is None for kind in it["dep_kinds"])]
            found[one] = sorted(normal)
            waiting += normal
    return found


def component(package, kind):
    reference = f"pkg:cargo/{package['name']}@{package['version']}"
    result = {"type": kind, "bom-ref": reference, "name": package["name"], "version": package["version"], "purl": reference}
    if package["license"]:
        result["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    return result


data = metadata()
packages = {it["id"]: it for it in data["packages"]}
root = data["resolve"]["root"]
crates = linked({it["id"]: it for it in data["resolve"]["nodes"]}, root)
components = {id: component(packages[id], "application" if id == root else "library") for id in crates}
bom = {
    "bomFormat": "CycloneDX",
    "specVersion": "1.5",
    "version": 1,
    "metadata": {
        "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH)),
        "component": components[root],
    },
    "components": sorted((it for id, it in components.items() if id != root), key=lambda it: it["bom-ref"]),
    "dependencies": sorted(
        ({"ref": components[id]["bom-ref"], "dependsOn": sorted(components[it]["bom-ref"] for it in crates[id])} for id in crates),
        key=lambda it: it["ref"],
    ),
}
path = DIST / f"filewright-{VERSION}.cdx.json"
path.write_text(json.dumps(bom, indent=2) + "\n", encoding="utf-8")
print(path)
