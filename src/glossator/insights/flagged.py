"""Answers of which a claim failed its check, each claim beside what the book says that comes nearest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from glossator.answer.book import ServedBook
from glossator.answer.cite import Citations
from glossator.answer.evidence import retrieve_from_book
from glossator.answer.pipeline import Assistant
from glossator.answer.route import Standalone
from glossator.answer.verify import Verifier
from glossator.answer.verify.plain import plain, without_citations
from glossator.answer.wording import IN_PART, NOT_FOUND
from glossator.insights.similarity import RecentCache
from glossator.model import Citation, KeptExchange, Question
from glossator.model.insights import FlaggedAnswer, FlaggedClaim
from glossator.ports import InsightStore

_LEAST_COSINE = 0.3
"""Below it the book has nothing near."""
_MOST_KEPT = 1_000


@dataclass(slots=True)
class FlaggedAnswers:
    insight_store: InsightStore
    book: ServedBook
    _known: RecentCache[Citation | None] = field(
        default_factory=lambda: RecentCache[Citation | None](_MOST_KEPT), init=False
    )

    async def latest(self, limit: int) -> Sequence[FlaggedAnswer]:
        return [await self._flagged(kept) for kept in await self.insight_store.flagged(limit)]

    async def _flagged(self, kept: KeptExchange) -> FlaggedAnswer:
        texts = [
            text.replace(IN_PART, "").removesuffix(NOT_FOUND).strip()
            for text in kept.answer.grounding.unsupported_claims
        ]
        return FlaggedAnswer(kept, [FlaggedClaim(text, await self._nearest(text)) for text in texts])

    async def _nearest(self, claim: str) -> Citation | None:
        """Looked for once a generation."""
        name = f"{(await self.book.manifest()).generation} {claim}"
        if name not in self._known:
            self._known[name] = await self.book.in_time(lambda: _nearest(claim, self.book.assistant))
        return self._known[name]


def _nearest(claim: str, assistant: Assistant) -> Citation | None:
    words = plain(without_citations(claim)[0]).text
    retrieval = retrieve_from_book(
        Standalone.of(words),
        Question(words),
        assistant.embedder,
        assistant.reader,
        assistant.index,
        assistant.policy,
    )
    like = {hit.chunk.chunk_id for hit in retrieval.hits if (hit.scores.dense or 0.0) >= _LEAST_COSINE}
    near = [one for one in retrieval.evidence if one.chunk.chunk_id in like]
    verifier = Verifier(assistant.reader, retrieval.lexicon.language)
    place = verifier.nearest_place(words, verifier.read(near))
    if place is None:
        return None
    citations = Citations()
    citations.number(place)
    return citations.all()[0]
