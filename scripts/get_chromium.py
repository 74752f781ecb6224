"""Find the Chromium that the tests drive; as root on Debian it is installed where there is none.

python scripts/get_chromium.py        prints the path of the browser
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def main() -> None:
    try:
        print(get_chromium())
    except FetchError as reason:
        sys.exit(f"get_chromium: {reason}")


class FetchError(Exception):
    """There is no browser, and none can be had here."""


def get_chromium() -> str:
    found = installed()
    if found is None:
        _install()
        found = installed()
    if found is None:
        raise FetchError("apt-get installed no Chromium that can be found")
    return found


def installed() -> str | None:
    chosen = os.environ.get("GLOSSATOR_TEST_CHROMIUM")
    return chosen or next(filter(None, map(shutil.which, NAMES)), None)


def _install() -> None:
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise FetchError("install Chromium, or set GLOSSATOR_TEST_CHROMIUM to the path of one")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
        done = subprocess.run(
            ["apt-get", "-qq", *command], env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise FetchError(f"apt-get {command[0]} failed: {done.stderr.strip()}")


if __name__ == "__main__":
    main()
