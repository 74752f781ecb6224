from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mdurl._decode import decode_cache
from mdurl._encode import encode_cache

from glossator.ingest.parse import Dialect, markdown, parse

BOOK = Path(__file__).parents[2] / "examples" / "physical-ai-book" / "docs"


def test_the_first_addresses_may_come_to_many_threads_at_once():
    """The library fills its tables at the first one; a thread that sees them half full fails."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(40):
            markdown.cache_clear()
            encode_cache.clear()
            decode_cache.clear()
            with ThreadPoolExecutor(8) as pool:
                pages = list(pool.map(parse, ["A [page](/a~b) and <https://x.example/~y>."] * 8))
            assert pages == pages[:1] * 8
    finally:
        sys.setswitchinterval(usual)


def test_pages_that_are_parsed_at_once_are_parsed_as_if_alone():
    pages = [path.read_text(encoding="utf-8") for path in sorted(BOOK.rglob("*.md"))]
    alone = [parse(page, Dialect.MDX) for page in pages]
    for _ in range(3):
        markdown.cache_clear()
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(lambda page: parse(page, Dialect.MDX), pages)) == alone
