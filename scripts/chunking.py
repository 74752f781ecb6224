"""Span recall on a published chunk benchmark (472 questions with character spans in five corpora).

`make chunking DATA=…`: the corpora are ingested as one book, every question is searched, and what is
measured is how much of its reference spans the first five chunks cover.
"""

from __future__ import annotations

import csv
import json
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from glossator.adapters.terminal import progress_for
from glossator.answer.retrieve import retrieve
from glossator.ingest.pipeline import ingest
from glossator.ingest.sites import SiteKind, site_of
from glossator.model import Hit
from glossator.settings import Settings
from glossator.wiring import embedder_of, index_of, ingest_tools_of, reader_of

Span = tuple[str, int, int]


def main(data: Path) -> None:
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(home=Path(home))
        corpora = data / "corpora"
        site = site_of(corpora, kind=SiteKind.PLAIN, base_url=None, route_base=None)
        report = ingest(corpora, site, ingest_tools_of(settings, progress_for(sys.stderr), say=print))
        embedder, reader = embedder_of(settings), reader_of(settings)
        index = index_of(settings, expects=embedder.identity)
        rows = list(csv.DictReader((data / "questions_df.csv").open(encoding="utf-8")))
        found = [(_references(row), retrieve(row["question"], embedder, reader, index).hits) for row in rows]
    recalls = [_covered(spans, hits) / sum(end - start for _, start, end in spans) for spans, hits in found]
    lengths = [len(hit.chunk.text) for _, hits in found for hit in hits]
    print(
        json.dumps(
            {
                "questions": len(rows),
                "chunks": report.chunks,
                "recall@5": round(sum(recalls) / len(recalls), 4),
                "mean chunk length": round(sum(lengths) / len(lengths)),
            }
        )
    )


def _references(row: dict[str, str]) -> list[Span]:
    page = f"{row['corpus_id']}.md"
    return [(page, span["start_index"], span["end_index"]) for span in json.loads(row["references"])]


def _covered(spans: Sequence[Span], hits: Iterable[Hit]) -> int:
    """Characters of the spans that stand in a found chunk, each counted once."""
    places = [(hit.chunk.page, hit.chunk.start, hit.chunk.end) for hit in hits]
    return sum(
        any(page == where and start <= position < end for where, start, end in places)
        for page, first, last in spans
        for position in range(first, last)
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
