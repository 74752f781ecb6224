"""A reader's question, the evidence, the answer, and the events while it is written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from glossator.model.book import Chunk, Passage, Section, Span, Unit, is_selection
from glossator.model.search import Filters, Hit


@dataclass(frozen=True, slots=True)
class Selection:
    """Text that the reader selected on a page."""

    text: str
    only: bool = False
    """Whether the answer may use nothing but this text."""
    page_url: str | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier question of the session and its answer."""

    question: str
    answer: str


HISTORY_EXCHANGES = 5
"""The last exchanges that a writer sees and a follow-up may refer to; from so many on there is a summary."""
HISTORY_MESSAGES = 2 * HISTORY_EXCHANGES
HISTORY_TOKENS = 8000
"""How many tokens of those exchanges a writer sees: the last ones that fit."""


@dataclass(frozen=True, slots=True)
class Question:
    """A reader's question with all that it is asked with; every answer begins by validating it."""

    text: str
    selection: Selection | None = None
    filters: Filters = field(default_factory=Filters)
    through_chapter: int | None = None
    """Search only the first so many chapters, for a reader who has read no further."""
    top_k: int = 5
    threshold: float | None = None
    """The minimum similarity of a hit."""
    history: tuple[Exchange, ...] = ()
    """Oldest first; at most `HISTORY_EXCHANGES`, with at most `HISTORY_TOKENS`."""
    summary: str = ""
    """A summary of the exchanges before `history`."""


class Route(StrEnum):
    GREETING = "greeting"
    THANKS = "thanks"
    ABILITIES = "abilities"
    BARE_WORD = "bare_word"
    FOLLOW_UP = "follow_up"
    SELECTION = "selection"
    OUTLINE = "outline"
    BOOK = "book"


@dataclass(frozen=True, slots=True)
class ScoredUnit:
    """A sentence, row or piece of code of the evidence."""

    unit: Unit
    text: str
    """Its exact source."""
    relevance: float
    """The relevance to the question, 0 to 1."""
    fact: str = ""
    """The number, name or few words in it that are asked for, where the reader is sure of them."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A chunk that an answer may cite."""

    number: int
    """Counted from 1; a writer cites the evidence by it."""
    chunk: Chunk
    section: Section
    units: tuple[ScoredUnit, ...]
    """The retrieved units of the chunk, in reading order."""
    similarity: float
    passages: tuple[Passage, ...] = ()
    """The retrieved passages of the chunk, in reading order."""


Search = Callable[[str], Awaitable[Sequence[Evidence]]]


@dataclass(frozen=True, slots=True)
class Brief:
    """The input of a writer."""

    question: str
    evidence: Sequence[Evidence]
    history: tuple[Exchange, ...] = ()
    summary: str = ""
    search: Search | None = None
    """Finds more evidence in the book; None where only a selection may be used."""
    is_digest: bool = False
    """Whether the question asks for a summary of the first evidence, and not for a fact in it."""


class Verdict(StrEnum):
    SUPPORTED = "supported"
    PARTLY = "partly"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of checking one sentence of a writer against the evidence."""

    verdict: Verdict
    score: float
    """0 to 1."""
    evidence: Evidence | None = None
    span: Span | None = None
    """The characters of the page that support it, inside the chunk of `evidence`."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of the answer, or a piece of code, a table or a list that stands in it."""

    text: str
    """Markdown with its citation marks and the white space before it."""
    verdict: Verdict
    citations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Citation:
    n: int
    chunk_id: str
    page: str
    page_title: str
    chapter: str
    section: str
    url: str
    quote: str
    start: int
    end: int
    """`start` and `end` enclose the quote: offsets in the page's file, or in the selection."""
    similarity: float

    @property
    def section_url(self) -> str:
        """The address of page and anchor."""
        return without_text_fragment(self.url)

    @property
    def is_selection(self) -> bool:
        """Whether it cites the text that the reader sent."""
        return is_selection(self.page_title, self.chapter)


