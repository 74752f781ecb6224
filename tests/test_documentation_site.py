"""`make docs` builds the documentation without a warning, and its pages load nothing from another host."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[1]
_LOADED = re.compile(r'<(?:script|link|img|iframe|source)\b[^>]*?\s(?:src|href)="?((?:https?:)?//[^"\s>]+)')
_STYLES = re.compile(r'(?:@import|url\()\s*["\']?((?:https?:)?//[^"\')\s]+)')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    assert not built.stderr.strip()
    return folder


@pytest.mark.slow
def test_every_document_is_a_page_of_the_site(site: Path):
    for document in (ROOT / "docs").rglob("*.md"):
        assert page_of(document, site).is_file(), document
    assert (site / "contributing" / "index.html").is_file()
    assert (site / "changelog" / "index.html").is_file()


def page_of(document: Path, site: Path) -> Path:
    place = document.relative_to(ROOT / "docs").with_suffix("")
    return site / (place.parent if place.name == "index" else place) / "index.html"


@pytest.mark.slow
def test_a_page_has_the_same_lists_tables_and_code_on_the_site_as_in_the_repository(site: Path):
    """MkDocs does not read CommonMark: it wants other indentations, and blank lines before lists."""
    commonmark = MarkdownIt("commonmark").enable("table")
    for document in (ROOT / "docs").rglob("*.md"):
        text = re.sub(r"\A---\n[^#]*\n---\n", "", document.read_text(encoding="utf-8"))
        page = page_of(document, site).read_text(encoding="utf-8")
        article = page[page.index("<article") : page.index("</article>")]
        assert counted(article) == counted(commonmark.render(text)), document
        assert not re.search(r"<code>[^<]*\\\|", article), document


def counted(html: str) -> dict[str, int]:
    return {tag: len(re.findall(f"<{tag}[ >]", html)) for tag in ("li", "pre", "tr", "h2", "h3")}


@pytest.mark.slow
def test_the_site_loads_nothing_from_another_host(site: Path):
    pages = {page: _LOADED.findall(page.read_text(encoding="utf-8")) for page in site.rglob("*.html")}
    styles = {style: _STYLES.findall(style.read_text(encoding="utf-8")) for style in site.rglob("*.css")}
    assert pages
    assert styles
    assert not {file.relative_to(site): found for file, found in (pages | styles).items() if found}


@pytest.mark.slow
def test_the_search_finds_what_the_pages_say(site: Path):
    index = (site / "search" / "search_index.json").read_text(encoding="utf-8")
    assert "GLOSSATOR_MODEL_BASE_URL" in index
    assert "index_unavailable" in index


@pytest.mark.slow
def test_links_between_the_documents_and_the_rest_of_the_repository_work_on_the_site(site: Path):
    assert 'href="../../contributing/"' in (site / "start/developers/index.html").read_text("utf-8")
    assert 'href="../glossary/"' in (site / "contributing/index.html").read_text("utf-8")
