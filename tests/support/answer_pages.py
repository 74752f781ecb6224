"""Pages that are really cut, as passages, as windows and as evidence, without a model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import groupby

from glossator.answer.retrieve import ReaderQuery
from glossator.answer.windows import windows
from glossator.ingest.measure import measure
from glossator.ingest.parse import Dialect, parse
from glossator.ingest.split import PageSource, split
from glossator.ingest.window import LONGEST_HEADING
from glossator.ingest.window import windows as passages_of_chunks
from glossator.model import Evidence, FoundPassage, Lexicon, Passage, Scores, Window
from glossator.testing import WordEmbedder

_WINDOW = 254
LEXICON = Lexicon("english", 10, {"a": 10, "the": 10, "is": 10, "what": 10})


@cache
def passages_of(source: str, path: str = "0.md", title: str = "A page") -> tuple[Passage, ...]:
    count_tokens = WordEmbedder().count_tokens
    document = parse(source, Dialect.MDX)
    blocks = measure(document.blocks, source, _WINDOW - LONGEST_HEADING, count_tokens)
    anchors = {heading.span.start: f"h{number}" for number, heading in enumerate(document.headings)}
    chunks = split(PageSource(path, title, "/page", "A chapter", source, blocks, anchors))
    return tuple(passages_of_chunks(chunks, blocks, count_tokens, _WINDOW))


def passages_of_pages(*pages: str) -> list[Passage]:
    return [passage for number, page in enumerate(pages) for passage in passages_of(page, f"{number}.md")]


def window(text: str, title: str = "A page") -> Window:
    """The first of a page."""
    return windows(passages_of(text, title=title)[0])[0]


def evidence(*pages: str) -> list[Evidence]:
    """One for each chunk of the pages, in their order."""
    chunks = groupby(passages_of_pages(*pages), key=lambda passage: passage.chunk)
    return [
        Evidence(number, chunk, chunk.sections[0], (), 1.0, tuple(passages))
        for number, (chunk, passages) in enumerate(chunks, start=1)
    ]


def query(text: str, *, states: bool = True) -> ReaderQuery:
    return ReaderQuery((text,), WordEmbedder().embed_query(text, states=states), LEXICON)


def found(text: str, passages: Sequence[Passage], *, states: bool = True) -> list[FoundPassage]:
    """As an index brings them, in the order given."""
    embedder = WordEmbedder()
    asked = embedder.embed_query(text).vector
    embeddings = embedder.embed_passages([passage.reading for passage in passages], states=states)
    return [
        FoundPassage(passage, _scores(float(asked @ embedding.vector)), embedding.states)
        for passage, embedding in zip(passages, embeddings, strict=True)
    ]


def _scores(cosine: float) -> Scores:
    return Scores(dense=cosine, sparse=None, fused=cosine)
