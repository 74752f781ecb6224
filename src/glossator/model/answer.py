"""A reader's question, and everything that is said in reply."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from glossator.model.book import Chunk, Passage, Section, Span, Unit
from glossator.model.search import Filters, Hit


@dataclass(frozen=True, slots=True)
class Selection:
    """Words that the reader marked on a page."""

    text: str
    only: bool = False
    """Whether they are all that the answer may rest on."""
    page_url: str | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question that was asked before, and what was answered."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Question:
    """What a reader asks; `validate` has looked at it."""

    text: str
    selection: Selection | None = None
    filters: Filters = field(default_factory=Filters)
    through_chapter: int | None = None
    """Only the first so many chapters, for a reader who is not further yet."""
    top_k: int = 5
    threshold: float | None = None
    """The least similarity of a hit."""
    history: tuple[Exchange, ...] = ()
    """Oldest first."""
    summary: str = ""
    """Of the exchanges before those."""


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
    """Its source, exactly."""
    relevance: float
    """How much of the question it speaks to, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A chunk that an answer may rest on."""

    number: int
    """From 1; what a writer cites it by."""
    chunk: Chunk
    section: Section
    units: tuple[ScoredUnit, ...]
    """What was found in it, in reading order."""
    similarity: float
    passages: tuple[Passage, ...] = ()
    """Those of its chunk that were found, in reading order."""


Search = Callable[[str], Awaitable[Sequence[Evidence]]]


@dataclass(frozen=True, slots=True)
class Brief:
    """What a writer gets."""

    question: str
    evidence: Sequence[Evidence]
    history: tuple[Exchange, ...] = ()
    summary: str = ""
    search: Search | None = None
    """Finds further evidence in the book; None where there is only a selection."""
    is_digest: bool = False
    """Whether all of the first evidence is asked about, and not something that it says."""


class Verdict(StrEnum):
    SUPPORTED = "supported"
    PARTLY = "partly"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class Checked:
    """What the evidence says to one sentence of a writer."""

    verdict: Verdict
    score: float
    """0 to 1."""
    evidence: Evidence | None = None
    span: Span | None = None
    """The characters of the page that carry it, inside that evidence's chunk."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of the answer, or a piece of code, a table or a list that stands in it."""

    text: str
    """As Markdown, with the marks of its citations and the white space before it."""
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
    """Of the page's source, or of the selection: the quote is exactly those characters."""
    similarity: float


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
    """What one step of the way did, for whoever asks to see the trace."""

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
    """None where nothing was looked up."""
    grounding: Grounding
    suggestions: tuple[Suggestion, ...]
    disclaimer: str | None
    writer: str | None
    model: str | None
    index: BookIndex | None
    timings: Mapping[str, float]
    trace: tuple[Step, ...]


# What happens on the way to an answer, in the order in which a reader hears of it.


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
    """A checked sentence; the texts joined are the answer."""

    claim: Claim


@dataclass(frozen=True, slots=True)
class AnswerFinished:
    """The last one, always."""

    answer: Answer


Event = StageReached | PassagesFound | ClaimChecked | AnswerFinished
