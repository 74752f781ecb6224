"""Hooks of the documentation site (mkdocs.yml): CONTRIBUTING.md and CHANGELOG.md are pages of it too.

Links between them and docs/ are written for the repository, and changed here for the site.
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

    return _LINK.sub(rewrite, markdown)
