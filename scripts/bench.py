"""The figures of docs/benchmarks.md: `make bench`. Ratios are taken in one run; prints JSON.

The book is made from the sample book: a hundred pages, every paragraph told apart by a word of its own, so that
nothing is embedded once for two places.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from sets import write_chunks

from glossator.adapters.index.cache import SqliteCache
from glossator.ingest.cache import load_pages
from glossator.settings import Settings
from glossator.wiring import embedder_of, index_store_of

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "examples" / "physical-ai-book" / "docs"
GLOSSATOR = Path(sys.executable).with_name("glossator")
PAGES = 100
ROUNDS = 3


class Taken(NamedTuple):
    """Seconds."""

    command: float
    itself: float


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument(
        "--data", type=Path, help="the folder with chunks-5000.jsonl.gz, for the memory figure"
    )
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        figures = {"ingest": ingest_figures(Path(scratch))}
    print(json.dumps(figures, indent=2), flush=True)
    chunks = options.data / "chunks-5000.jsonl.gz" if options.data else None
    if chunks and chunks.exists():
        with tempfile.TemporaryDirectory() as scratch:
            print(json.dumps({"memory": memory_figures(Path(scratch), chunks)}, indent=2), flush=True)
    for part in ("bench_index.py", "bench_answers.py"):
        subprocess.run([sys.executable, ROOT / "scripts" / part], check=True)


def ingest_figures(scratch: Path) -> dict[str, object]:
    """Of the ingest itself, as it reports its time, and of the whole command with the start of its process."""
    rounds = [one_round(scratch / str(number)) for number in range(ROUNDS)]
    each: dict[str, object] = {name: [figures[name] for figures in rounds] for name in rounds[0]}
    return each | {
        f"median {name}": round(statistics.median(figures[name] for figures in rounds), 3)
        for name in rounds[0]
        if "of the" in name
    }


def one_round(scratch: Path) -> dict[str, float]:
    book, home = scratch / "book", scratch / "home"
    make_book(book)
    first = run_ingest(book, home)
    readings = readings_of(home)
    embedder = embedder_of(Settings())
    embedder.embed_passages(readings[:64])
    bare = seconds(lambda: embedder.embed_passages(readings))
    again = run_ingest(book, home)
    page = book / "page007.md"
    page.write_text(
        page.read_text(encoding="utf-8") + "\n\n## An afterthought\n\nNobody had written this before.\n"
    )
    edited = run_ingest(book, home)
    return {
        "passages embedded": len(readings),
        "seconds of the first ingest": round(first.itself, 2),
        "throughput, of the bare embedder's": round(bare / first.itself, 3),
        "second run, of the first": round(again.itself / first.itself, 4),
        "second run, of the whole command": round(again.command / first.command, 4),
        "after editing one page of 100, of the first": round(edited.itself / first.itself, 4),
        "after editing one page of 100, of the whole command": round(edited.command / first.command, 4),
    }


def make_book(folder: Path) -> None:
    folder.mkdir(parents=True)
    pages = sorted([*SAMPLE.rglob("*.md"), *SAMPLE.rglob("*.mdx")])
    for number in range(PAGES):
        text = pages[number % len(pages)].read_text(encoding="utf-8")
        own = "\n\n".join(
            f"{part} {word_of(number)}" if part[:1].isalpha() else part for part in text.split("\n\n")
        )
        (folder / f"page{number:03}.md").write_text(own, encoding="utf-8")


def word_of(number: int) -> str:
    return f"Edition {number}."


def run_ingest(book: Path, home: Path) -> Taken:
    environment = {**os.environ, "GLOSSATOR_HOME": str(home)}
    command = [GLOSSATOR, "ingest", book, "--site", "docusaurus", "--json"]
    started = time.perf_counter()
    done = subprocess.run(command, env=environment, check=True, capture_output=True)
    return Taken(command=time.perf_counter() - started, itself=json.loads(done.stdout)["seconds"])


def readings_of(home: Path) -> list[str]:
    manifest = index_store_of(Settings(home=home)).current()
    assert manifest
    pages = load_pages(SqliteCache(home / "cache.sqlite"), [record.split_key for record in manifest.pages])
    return list(dict.fromkeys(window.reading for page in pages.values() for window in page.windows))


def memory_figures(scratch: Path, chunks: Path) -> dict[str, float]:
    """The peak of a whole ingest of 5000 chunks of real documentation."""
    book = scratch / "book"
    write_chunks(chunks, book)
    taken = run_ingest(book, scratch / "home").command
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    return {"ingest of the 5000 chunks, seconds": round(taken, 1), "peak memory, GB (<= 1)": round(peak, 3)}


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
