"""Check what must be true of every page over folders of real books: `make properties DATA=…`."""

from __future__ import annotations

import collections
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from glossator.ingest.parse import Dialect
from glossator.settings import load_settings
from glossator.wiring import embedder_of
from support.page_properties import check_page, cut_page

_EXAMPLE = re.compile(r"^`{10,} example\n(.*?)\n?^\.\n", re.DOTALL | re.MULTILINE)


def main(folders: list[str]) -> int:
    embedder = embedder_of(load_settings())
    totals = collections.Counter[str]()
    failures = list[str]()
    started = time.perf_counter()
    for name, text, dialect in pages(folders):
        totals["pages"] += 1
        try:
            page = cut_page(text, dialect, embedder.count_tokens, embedder.identity.window)
            again = cut_page(text, dialect, embedder.count_tokens, embedder.identity.window)
            assert [c.chunk_id for c in page.chunks] == [c.chunk_id for c in again.chunks]
            check_page(page)
        except AssertionError as error:
            failures.append(f"{name}: {error}")
            continue
        totals["characters"] += len(text)
        totals["chunks"] += len(page.chunks)
        totals["passages"] += len(page.passages)
        totals["chunks under 500 tokens"] += sum(chunk.token_count < 500 for chunk in page.chunks)
    for what, number in totals.items():
        print(f"{number:>10}  {what}")
    print(f"{time.perf_counter() - started:>10.1f}  seconds")
    print(f"{len(failures):>10}  pages on which a property fails")
    print("\n".join(failures))
    return 1 if failures else 0


def pages(folders: list[str]):
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.suffix in (".md", ".mdx") and path.is_file():
                text = path.read_bytes().decode("utf-8-sig", errors="replace")
                yield str(path), text, Dialect.MDX
                yield str(path), text, Dialect.COMMONMARK
            elif path.name == "spec.txt":
                for number, example in enumerate(_EXAMPLE.findall(path.read_text(encoding="utf-8")), 1):
                    text = example.replace("→", "\t")
                    yield f"{path} example {number}", text, Dialect.COMMONMARK


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
