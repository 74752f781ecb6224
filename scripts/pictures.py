"""The picture of the README: what `glossator search` prints, as a terminal shows it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[1]
QUESTION = "Why does my subscriber receive nothing?"


def main() -> None:
    words = [str(Path(sys.executable).with_name("glossator")), "search", QUESTION, "--top-k", "3"]
    environment = {**os.environ, "COLUMNS": "96", "FORCE_COLOR": "1"}
    shown = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    ).stdout
    console = Console(record=True, width=98, file=open(os.devnull, "w"), force_terminal=True)  # noqa: SIM115
    console.print(
        Text.from_ansi(f'$ glossator search "{QUESTION}" --top-k 3\n\n{shown.rstrip()}'), soft_wrap=True
    )
    target = ROOT / "docs" / "pictures" / "search.svg"
    target.parent.mkdir(exist_ok=True)
    console.save_svg(str(target), title="glossator")


if __name__ == "__main__":
    main()
