"""The Markdown files that a page of MDX imports as components."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from glossator.ingest.check.folders import Folders
from glossator.ingest.check.pages import BookPage
from glossator.ingest.check.tags import is_statement

_IMPORT = re.compile(
    r"^[^\S\n]*+import\s+([\w$]+)\s+from\s+(['\"])((?:\.{1,2}|@site)/[^'\"]+\.mdx?)\2", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Partial:
    name: str
    written: str
    """The path as the page has it."""
    path: Path | None
    """None where only the site knows what the path means."""
    line: int


def partials(page: BookPage, folders: Folders) -> Iterator[Partial]:
    for token in page.tokens:
        if not is_statement(page, token):
            continue
        source = page.source_of(token)
        for match in _IMPORT.finditer(source):
            line = page.line_of(token) + source.count("\n", 0, match.start(1))
            yield Partial(match[1], match[3], _resolved(match[3], page, folders), line)


def _resolved(written: str, page: BookPage, folders: Folders) -> Path | None:
    if written.startswith("@site/"):
        return folders.site / written.removeprefix("@site/") if folders.site else None
    return Path(os.path.normpath((folders.root / page.path).parent / written))
