"""Hooks of the documentation site (mkdocs.yml): CONTRIBUTING.md and CHANGELOG.md are pages of it too.

Pages are written for the repository, as CommonMark; what MkDocs reads differently is changed here: links
between those two and docs/, the indentation of what belongs to an item of a numbered list, and the
backslash before a bar in the code of a table, which MkDocs would show.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
PAGES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
_SOURCES = {page: source for source, page in PAGES.items()}
_NUMBERED_ITEM = re.compile(r"^\d\. .*\n(?:(?: {3}.*)?\n)+", re.MULTILINE)
_ROW = re.compile(r"^\|.*\\\|.*$", re.MULTILINE)
_CODE = re.compile(r"`[^`\n]+`")
_LINK = re.compile(r"(?<=\]\()[^)#\s:]+(?=[)#])")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    folder = posixpath.dirname(page.file.src_uri)
    source = posixpath.dirname(_SOURCES.get(page.file.src_uri, f"docs/{page.file.src_uri}"))

    def rewrite(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(source, link[0]))
        on_site = PAGES.get(target, target.removeprefix("docs/"))
        # What is not on the site stays as it is, and MkDocs warns of it.
        return link[0] if on_site == target else posixpath.relpath(on_site, folder or ".")

    return _NUMBERED_ITEM.sub(_indent_by_four, _ROW.sub(_plain_bars, _LINK.sub(rewrite, markdown)))


def _plain_bars(row: re.Match[str]) -> str:
    return _CODE.sub(lambda code: code[0].replace("\\|", "|"), row[0])


def _indent_by_four(item: re.Match[str]) -> str:
    # A blank line after it, or the next item would belong to its last paragraph.
    return re.sub(r"^ {3}", " " * 4, item[0], flags=re.MULTILINE) + "\n" * ("\n\n" in item[0])
