"""A passage as both engines store it beside its vectors, and the parameters that they share."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from pydantic import BaseModel, TypeAdapter, ValidationError

from glossator.adapters.index.faults import REBUILD
from glossator.errors import IndexFault
from glossator.ingest.codec import pack_units, unpack_units
from glossator.model import Chunk, Origin, PageRecord, Passage, Section

KEYWORD_FIELDS = ("page", "page_title", "chapter", "section", "url", "content_hash", "chunk_id")
"""The fields that a search may filter by; each has an index."""

PASSAGE_NUMBER = "passage"
INTEGER_FIELDS = (PASSAGE_NUMBER, "chunk_index")
MARK = "mark"
READING = "reading"
STATES = "states"

DENSE = "dense"
SPARSE = "sparse"

HNSW_M = 16
HNSW_EF_CONSTRUCT = 100
HNSW_EF_SEARCH = 64
"""How many neighbours a search of the graph looks at; see scripts/bench_index.py."""

Payload = Mapping[str, object]

_PAGES_AT_ONCE = 64

_SECTIONS = TypeAdapter(tuple[Section, ...])
_UNITS = TypeAdapter(list[int])
_ORIGINS = TypeAdapter(tuple[Origin, ...])


class StoredPassage(BaseModel, frozen=True, strict=True):
    """`text`, `start` and `end` are the chunk's; `section` and `url` are the passage's own."""

    chunk_id: str
    text: str
    page: str
    page_title: str
    page_url: str
    chapter: str
    section: str
    url: str
    chunk_index: int
    content_hash: str
    token_count: int
    start: int
    end: int
    created_at: str
    sections: str
    """As JSON, because the engine takes twice as long over a nested payload."""
    origins: str | None = None
    """As JSON; None for a page whose text is its file."""
    passage: int
    passage_start: int
    passage_end: int
    reading: str
    units: str
    """Packed by `pack_units`, as JSON."""
    states: str | None = None
    """The token states or their address; the format is the engine's own."""
    mark: str
    """A hash of all the rest: a passage with the same mark need not be written again."""


def payload_of(passage: Passage, created_at: str, states: str | None = None) -> dict[str, object]:
    chunk = passage.chunk
    stored = StoredPassage(
        chunk_id=chunk.chunk_id,
        text=chunk.text,
        page=chunk.page,
        page_title=chunk.page_title,
        page_url=chunk.page_url,
        chapter=chunk.chapter,
        section=passage.section.title,
        url=passage.url,
        chunk_index=chunk.index,
        content_hash=chunk.content_hash,
        token_count=chunk.token_count,
        start=chunk.start,
        end=chunk.end,
        created_at=created_at,
        sections=_SECTIONS.dump_json(chunk.sections).decode(),
        origins=_ORIGINS.dump_json(chunk.origins).decode() if chunk.origins else None,
        passage=passage.number,
        passage_start=passage.start,
        passage_end=passage.end,
        reading=passage.reading,
        units=json.dumps(pack_units(passage.units), separators=(",", ":")),
        states=states,
        mark=mark_of(passage),
    )
    return stored.model_dump(exclude_none=True)


def mark_of(passage: Passage) -> str:
    """Covers the chunk's text by its hash; vector and token states are computed from the reading."""
    chunk = passage.chunk
    location = (chunk.page, chunk.page_title, chunk.page_url, chunk.chapter, chunk.index, chunk.sections)
    content = (chunk.content_hash, chunk.start, chunk.end, chunk.token_count, chunk.origins)
    window = (passage.number, passage.start, passage.end, passage.reading, pack_units(passage.units))
    return hashlib.blake2b(repr((location, content, window)).encode(), digest_size=16).hexdigest()


def passage_of(payload: Payload | None) -> Passage:
    try:
        return _passage(StoredPassage.model_validate(payload))
    except (ValidationError, ValueError, IndexError) as error:
        raise unreadable_passage() from error


def chunks_of(
    pages: Sequence[PageRecord], first_passages: Callable[[Sequence[str]], Iterable[Payload | None]]
) -> Iterator[Chunk]:
    """All chunks of the pages, in the order of `Index.chunks`; no more than a few pages are in memory."""
    paths = sorted(page.path for page in pages)
    for start in range(0, len(paths), _PAGES_AT_ONCE):
        payloads = first_passages(paths[start : start + _PAGES_AT_ONCE])
        chunks = (passage_of(payload).chunk for payload in payloads)
        yield from sorted(chunks, key=lambda chunk: (chunk.page, chunk.index))


def unreadable_passage() -> IndexFault:
    return IndexFault(f"The index holds a passage that this version cannot read: {REBUILD}.")


def _passage(stored: StoredPassage) -> Passage:
    return Passage(
        chunk=_chunk(stored),
        number=stored.passage,
        start=stored.passage_start,
        end=stored.passage_end,
        reading=stored.reading,
        units=unpack_units(_UNITS.validate_json(stored.units)),
    )


def _chunk(stored: StoredPassage) -> Chunk:
    return Chunk(
        page=stored.page,
        page_title=stored.page_title,
        page_url=stored.page_url,
        chapter=stored.chapter,
        index=stored.chunk_index,
        sections=_sections(stored.sections),
        text=stored.text,
        start=stored.start,
        end=stored.end,
        token_count=stored.token_count,
        content_hash=stored.content_hash,
        origins=_ORIGINS.validate_json(stored.origins) if stored.origins else (),
    )


@lru_cache(maxsize=1024)
def _sections(serialized: str) -> tuple[Section, ...]:
    """Cached because the passages of a chunk, and of a search, share a few sections."""
    return _SECTIONS.validate_json(serialized)
