"""Answers with a claim that failed its check, each claim with the nearest passage of the book."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from glossator.answer.book import ServedBook
from glossator.answer.cite import Citations
from glossator.answer.evidence import retrieve_from_book
from glossator.answer.pipeline import AnswerPipeline
from glossator.answer.route import Standalone
from glossator.answer.verify import Verifier
from glossator.answer.verify.plain import plain_text, without_citations
from glossator.answer.wording import IN_PART, NOT_FOUND
from glossator.insights.similarity import RecentCache
from glossator.model import Citation, KeptExchange, Question
from glossator.model.insights import FlaggedAnswer, FlaggedClaim
from glossator.ports import InsightStore

_LEAST_COSINE = 0.3
"""A passage with a lower cosine does not count as near."""
_CACHE_SIZE = 1_000


@dataclass(slots=True)
class FlaggedAnswers:
    insight_store: InsightStore
    book: ServedBook
    _cache: RecentCache[Citation | None] = field(
        default_factory=lambda: RecentCache[Citation | None](_CACHE_SIZE), init=False
    )

    async def latest(self, limit: int) -> Sequence[FlaggedAnswer]:
        return [await self._flagged(exchange) for exchange in await self.insight_store.flagged(limit)]

    async def _flagged(self, exchange: KeptExchange) -> FlaggedAnswer:
        texts = [
            text.replace(IN_PART, "").removesuffix(NOT_FOUND).strip()
            for text in exchange.answer.grounding.unsupported_claims
        ]
        return FlaggedAnswer(exchange, [FlaggedClaim(text, await self._nearest(text)) for text in texts])

    async def _nearest(self, claim: str) -> Citation | None:
        """Searched once per generation."""
        key = f"{(await self.book.manifest()).generation} {claim}"
        if key not in self._cache:
            self._cache[key] = await self.book.in_time(lambda: _nearest_passage(claim, self.book.assistant))
        return self._cache[key]


def _nearest_passage(claim: str, assistant: AnswerPipeline) -> Citation | None:
    text = plain_text(without_citations(claim)[0]).text
    retrieval = retrieve_from_book(
        Standalone.of(text),
        Question(text),
        assistant.embedder,
        assistant.reader,
        assistant.index,
        assistant.policy,
    )
    near_ids = {hit.chunk.chunk_id for hit in retrieval.hits if (hit.scores.dense or 0.0) >= _LEAST_COSINE}
    near = [evidence for evidence in retrieval.evidence if evidence.chunk.chunk_id in near_ids]
    verifier = Verifier(assistant.reader, retrieval.lexicon.language)
    place = verifier.nearest_place(text, verifier.read(near))
    if place is None:
        return None
    citations = Citations()
    citations.number(place)
    return citations.all()[0]
