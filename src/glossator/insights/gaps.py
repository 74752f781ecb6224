"""The content-gap report: questions that the book did not answer, grouped by meaning."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime

from glossator.answer.book import ServedBook
from glossator.answer.outline import suggest
from glossator.insights.similarity import Matrix, QuestionEmbeddings, cluster, question_similarity
from glossator.model import Level, Lexicon, Outcome, Question, Suggestion
from glossator.model.insights import Gap, GapReport, GapState, Unanswered
from glossator.ports import InsightStore
from glossator.text.english import ASPECT_WORDS, EMPTY_WORDS
from glossator.text.words import content_stems, stem_words, words

LEAST_SESSIONS = 3
MOST_WORDINGS = 2_000
_MOST_QUESTIONS = 10_000
LEAST_SIMILARITY = 0.32
"""Mean similarity from which two groups of questions are merged; measured in docs/quality.md."""


@dataclass(frozen=True, slots=True)
class _Wording:
    text: str
    questions: Sequence[Unanswered]
    """Newest first; never empty."""


@dataclass(frozen=True, slots=True)
class _Group:
    example: str
    wordings: Sequence[_Wording]
    """Most frequent first."""

    @property
    def questions(self) -> list[Unanswered]:
        return [question for wording in self.wordings for question in wording.questions]

    @property
    def sessions(self) -> int:
        return len({question.session for question in self.questions})

    @property
    def last_asked(self) -> datetime:
        return max(question.asked_at for question in self.questions)


@dataclass(slots=True)
class Gaps:
    insight_store: InsightStore
    book: ServedBook
    _embeddings: QuestionEmbeddings = field(init=False)
    _tried: tuple[int, dict[str, GapState]] = field(default=(-1, {}), init=False)
    """The generation of the book, and what became of the gaps with it."""
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    def __post_init__(self) -> None:
        self._embeddings = QuestionEmbeddings(self.book)

    async def report(self, since: datetime, least_sessions: int = LEAST_SESSIONS) -> GapReport:
        questions = await self.insight_store.unanswered(since, _MOST_QUESTIONS)
        wordings = _wordings(questions)
        compared = wordings[:MOST_WORDINGS]
        # Two reports at the same time would embed the same questions twice.
        async with self._lock:
            groups = await self._group_by_meaning(compared) if compared else []
        shown = [group for group in groups if group.sessions >= least_sessions]
        current_urls = await self._current_urls(questions)
        count = sum(len(wording.questions) for wording in compared)
        return GapReport(
            since=since,
            least_sessions=least_sessions,
            gaps=[await self._gap(group, current_urls) for group in sorted(shown, key=_rank)],
            questions=count,
            held_back=count - sum(len(group.questions) for group in shown),
            is_cut=len(questions) == _MOST_QUESTIONS or len(wordings) > MOST_WORDINGS,
        )

    async def _group_by_meaning(self, wordings: Sequence[_Wording]) -> list[_Group]:
        texts = [wording.text for wording in wordings]
        vectors = await self._embeddings.of(texts)
        unrelated_cosine = await self._embeddings.unrelated_cosine()
        lexicon = (await self.book.manifest()).lexicon

        def group() -> list[_Group]:
            similarity = question_similarity(texts, vectors, unrelated_cosine, lexicon)
            return [_group(wordings, vectors, rows) for rows in cluster(similarity, LEAST_SIMILARITY)]

        return await asyncio.to_thread(group)

    async def _current_urls(self, questions: Iterable[Unanswered]) -> Set[str]:
        """The sections that readers were shown and that the book still has."""
        shown = {question.nearest.url for question in questions if question.nearest}
        return shown.intersection(place.url for place in await self.book.places()) if shown else shown

    async def _gap(self, group: _Group, current_urls: Set[str]) -> Gap:
        outcomes = Counter(question.outcome for question in group.questions)
        texts = [wording.text for wording in group.wordings for _ in wording.questions]
        return Gap(
            example=group.example,
            questions=[wording.text for wording in group.wordings],
            count=len(group.questions),
            sessions=group.sessions,
            outcomes={outcome: outcomes[outcome] for outcome in Outcome if outcomes[outcome]},
            nearest=await self._nearest(group, current_urls),
            missing=missing_words(texts, (await self.book.manifest()).lexicon),
            last_asked=group.last_asked,
            state=await self._state(group),
        )

    async def _state(self, group: _Group) -> GapState:
        """Asks the book as it is now, if it was ingested after the question was last asked."""
        manifest = await self.book.manifest()
        if group.last_asked >= datetime.fromisoformat(manifest.created_at):
            return GapState.OPEN
        if self._tried[0] != manifest.generation:
            self._tried = (manifest.generation, {})
        states = self._tried[1]
        if group.example not in states:
            confidence = (await self.book.search(Question(group.example))).confidence
            is_answered = confidence.level in (Level.HIGH, Level.MEDIUM)
            states[group.example] = GapState.CLOSED if is_answered else GapState.STILL_OPEN
        return states[group.example]

    async def _nearest(self, group: _Group, current_urls: Set[str]) -> Suggestion | None:
        """The section that most readers were shown, if the book still has it; else the best hit of today."""
        shown = Counter(
            question.nearest
            for question in group.questions
            if question.nearest and question.nearest.url in current_urls
        )
        if shown:
            return shown.most_common(1)[0][0]
        retrieval = await self.book.search(Question(group.example))
        return next(iter(suggest(retrieval.hits)), None)


def _wordings(questions: Sequence[Unanswered]) -> list[_Wording]:
    """Most recently asked first."""
    by_text = dict[str, list[Unanswered]]()
    for question in questions:
        by_text.setdefault(" ".join(question.question.split()), []).append(question)
    return [_Wording(text, same) for text, same in by_text.items()]


def _group(wordings: Sequence[_Wording], vectors: Matrix, rows: Sequence[int]) -> _Group:
    rows = sorted(rows, key=lambda row: -len(wordings[row].questions))
    center = sum(len(wordings[row].questions) * vectors[row] for row in rows)
    # Rounded, so that of two equally near wordings the more frequent one is taken.
    example = max(rows, key=lambda row: round(float(vectors[row] @ center), 4))
    return _Group(wordings[example].text, [wordings[row] for row in rows])


def _rank(group: _Group) -> tuple[int, int, float, str]:
    return (-group.sessions, -len(group.questions), -group.last_asked.timestamp(), group.example)


_MAX_MISSING_WORDS = 10
_STOP_WORDS = EMPTY_WORDS | ASPECT_WORDS


def missing_words(questions: Iterable[str], lexicon: Lexicon) -> list[str]:
    """Words of the questions that the book lacks, most frequent first, each in its most used spelling."""
    spellings = dict[str, Counter[str]]()
    for question in questions:
        for stem, word in dict(_missing(question, lexicon)).items():
            spellings.setdefault(stem, Counter())[word] += 1
    frequent = sorted(spellings.items(), key=lambda pair: (-pair[1].total(), pair[0]))
    return [_most_used(counts) for _, counts in frequent[:_MAX_MISSING_WORDS]]


def _missing(question: str, lexicon: Lexicon) -> Iterator[tuple[str, str]]:
    # Stemmers know only the plain apostrophe: `robot's` is a form of `robot`.
    question = question.replace("’", "'")
    content = set(content_stems(question, lexicon.language))
    spellings = words(question)
    stems = stem_words([word.lower() for word in spellings], lexicon.language)
    for word, stem in zip(spellings, stems, strict=True):
        if stem in content and stem not in lexicon.counts and _is_content_word(word):
            yield stem, word.removesuffix("'s")


def _is_content_word(word: str) -> bool:
    lower = word.lower()
    before, _, _ = lower.partition("'")
    is_word = len(word) > 1 and not word.isdigit()
    return is_word and lower not in _STOP_WORDS and before not in _STOP_WORDS


def _most_used(spellings: Counter[str]) -> str:
    return min(spellings, key=lambda word: (-spellings[word], word))
