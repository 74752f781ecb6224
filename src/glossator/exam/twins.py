"""Tests the verifier on paraphrased sentences of the book, each with a false twin."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest

from glossator.answer.pipeline import AnswerPipeline
from glossator.answer.verify import Verifier
from glossator.exam.question import shuffle_key
from glossator.model import Chunk, Evidence, Filters, IndexQuery, Verdict
from glossator.question_generation.sections import paragraphs
from glossator.text.markdown import plain
from glossator.text.sentences import sentences
from glossator.text.words import words

_SHORTEST, _LONGEST = 8, 30
"""Words of a sentence."""


class Change(StrEnum):
    NUMBER = "number"
    NAME = "name"
    DIRECTION = "direction"


@dataclass(frozen=True, slots=True)
class Twin:
    chunk: Chunk
    faithful: str
    lie: str
    change: Change
    swap: str
    """What was replaced, as `new for old`."""


@dataclass(frozen=True, slots=True)
class CheckedTwin:
    page: str
    section: str
    faithful: str
    lie: str
    change: Change
    swap: str
    verdict: Verdict
    """The verdict on the faithful sentence."""
    lie_verdict: Verdict

    @property
    def is_shown(self) -> bool:
        return self.verdict is not Verdict.UNSUPPORTED

    @property
    def is_believed(self) -> bool:
        return self.lie_verdict is not Verdict.UNSUPPORTED


def twins_of(chunks: Sequence[Chunk], language: str, most: int) -> list[Twin]:
    """Makes at most one per paragraph, the kinds of change by turns; English only."""
    if language != "english":
        return []
    by_text = {twin.faithful: twin for chunk in chunks for twin in _of_chunk(chunk)}
    shuffled = [by_text[text] for text in sorted(by_text, key=shuffle_key)]
    by_change = [[twin for twin in shuffled if twin.change is change] for change in Change]
    return [twin for turn in zip_longest(*by_change) for twin in turn if twin][:most]


def check(twin: Twin, assistant: AnswerPipeline) -> CheckedTwin:
    """Verifies both sentences against the chunk that they come from."""
    chunk = twin.chunk
    verifier = Verifier(assistant.reader, assistant.index.manifest().lexicon.language)
    evidence = verifier.read([_evidence(twin, assistant)])
    return CheckedTwin(
        page=chunk.page,
        section=chunk.sections[0].title,
        faithful=twin.faithful,
        lie=twin.lie,
        change=twin.change,
        swap=twin.swap,
        verdict=verifier.check(twin.faithful, evidence).verdict,
        lie_verdict=verifier.check(twin.lie, evidence).verdict,
    )


def _evidence(twin: Twin, assistant: AnswerPipeline) -> Evidence:
    chunk, vector = twin.chunk, assistant.embedder.embed_query(twin.faithful).vector
    found = assistant.index.search(
        IndexQuery(twin.faithful, vector, limit=40, candidates=40, filters=Filters(page=(chunk.page,)))
    )
    passages = {hit.passage.number: hit.passage for hit in found if hit.passage.chunk == chunk}
    return Evidence(
        1, chunk, chunk.sections[0], (), 1.0, tuple(passages[number] for number in sorted(passages))
    )


def _of_chunk(chunk: Chunk) -> Iterator[Twin]:
    names = frozenset(_CODE_NAME.findall(chunk.text))
    text = "\n".join(plain(paragraph) for paragraph in paragraphs(chunk.text))
    for paragraph in paragraphs(chunk.text):
        twins = [
            Twin(chunk, faithful, *lie)
            for span in sentences(paragraph)
            if (faithful := _paraphrased(plain(paragraph[span.start : span.end])))
            and (lie := _lie(faithful, text, names))
        ]
        yield from twins[:1]


def _paraphrased(sentence: str) -> str | None:
    """Uses other words, so that string matching does not suffice; None if that cannot be done safely."""
    if not _SHORTEST <= len(words(sentence)) <= _LONGEST or not sentence.endswith("."):
        return None
    if _SKIPPED.search(sentence):
        return None
    paraphrase = _CLAUSE.sub(
        lambda clause: f"{_capitalized(clause[3])} {clause[1].lower()} {clause[2]}.", sentence
    )
    for pattern, other in _OTHER_WORDS:
        paraphrase = pattern.sub(other, paraphrase)
    return _capitalized(paraphrase) if paraphrase != sentence else None


def _lie(sentence: str, text: str, names: frozenset[str]) -> tuple[str, Change, str] | None:
    """Replaces one number or name by another of the chunk, or one word by its opposite."""
    numbers = frozenset(_NUMBER.findall(text))
    for match in _NUMBER.finditer(sentence):
        if other := _first_absent(numbers, sentence):
            return _swapped(sentence, match, other, Change.NUMBER)
    known = names | frozenset(_NAME.findall(text))
    for match in _NAME.finditer(sentence):
        alike = [name for name in known if _shape(name, names) == _shape(match[0], names)]
        if other := _first_absent(alike, sentence):
            return _swapped(sentence, match, other, Change.NAME)
    for match in _WORD.finditer(sentence):
        if (other := _OPPOSITES.get(match[0].lower())) and other not in sentence:
            return _swapped(sentence, match, other, Change.DIRECTION)
    return None


def _first_absent(others: Iterable[str], sentence: str) -> str | None:
    return min((other for other in others if other not in sentence), default=None)


def _swapped(sentence: str, match: re.Match[str], other: str, change: Change) -> tuple[str, Change, str]:
    lie = sentence[: match.start()] + other + sentence[match.end() :]
    return _capitalized(lie), change, f"{other} for {match[0]}"


def _shape(name: str, code: frozenset[str]) -> tuple[bool, bool, bool, bool]:
    return name in code, name.isupper(), "_" in name, name[0].isupper()


def _capitalized(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


_NUMBER = re.compile(r"(?<=[a-z,(] )(?<!hapter )(?<!ection )(?<!tep )(?<!hase )\d+(?:\.\d+)?(?![\w-]|[.:]\S)")
"""Not the `2` of `ROS 2` or of `step 2`, which are names."""
_NAME = re.compile(r"(?<=[a-z,(] )[A-Z][A-Za-z]*[A-Z]\w*\b(?![.-]\w)|\b[a-z]+_\w+\b")
_SKIPPED = re.compile(
    r"[{}<>=|→\"]|\b(?:chapters?|sections?|pages?|lessons?|listing|figure|table|you'll|you will|let me)\b",
    re.IGNORECASE,
)
"""Code, and sentences about the book instead of its subject."""
_CODE_NAME = re.compile(r"`([A-Za-z_]\w+)`")
_WORD = re.compile(r"[A-Za-z]+")
_CLAUSE = re.compile(r"^(If|When|Once|Before|After|Without|Because) ([^,;:]+), ([a-z][^,;:]+)\.")
_OTHER_WORDS = [
    (re.compile(pattern), other)
    for pattern, other in (
        (r"^(?:However|Therefore|Finally|Instead|Also|So|But|And|Then), ?", ""),
        (r"\bdo not\b", "don't"),
        (r"\bdoes not\b", "doesn't"),
        (r"\bis not\b", "isn't"),
        (r"\bare not\b", "aren't"),
        (r"\bcannot\b", "can't"),
        (r"\bwill not\b", "won't"),
        (r"\b[Ff]or example\b", "for instance"),
        (r"\bsuch as\b", "like"),
        (r"\bbecause\b(?! of)", "since"),
        (r"\beach (?!of|other|for|in|on|with|to|is|has)(?=[a-z])", "every "),
        (r"\busually\b", "normally"),
        (r"\boften\b", "frequently"),
        (r"\bneeds (?=an?|the)\b", "requires "),
        (r"\bbegins\b", "starts"),
        (r"\bshows\b", "displays"),
        (r"\bin order to\b", "to"),
        (r"\ballows you to\b", "lets you"),
        (r"\buses (?=an?|the)\b", "makes use of "),
        (r"\ba whole\b", "an entire"),
        (r"\bthe whole\b", "the entire"),
        (r"(?<!ow )\bmany (?=[a-z]+s\b)", "a lot of "),
        (r"\babout (?=\d)", "around "),
        (r"\bat once\b", "immediately"),
    )
]
_PAIRS = """
    before after; left right; more less; higher lower; larger smaller; faster slower;
    increases decreases; increase decrease; always never; first last; maximum minimum; most least;
    inside outside; enabled disabled; true false; start end; starts ends; longer shorter; early late;
    with without; input output; inputs outputs; allows prevents; adds removes; opens closes; parent child;
    server client; public private; required optional; older newer; cheap expensive; high low; fast slow;
    hot cold; mutable immutable
"""
_OPPOSITES = {
    word: opposite for pair in _PAIRS.split(";") for word, opposite in (pair.split(), reversed(pair.split()))
}
