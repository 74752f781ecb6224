"""A small book, published by the generators whose lines stand in docs/sites.md."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt

from glossator.ingest.sites import Site, SiteKind, site_of
from support.answer_book import PAGES
from support.asked_site import AskedSite
from support.documented_lines import lines_for
from support.generators import run_mdbook, run_mkdocs

START = "index.md"
BOOK = {START: "# Start\n\nHere begins the book.\n", **{name: text.lstrip() for name, text in PAGES.items()}}
INSTANT = """\
  font: false
  features: [navigation.instant, navigation.expand]
  palette:
    - {scheme: default, toggle: {icon: material/brightness-7, name: Switch to dark}}
    - {scheme: slate, toggle: {icon: material/brightness-4, name: Switch to light}}
"""
"""Goes on with the theme."""


@dataclass(frozen=True)
class MkDocsBook:
    folder: Path

    def read(self, url: str) -> tuple[Path, Site]:
        _write(self.folder / "docs", BOOK)
        config = lines_for("MkDocs Material", "`mkdocs.yml`:")
        _write(self.folder, {"mkdocs.yml": f"site_name: Robots\nsite_url: {url}\n{config}{INSTANT}"})
        return self.folder, site_of(self.folder)

    def build(self, site: AskedSite) -> None:
        override = lines_for("MkDocs Material", "`overrides/main.html`:", site)
        instant = lines_for("MkDocs Material", "say so in the same block, below the other line:")
        last = "{% endblock %}"
        assert override.count(last) == 1
        _write(self.folder, {"overrides/main.html": override.replace(last, instant + last)})
        shutil.copytree(run_mkdocs(self.folder), site.folder)


@dataclass(frozen=True)
class MdBook:
    folder: Path

    def read(self, url: str) -> tuple[Path, Site]:
        _write(self.folder / "src", BOOK)
        chapters = "\n".join(
            f"- [{text.splitlines()[0].lstrip('# ')}]({name})" for name, text in BOOK.items()
        )
        path = lines_for("mdBook", "unless it is `/`:")
        _write(self.folder, {"src/SUMMARY.md": f"# Summary\n\n{chapters}\n", "book.toml": path})
        return self.folder, site_of(self.folder)

    def build(self, site: AskedSite) -> None:
        _write(self.folder, {"theme/head.hbs": lines_for("mdBook", "`theme/head.hbs`:", site)})
        shutil.copytree(run_mdbook(self.folder), site.folder)


@dataclass(frozen=True)
class PlainPages:
    """Set by hand, with an id for each heading, and with a policy that forbids all that is not said to be needed."""

    folder: Path

    def read(self, url: str) -> tuple[Path, Site]:
        _write(self.folder, BOOK)
        return self.folder, site_of(self.folder, kind=SiteKind.MDBOOK, base_url=url)

    def build(self, site: AskedSite) -> None:
        line = lines_for("Plain HTML", "Anywhere in a page:", site)
        allowed = lines_for("Sites with a content security policy", "no inline style among it:", site)
        policy = f"default-src 'none'; {allowed.strip()}"
        head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        pages = {name.replace(".md", ".html"): _set(text, head, line) for name, text in BOOK.items()}
        _write(site.folder, pages)


def _set(text: str, head: str, line: str) -> str:
    markdown = MarkdownIt()
    tokens = markdown.parse(text)
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            opening.attrSet("id", inline.content.lower().replace(" ", "-"))
    body = markdown.renderer.render(tokens, markdown.options, {})
    return f'<!doctype html>\n<html lang="en">\n{head}\n<title>Robots</title>\n{body}{line}</html>\n'


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
