"""Small books with known vectors, and the two places a book can be kept in."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from glossator.model import (
    Chunk,
    EmbedderIdentity,
    Embedding,
    IndexQuery,
    Lexicon,
    Manifest,
    PageRecord,
    Passage,
    PassageEmbedding,
    Section,
    Span,
    Unit,
    UnitKind,
    Vector,
)
from glossator.ports import Generation, Index, IndexStore

DIMENSION = 16
TOY = EmbedderIdentity(name="toy", dimension=DIMENSION, window=256, fingerprint="toy-1")
OTHER = EmbedderIdentity(name="other", dimension=DIMENSION, window=256, fingerprint="other-1")

Entry = tuple[Passage, Vector | Embedding]


@dataclass(frozen=True)
class IndexUnderTest:
    """One of the two places a book can be kept in; every index opened here is closed at the end."""

    index_store: Callable[[], IndexStore]
    index: Callable[..., Index]


def meaning(axis: int, *, aside: float = 0.0) -> Vector:
    """A vector that points along one axis, and a little along the next."""
    vector = np.zeros(DIMENSION, dtype=np.float32)
    vector[axis % DIMENSION] = 1.0
    vector[(axis + 1) % DIMENSION] += aside
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def passage(page: str, text: str, *, index: int = 0, number: int = 0, chapter: str = "Basics") -> Passage:
    title = page.removesuffix(".md").title()
    chunk = Chunk(
        page=page,
        page_title=title,
        page_url=f"/docs/{page.removesuffix('.md')}",
        chapter=chapter,
        index=index,
        sections=(Section(f"Part {index}", f"part-{index}", ("Start", f"Part {index}"), 0),),
        text=text,
        start=0,
        end=len(text),
        token_count=len(text.split()),
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
    )
    return Passage(chunk=chunk, number=number, start=0, end=len(text), reading=f"{title}\n{text}")


def three_chapters() -> list[tuple[Passage, Vector]]:
    return [
        (passage("nodes.md", "A node is a process that computes.", chapter="Graph"), meaning(0)),
        (passage("topics.md", "Topics carry messages between publishers.", chapter="Graph"), meaning(1)),
        (passage("urdf.md", "URDF describes links and joints.", chapter="Models"), meaning(2)),
        (passage("control.md", "Load ros2_control and call rclpy.spin.", chapter="Motion"), meaning(3)),
    ]


def with_states_and_units(changed: int = 0) -> list[tuple[Passage, Embedding]]:
    """The three chapters; with a number, the one about joints in another edition."""
    entries = three_chapters()
    if changed:
        entries[2] = (passage("urdf.md", f"Edition {changed} of joints.", chapter="Models"), meaning(2))
    return [(_with_units(passage), _with_states(passage, vector)) for passage, vector in entries]


def _with_units(passage: Passage) -> Passage:
    words = [Span(*match.span()) for match in re.finditer(r"\S+", passage.chunk.text)]
    first = passage.reading.index(passage.chunk.text)
    units = (
        Unit(
            kind,
            word.start,
            word.end,
            1,
            Span(passage.start, passage.end),
            Span(first + word.start, first + word.end),
        )
        for kind, word in zip(itertools.cycle(UnitKind), words, strict=False)
    )
    return replace(passage, units=tuple(units))


def _with_states(passage: Passage, vector: Vector) -> Embedding:
    seed = int.from_bytes(hashlib.sha256(passage.reading.encode()).digest()[:8])
    rows = np.random.default_rng(seed).normal(size=(len(passage.reading.split()), 8)).astype(np.float32)
    return Embedding(vector, rows / np.linalg.norm(rows, axis=1, keepdims=True))


def numbered_book(size: int, word: str) -> list[tuple[Passage, Vector]]:
    return [(passage(f"page-{n}.md", f"{word} number {n}."), meaning(n, aside=n / size)) for n in range(size)]


def publish(index_store: IndexStore, entries: Sequence[Entry], identity: EmbedderIdentity = TOY) -> Manifest:
    with index_store.build(identity, "english") as generation:
        fill(generation, entries)
        manifest = manifest_of(generation.number, entries, identity)
        generation.publish(manifest)
    return manifest


def fill(generation: Generation, entries: Sequence[Entry]) -> None:
    """The entries are the whole book: what was in it before is removed."""
    before = {record.path for record in generation.base.pages} if generation.base else set[str]()
    put(generation, entries)
    if gone := before - {passage.chunk.page for passage, _ in entries}:
        generation.put([*gone], [], [])


def put(generation: Generation, entries: Sequence[Entry]) -> None:
    passages = [passage for passage, _ in entries]
    made = [made if isinstance(made, Embedding) else Embedding(made) for _, made in entries]
    embeddings = [*map(PassageEmbedding.of, made)]
    generation.put([*{passage.chunk.page for passage in passages}], passages, embeddings)


def manifest_of(number: int, entries: Sequence[Entry], identity: EmbedderIdentity = TOY) -> Manifest:
    chunks = {passage.chunk.chunk_id: passage.chunk for passage, _ in entries}
    pages = {chunk.page: chunk for chunk in chunks.values()}
    return Manifest(
        generation=number,
        book="A small book",
        site="plain",
        embedder=identity,
        splitter="by hand",
        lexicon=Lexicon("english", len(entries), {"node": 1, "روبوٹ": len(entries)}),
        pages=tuple(
            PageRecord(c.page, c.page_title, c.page_url, c.chapter, c.content_hash, 1, "by hand")
            for c in pages.values()
        ),
        chunks=len(chunks),
        passages=len(entries),
        content_hash=hashlib.sha256("".join(sorted(chunks)).encode()).hexdigest(),
        created_at="2026-01-01T00:00:00Z",
    )


def asking(text: str, axis: int = 15, **limits: object) -> IndexQuery:
    return IndexQuery(text=text, vector=meaning(axis), **limits)  # type: ignore[arg-type]


def pages(index: Index, query: IndexQuery) -> list[str]:
    return [found.passage.chunk.page for found in index.search(query)]
