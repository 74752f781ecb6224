"""The author's desk over real records and the small book, for stories of many readers."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from glossator.adapters.writers.extractive import ExtractiveWriter
from glossator.answer.book import ServedBook
from glossator.answer.compose import compose
from glossator.answer.pipeline import AnswerPipeline
from glossator.insights.insights import Insights
from glossator.model import Answer, EmbedderIdentity, Embedding, KeptExchange, Owner
from glossator.model.insights import GapReport
from glossator.model.search import Fit
from glossator.ports import Embedder, Progress, Reader
from glossator.settings import Settings
from glossator.wiring import index_of
from support.records_story import ALICE, NOON, Records, opened, refusal


class CountingEmbedder:
    """The real one, and what it was asked for; no text twice in one run of the tests."""

    _embedded: ClassVar[dict[str, Embedding]] = {}

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.passages = list[str]()
        self.queries = list[str]()

    @property
    def identity(self) -> EmbedderIdentity:
        return self._embedder.identity

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._embedder.count_tokens(texts)

    def embed_passages(self, texts: Sequence[str], *, states: bool = False) -> list[Embedding]:
        self.passages += texts
        if states:
            return self._embedder.embed_passages(texts, states=True)
        new = [text for text in texts if text not in self._embedded]
        self._embedded.update(zip(new, self._embedder.embed_passages(new), strict=True))
        return [self._embedded[text] for text in texts]

    def embed_query(self, text: str, *, states: bool = False) -> Embedding:
        self.queries.append(text)
        return self._embedder.embed_query(text, states=states)


_READERS = itertools.count(1)


@dataclass(frozen=True)
class InsightsSetup:
    records: Records
    insights: Insights
    embedder: CountingEmbedder

    async def asked(
        self, *questions: str, session: str | None = None, owner: Owner = ALICE, reply: Answer | None = None
    ) -> list[KeptExchange]:
        """Each by a reader of their own, unless a session is named; refused unless there is a reply."""
        return [
            await self.records.ask(
                session or f"reader {next(_READERS)}", owner, reply=reply or refusal(), question=question
            )
            for question in questions
        ]

    async def gaps(self, least_sessions: int = 3) -> GapReport:
        return await self.insights.gaps(NOON, least_sessions)


@asynccontextmanager
async def opened_desk(
    home: Path, embedder: Embedder, reader: Reader, url: str
) -> AsyncIterator[InsightsSetup]:
    counting = CountingEmbedder(embedder)
    with opened_book(home, counting, reader) as book:
        async with opened(url) as records:
            yield InsightsSetup(records, Insights(records.insight_store, book, _nothing_measured), counting)


@contextmanager
def opened_book(home: Path, embedder: Embedder, reader: Reader) -> Iterator[ServedBook]:
    with closing(index_of(Settings(home=home), expects=embedder.identity)) as index:
        yield ServedBook(AnswerPipeline(embedder, reader, index, ExtractiveWriter(compose)))


def _nothing_measured(progress: Progress) -> Fit:
    raise AssertionError("no story here asks for it")
