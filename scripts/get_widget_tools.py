"""Install what builds the widget, in the versions that its package pins, into widget/node_modules.

python scripts/get_widget_tools.py        prints the folder
"""

from __future__ import annotations

import fcntl
import json
import sys
from pathlib import Path

from npm import NpmError, npm

WIDGET = Path(__file__).parents[1] / "widget"
# A lock file would name the registry of whoever wrote it, and no tool needs its own install script.
_INSTALL = ["install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]


def main() -> None:
    try:
        print(get_widget_tools())
    except NpmError as reason:
        sys.exit(f"get_widget_tools: {reason}")


def get_widget_tools() -> Path:
    tools = WIDGET / "node_modules"
    tools.mkdir(exist_ok=True)
    with (tools / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not are_right(tools):
            npm(_INSTALL, WIDGET)
        if not are_right(tools):
            raise NpmError("what npm installed is not what widget/package.json pins")
    return tools


def are_right(tools: Path) -> bool:
    pinned: dict[str, str] = json.loads((WIDGET / "package.json").read_text("utf-8"))["devDependencies"]
    return all(_version(tools / name) == version for name, version in pinned.items())


def _version(package: Path) -> str | None:
    about = package / "package.json"
    return json.loads(about.read_text("utf-8"))["version"] if about.is_file() else None


if __name__ == "__main__":
    main()
