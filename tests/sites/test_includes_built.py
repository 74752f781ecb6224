"""Included text beside what real builds show."""

from __future__ import annotations

import html
import re
from pathlib import Path

from glossator.ingest.page import load_page
from glossator.ingest.sites import site_of
from support.generators import run_mdbook, run_mkdocs

CODE = "one\n# ANCHOR: a\ntwo\n# ANCHOR: b\nthree\n# ANCHOR_END: b\n# ANCHOR_END: a\nfour\n"
SECTIONS = (
    "one\n# --8<-- [start:a]\ntwo\n# --8<-- [start:b]\nthree\n# --8<-- [end:b]\n# --8<-- [end:a]\nfour\n"
)


def test_mdbook_shows_the_same_lines(tmp_path: Path) -> None:
    parts = ("", ":1", ":3", ":3:5", ":3:", "::3", ":a", ":b")
    fences = [f"```text\n{{{{#include ../code.txt{part}}}}}\n```\n" for part in parts]
    (tmp_path / "src").mkdir()
    (tmp_path / "code.txt").write_text(CODE)
    (tmp_path / "book.toml").write_text('[book]\ntitle = "x"\n')
    (tmp_path / "src/SUMMARY.md").write_text("- [One](one.md)\n")
    (tmp_path / "src/one.md").write_text("# One\n\n" + "\n".join(fences))
    built = (run_mdbook(tmp_path) / "one.html").read_text()
    assert _fences(load_page(tmp_path, "src/one.md", site_of(tmp_path)).text) == _code(built)


def test_mkdocs_shows_the_same_lines(tmp_path: Path) -> None:
    parts = ("", ":1", ":2:3", ":1:1,3:4", ":-3:-2", ":-3", ":a", ":b")
    fences = [f'```text\n--8<-- "code.txt{part}"\n```\n' for part in parts]
    block = "```text\n--8<--\ncode.txt:1:1\n\n; code.txt\nother.txt\n--8<--\n```\n"
    (tmp_path / "docs").mkdir()
    (tmp_path / "code.txt").write_text(SECTIONS)
    (tmp_path / "other.txt").write_text('before\n  --8<-- "code.txt:1:1"\nafter\n')
    (tmp_path / "mkdocs.yml").write_text(
        "site_name: x\ntheme: {name: material, font: false}\n"
        "markdown_extensions: [pymdownx.superfences, pymdownx.snippets, {pymdownx.highlight: {use_pygments: false}}]\n"
    )
    (tmp_path / "docs/index.md").write_text("# One\n\n" + "\n".join([*fences, block]))
    built = (run_mkdocs(tmp_path) / "index.html").read_text()
    assert _fences(load_page(tmp_path, "docs/index.md", site_of(tmp_path)).text) == _code(built)


def _fences(text: str) -> list[list[str]]:
    """The lines of each fence, without empty ones."""
    return [_lines(code) for code in re.findall(r"```text\n(.*?)\n?```", text, re.DOTALL)]


def _code(page: str) -> list[list[str]]:
    found = re.findall(r"<pre[^>]*><code[^>]*>(.*?)</code></pre>", page, re.DOTALL)
    return [_lines(html.unescape(re.sub("<[^>]+>", "", code))) for code in found]


def _lines(code: str) -> list[str]:
    return [line for line in code.split("\n") if line.strip()]
