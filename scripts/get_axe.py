"""Fetch axe-core, which looks for what shuts readers out, through npm, into the cache folder.

python scripts/get_axe.py        prints the path of the script
"""

from __future__ import annotations

import hashlib
import sys
import tarfile
import tempfile
from pathlib import Path

from cached import cache_folder
from npm import NpmError, npm_pack

PACKAGE = "axe-core"
VERSION = "4.14.0"
SHA256 = "20c09fe157a8a34a30e241aaa1fcdade657734f08ab379ecfbeb7d45cc46e878"
MEMBER = "package/axe.min.js"


def main() -> None:
    try:
        print(get_axe())
    except NpmError as reason:
        sys.exit(f"get_axe: {reason}")


def get_axe() -> Path:
    script = cached_script()
    if not is_right(script):
        _fetch(script)
    return script


def cached_script() -> Path:
    return cache_folder() / "axe" / VERSION / "axe.min.js"


def is_right(script: Path) -> bool:
    return script.is_file() and hashlib.sha256(script.read_bytes()).hexdigest() == SHA256


def _fetch(script: Path) -> None:
    script.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=script.parent) as folder:
        with tarfile.open(npm_pack(f"{PACKAGE}@{VERSION}", Path(folder))) as archive:
            archive.extract(MEMBER, folder, filter="data")
        unpacked = Path(folder) / MEMBER
        if not is_right(unpacked):
            raise NpmError(f"{PACKAGE} {VERSION} does not hold the script that is pinned here")
        unpacked.replace(script)


if __name__ == "__main__":
    main()
