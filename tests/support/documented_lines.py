"""The lines of docs/sites.md, as a reader of it copies them."""

from __future__ import annotations

import re
from pathlib import Path

from support.asked_site import AskedSite

PAGE = Path(__file__).parents[2] / "docs" / "sites.md"
SERVER, KEY = "https://ask.book.example", "pk_…"


def lines_for(section: str, before: str, site: AskedSite | None = None) -> str:
    """What is fenced after these words of the section, with the reader's own server and key in their places."""
    (_, text) = PAGE.read_text("utf-8").split(f"\n## {section}\n", 1)
    found = re.search(rf"{re.escape(before)}\n\n```\w+\n(.*?)```", text.split("\n## ", 1)[0], re.DOTALL)
    assert found, f"no lines after “{before}” in {section}"
    return found[1] if site is None else found[1].replace(SERVER, site.server).replace(KEY, site.key)
