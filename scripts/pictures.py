"""The picture of the README: what `glossator search` prints about the sample book, as a terminal shows it.

Run `make demo` first.
"""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import Console
from rich.text import Text

from glossator.answer.retrieve import retrieve
from glossator.cli import show
from glossator.settings import load_settings
from glossator.wiring import embedder_of, index_of

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "search.svg"
QUESTION = "How are QoS profiles matched?"


def main() -> None:
    embedder = embedder_of(load_settings())
    index = index_of(load_settings(), expects=embedder.identity)
    hits = show.hits(retrieve(QUESTION, embedder, index, top_k=2))
    console = Console(record=True, width=92, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(f'$ glossator search "{QUESTION}" --top-k 2\n\n{hits}'), soft_wrap=True)
    picture = console.export_svg(title="glossator")
    # A picture in a repository asks nobody for fonts.
    PICTURE.write_text(re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main()
