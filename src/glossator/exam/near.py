"""Questions of the book's own kind about things that it does not have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from glossator.answer.ask_itself import SelfQuestion
from glossator.answer.ask_itself.phrase import is_generic
from glossator.answer.route.grammar import PREPOSITIONS, QUESTION_WORDS
from glossator.exam.question import ExamQuestion, Kind
from glossator.exam.terms import unknown_terms
from glossator.model import Lexicon, Vector
from glossator.ports import Embedder

_FRAME = re.compile(
    r"(?P<frame>What (?:is|are)|How do you [\w-]+(?: up| out)?) (?:(?:an?|the) )?(?P<rest>.+)\?"
)
_LONGEST_CONTEXT = 4
"""Words of a section's title that can stand in a question."""
_SHORTEST_NAME = 3


@dataclass(frozen=True, slots=True)
class _Slot:
    """A question with a hole where its thing stood."""

    opening: str
    thing: str
    ending: str


def near_misses(
    questions: Sequence[SelfQuestion], lexicon: Lexicon, embedder: Embedder, most: int
) -> list[ExamQuestion]:
    """The unknown things that are nearest in meaning to the book's own, no thing and no question twice."""
    slots = [slot for number, question in enumerate(questions) if (slot := _slot(question, number % 2 == 0))]
    terms = unknown_terms(lexicon)
    if not slots or not terms:
        return []
    nearness = _vectors(embedder, [slot.thing for slot in slots]) @ _vectors(embedder, terms).T
    misses = list[ExamQuestion]()
    for _ in range(min(most, len(slots), len(terms))):
        place, best = np.unravel_index(nearness.argmax(), nearness.shape)
        nearness[place, :] = nearness[:, best] = -np.inf
        misses.append(_miss(slots[place], terms[best]))
    return misses


def _slot(question: SelfQuestion, with_context: bool) -> _Slot | None:
    found = _FRAME.fullmatch(question.text)
    if not found:
        return None
    said = found["rest"].split()
    end = next((place for place, word in enumerate(said) if word.lower() in PREPOSITIONS), len(said))
    if end == 0:
        return None
    ending = " ".join(said[end:])
    if not ending and with_context:
        ending = _context(question)
    return _Slot(found["frame"], " ".join(said[:end]), ending)


def _context(question: SelfQuestion) -> str:
    """The section it was asked of, where that has a short name of its own."""
    title = question.places[0].title.split(":")[0].rstrip("?!.")
    said = title.lower().split()
    is_name = len(title) >= _SHORTEST_NAME and len(said) <= _LONGEST_CONTEXT and not is_generic(title)
    is_task = said[:1] != [] and (said[0].endswith("ing") or said[0] in QUESTION_WORDS)
    return f"in {title}" if is_name and not is_task and title.lower() not in question.text.lower() else ""


def _vectors(embedder: Embedder, texts: Sequence[str]) -> Vector:
    return np.stack([embedding.vector for embedding in embedder.embed_passages(texts)])


def _miss(slot: _Slot, term: str) -> ExamQuestion:
    opening = slot.opening.replace("What are", "What is")
    article = "an" if term[0].lower() in "aeiou" else "a"
    text = " ".join(part for part in (opening, article, term, slot.ending) if part)
    return ExamQuestion(Kind.NEAR, f"{text}?", is_answerable=False, note=f"{term} for {slot.thing}")
