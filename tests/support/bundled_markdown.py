"""The widget's renderer alone, as a script for a page."""

from __future__ import annotations

import subprocess
from pathlib import Path

from get_widget_tools import WIDGET, get_widget_tools
from npm import node

_BUNDLE = """import { build } from "esbuild";
const outfile = process.argv[1];
await build({ entryPoints: ["src/markdown.ts"], bundle: true, format: "iife", globalName: "markdown", outfile });"""


def bundled_markdown(folder: Path) -> str:
    """Leaves it in the page as `markdown`."""
    get_widget_tools()
    script = folder / "markdown.js"
    subprocess.run([*node(), "--input-type=module", "-e", _BUNDLE, str(script)], cwd=WIDGET, check=True)
    return f"{script.read_text('utf-8')}\nwindow.markdown = markdown; undefined"
