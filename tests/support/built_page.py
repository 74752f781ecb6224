"""What a page holds that a site generator made: its anchors and its scripts."""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import SplitResult, unquote


class BuiltPage(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.anchors = set[str | None]()
        self.scripts = list[dict[str, str | None]]()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        fields = dict(attrs)
        self.anchors.add(fields.get("id"))
        if tag == "script":
            self.scripts.append(fields)


@cache
def read_page(path: Path) -> BuiltPage:
    return BuiltPage(path.read_text("utf-8"))


def file_of(url: SplitResult, root: Path) -> Path:
    """The file that any static host gives for the url's path."""
    path = root / unquote(url.path).lstrip("/")
    return path / "index.html" if url.path.endswith("/") or path.is_dir() else path


def anchor_of(url: SplitResult) -> str:
    return unquote(url.fragment.split(":~:", 1)[0])
