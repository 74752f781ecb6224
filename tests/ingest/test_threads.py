from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from glossator.ingest.parse import Dialect, markdown, parse

BOOK = Path(__file__).parents[2] / "examples" / "physical-ai-book" / "docs"


def test_pages_that_are_parsed_at_once_are_parsed_as_if_alone():
    pages = [path.read_text(encoding="utf-8") for path in sorted(BOOK.rglob("*.md"))]
    alone = [parse(page, Dialect.MDX) for page in pages]
    for _ in range(3):
        markdown.cache_clear()
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(lambda page: parse(page, Dialect.MDX), pages)) == alone
