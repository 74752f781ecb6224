"""Small values by hand."""

from __future__ import annotations

from glossator.model import Chunk, Evidence, Hit, Passage, Scores, Section


def chunk(text: str, index: int = 0, *, anchor: str = "here", start: int = 0) -> Chunk:
    return Chunk(
        page="a.md",
        page_title="A",
        page_url="/a",
        chapter="One",
        index=index,
        sections=(Section("Here", anchor, ("Here",), 0),),
        text=text,
        start=start,
        end=start + len(text),
        token_count=10,
        content_hash=f"{index}-{hash(text)}",
    )


def hit(index: int, similarity: float) -> Hit:
    one = chunk("Some words.", index)
    return Hit(one, Passage(one, 0, one.start, one.end, one.text), Scores(0.5, 1.0, 0.9), similarity)


def evidence(text: str, *, start: int = 0) -> Evidence:
    one = chunk(text, start=start)
    return Evidence(1, one, one.sections[0], (), 0.9)
