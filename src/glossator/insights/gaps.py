"""The content-gap report: what readers asked and the book did not answer, by meaning."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from glossator.answer.book import ServedBook
from glossator.answer.outline import suggest
from glossator.answer.route.lean import FUNCTION_WORDS, LEANING_WORDS
from glossator.answer.weigh import asked_for
from glossator.insights.similarity import Matrix, QuestionEmbeddings, cluster, question_similarity
from glossator.model import Lexicon, Outcome, Question, Suggestion
from glossator.model.insights import Gap, GapReport, Unanswered
from glossator.ports import InsightStore
from glossator.text.words import stemmed, words

LEAST_SESSIONS = 3
MOST_WORDINGS = 2_000
_MOST_QUESTIONS = 10_000
ALIKE = 0.32
"""Two groups whose questions are so much alike, on average, ask the same; measured in docs/quality.md."""


@dataclass(frozen=True, slots=True)
class _Wording:
    text: str
    asked: Sequence[Unanswered]
    """The latest first; never empty."""


@dataclass(frozen=True, slots=True)
class _Group:
    example: str
    wordings: Sequence[_Wording]
    """The most frequent first."""

    @property
    def asked(self) -> list[Unanswered]:
        return [one for wording in self.wordings for one in wording.asked]

    @property
    def sessions(self) -> int:
        return len({one.session for one in self.asked})

    @property
    def last_asked(self) -> datetime:
        return max(one.asked_at for one in self.asked)


@dataclass(slots=True)
class Gaps:
    insight_store: InsightStore
    book: ServedBook
    _meanings: QuestionEmbeddings = field(init=False)
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    def __post_init__(self) -> None:
        self._meanings = QuestionEmbeddings(self.book)

    async def report(self, since: datetime, least_sessions: int = LEAST_SESSIONS) -> GapReport:
        asked = await self.insight_store.unanswered(since, _MOST_QUESTIONS)
        every = _wordings(asked)
        compared = every[:MOST_WORDINGS]
        # Operators who look at once would embed the same questions at once.
        async with self._one_at_a_time:
            groups = await self._grouped(compared) if compared else []
        shown = [group for group in groups if group.sessions >= least_sessions]
        looked_at = sum(len(wording.asked) for wording in compared)
        return GapReport(
            since=since,
            least_sessions=least_sessions,
            gaps=[await self._gap(group) for group in sorted(shown, key=_rank)],
            questions=looked_at,
            held_back=looked_at - sum(len(group.asked) for group in shown),
            is_cut=len(asked) == _MOST_QUESTIONS or len(every) > MOST_WORDINGS,
        )

    async def _grouped(self, wordings: Sequence[_Wording]) -> list[_Group]:
        texts = [wording.text for wording in wordings]
        vectors = await self._meanings.of(texts)
        usual = await self._meanings.usual_cosine()
        lexicon = (await self.book.manifest()).lexicon

        def group() -> list[_Group]:
            alike = question_similarity(texts, vectors, usual, lexicon)
            return [_group(wordings, vectors, rows) for rows in cluster(alike, ALIKE)]

        return await asyncio.to_thread(group)

    async def _gap(self, group: _Group) -> Gap:
        outcomes = Counter(one.outcome for one in group.asked)
        said = [wording.text for wording in group.wordings for _ in wording.asked]
        return Gap(
            example=group.example,
            questions=[wording.text for wording in group.wordings],
            count=len(group.asked),
            sessions=group.sessions,
            outcomes={outcome: outcomes[outcome] for outcome in Outcome if outcomes[outcome]},
            nearest=await self._nearest(group),
            missing=missing_words(said, (await self.book.manifest()).lexicon),
            last_asked=group.last_asked,
        )

    async def _nearest(self, group: _Group) -> Suggestion | None:
        """What most readers were shown, where the book still has it; otherwise what is found today."""
        there = {place.url for place in await self.book.places()}
        shown = Counter(one.nearest for one in group.asked if one.nearest and one.nearest.url in there)
        if shown:
            return shown.most_common(1)[0][0]
        found = await self.book.search(Question(group.example))
        return next(iter(suggest(found.hits)), None)


def _wordings(asked: Sequence[Unanswered]) -> list[_Wording]:
    """Those that were asked last first."""
    by_text = dict[str, list[Unanswered]]()
    for one in asked:
        by_text.setdefault(" ".join(one.question.split()), []).append(one)
    return [_Wording(text, some) for text, some in by_text.items()]


def _group(wordings: Sequence[_Wording], vectors: Matrix, rows: Sequence[int]) -> _Group:
    rows = sorted(rows, key=lambda row: -len(wordings[row].asked))
    middle = sum(len(wordings[row].asked) * vectors[row] for row in rows)
    # Rounded, so that of two that are equally near the more frequent one is taken.
    example = max(rows, key=lambda row: round(float(vectors[row] @ middle), 4))
    return _Group(wordings[example].text, [wordings[row] for row in rows])


def _rank(group: _Group) -> tuple[int, int, float, str]:
    return (-group.sessions, -len(group.asked), -group.last_asked.timestamp(), group.example)


# The words of questions that the book does not have.

_MOST = 10
_SAYS_NOTHING = FUNCTION_WORDS | LEANING_WORDS


def missing_words(questions: Iterable[str], lexicon: Lexicon) -> list[str]:
    """The most frequent first, each in the spelling that most questions have."""
    spellings = dict[str, Counter[str]]()
    for question in questions:
        for stem, word in dict(_missing(question, lexicon)).items():
            spellings.setdefault(stem, Counter())[word] += 1
    frequent = sorted(spellings.items(), key=lambda pair: (-pair[1].total(), pair[0]))
    return [_usual(some) for _, some in frequent[:_MOST]]


def _missing(question: str, lexicon: Lexicon) -> Iterator[tuple[str, str]]:
    # With one kind of apostrophe, the only one that stemmers know: `robot's` is a form of `robot`.
    question = question.replace("’", "'")
    asked = set(asked_for(question, lexicon.language))
    said = words(question)
    for word, stem in zip(said, stemmed([word.lower() for word in said], lexicon.language), strict=True):
        if stem in asked and stem not in lexicon.counts and _says_something(word):
            yield stem, word.removesuffix("'s")


def _says_something(word: str) -> bool:
    small = word.lower()
    before, _, _ = small.partition("'")
    is_word = len(word) > 1 and not word.isdigit()
    return is_word and small not in _SAYS_NOTHING and before not in _SAYS_NOTHING


def _usual(spellings: Counter[str]) -> str:
    return min(spellings, key=lambda word: (-spellings[word], word))