_TEXT_FRAGMENT = ":~:"
"""Begins what tells a browser the words to highlight, and names no page or section."""


def with_text_fragment(url: str, words: str) -> str:
    return f"{url}{'' if '#' in url else '#'}{_TEXT_FRAGMENT}text={words}"


def without_text_fragment(url: str) -> str:
    return url.partition(_TEXT_FRAGMENT)[0].removesuffix("#")


class Level(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    INSUFFICIENT = "insufficient"


@dataclass(frozen=True, slots=True)
class ConfidenceMetrics:
    average_similarity: float
    min_similarity: float
    max_similarity: float
    num_chunks: int
    chunk_diversity: float
    """1 less the mean cosine between two chunks."""
    confidence_level: Level
    should_answer: bool
    has_sufficient_context: bool


class Policy(StrEnum):
    CALIBRATED = "calibrated"
    STRICT = "strict"


@dataclass(frozen=True, slots=True)
class Confidence:
    """The judgement on the evidence."""

    score: float
    level: Level
    should_answer: bool
    policy: Policy
    metrics: ConfidenceMetrics


class Outcome(StrEnum):
    ANSWERED = "answered"
    ANSWERED_WITH_CAUTION = "answered_with_caution"
    NOT_IN_BOOK = "not_in_book"
    NOT_IN_SELECTION = "not_in_selection"
    SMALL_TALK = "small_talk"
    NEEDS_MORE_WORDS = "needs_more_words"

    @property
    def is_answer(self) -> bool:
        return self in (Outcome.ANSWERED, Outcome.ANSWERED_WITH_CAUTION)

    @property
    def is_refusal(self) -> bool:
        return self in (Outcome.NOT_IN_BOOK, Outcome.NOT_IN_SELECTION)

    @property
    def may_be_gap(self) -> bool:
        """Whether the author may want to write more on it: small talk asks for nothing."""
        return self is not Outcome.SMALL_TALK


@dataclass(frozen=True, slots=True)
class Grounding:
    is_fully_grounded: bool
    unsupported_claims: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A section to look at; never an answer."""

    title: str
    url: str
    chunk_id: str


@dataclass(frozen=True, slots=True)
class BookIndex:
    generation: int
    book: str


@dataclass(frozen=True, slots=True)
class Step:
    """What one step of the pipeline did, for the trace."""

    name: str
    seconds: float
    facts: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Answer:
    id: str
    outcome: Outcome
    text: str
    """Markdown with `[1]` marks."""
    claims: tuple[Claim, ...]
    citations: tuple[Citation, ...]
    confidence: Confidence | None
    """None where nothing was searched for."""
    grounding: Grounding
    suggestions: tuple[Suggestion, ...]
    disclaimer: str | None
    writer: str | None
    model: str | None
    index: BookIndex | None
    timings: Mapping[str, float]
    trace: tuple[Step, ...]

    @property
    def is_gap(self) -> bool:
        """Whether the author may want to write more on it, as it was refused or answered with doubt."""
        is_unsure = self.confidence is not None and self.confidence.level is Level.LOW
        return is_unsure or (self.outcome.may_be_gap and self.outcome is not Outcome.ANSWERED)


# Events of an answer, in the order in which they are sent.


class Stage(StrEnum):
    SEARCHING = "searching"
    WRITING = "writing"
    CHECKING = "checking"


@dataclass(frozen=True, slots=True)
class StageReached:
    stage: Stage


@dataclass(frozen=True, slots=True)
class PassagesFound:
    hits: Sequence[Hit]


@dataclass(frozen=True, slots=True)
class ClaimChecked:
    """A checked claim; the texts of all claims joined are the answer."""

    claim: Claim


@dataclass(frozen=True, slots=True)
class AnswerFinished:
    """Always the last event."""

    answer: Answer


Event = StageReached | PassagesFound | ClaimChecked | AnswerFinished
