"""Checks a universal Mach-O file without a Mac: both processors, the oldest system it says it runs on, that it needs only
libraries of the system, and that the linker's ad-hoc signature on arm64 fits every page."""

import hashlib
import struct
import sys

FAT, MACHO64, ARM64 = 0xCAFEBABE, 0xFEEDFACF, 0x0100000C
LOAD_DYLIB, CODE_SIGNATURE, BUILD_VERSION = 0xC, 0x1D, 0x32


def commands(image):
    magic, _, _, _, count = struct.unpack_from("<5I", image)
    assert magic == MACHO64, hex(magic)
    place = 32
    for _ in range(count):
        kind, size = struct.unpack_from("<2I", image, place)
        yield kind, image[place : place + size]
        place += size


def unsigned_pages(image, place):
    """How many pages of the code directory, the first blob of the signature, do not have the hash it says."""
    offset = place + struct.unpack_from(">I", image, place + 16)[0]
    hashes, _, _, pages, limit = struct.unpack_from(">5I", image, offset + 16)
    size, _, _, power = struct.unpack_from("4B", image, offset + 36)
    wrong = 0
    for page in range(pages):
        content = image[page << power : min((page + 1) << power, limit)]
        start = offset + hashes + page * size
        wrong += hashlib.sha256(content).digest()[:size] != image[start : start + size]
    return wrong


def check(image, processor):
    libraries, oldest, signature = [], None, None
    for kind, command in commands(image):
        if kind == LOAD_DYLIB:
            start = struct.unpack_from("<I", command, 8)[0]
            libraries.append(command[start:].rstrip(b"\0").decode())
        elif kind == BUILD_VERSION:
            version = struct.unpack_from("<I", command, 12)[0]
            oldest = f"{version >> 16}.{version >> 8 & 255}"
        elif kind == CODE_SIGNATURE:
            signature = struct.unpack_from("<I", command, 8)[0]
    # What lies there is a part of every macOS.
    assert all(it.startswith("/usr/lib/lib") for it in libraries), libraries
    assert oldest == "11.0", oldest
    # Processors of Intel's run unsigned files; Apple's own do not.
    if processor == ARM64:
        assert signature and unsigned_pages(image, signature) == 0, "the ad-hoc signature does not fit"
    return processor


with open(sys.argv[1], "rb") as file:
    data = file.read()
magic, count = struct.unpack_from(">2I", data)
assert magic == FAT, "not a universal file"
parts = [struct.unpack_from(">5I", data, 8 + 20 * it) for it in range(count)]
found = [check(data[offset : offset + size], processor) for processor, _, offset, size, _ in parts]
assert sorted(found) == [0x01000007, ARM64], found
print(f"ok: {sys.argv[1]} is a universal program for macOS 11.0 and later, and needs libraries of the system alone")
