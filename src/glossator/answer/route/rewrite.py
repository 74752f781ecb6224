"""Rewrites a follow-up into a standalone question, and splits a question into its parts.

A follow-up is searched with the questions before it in front and the last answer behind: `What is a ROS 2
node? How do I create one? A node is a process`. Of the variants that training/measure_followups.py compares,
this one finds the right section most often. It uses only words from the conversation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from glossator.answer.route.courtesy import courtesy, without_courtesy
from glossator.answer.route.route import is_follow_up
from glossator.model import Exchange, Span
from glossator.text.english import DETERMINERS, EMPTY_WORDS
from glossator.text.markdown import citation_marks, plain

_MOST_QUESTIONS = 3
_LONGEST_QUESTION = 150
"""Characters of each question: the reader sees about forty words in total."""
_LONGEST_ANSWER = 120
_LONGEST_READ = 170
"""Characters for the reader, including the question itself."""

_ORDINALS = {"first": 0, "former": 0, "second": 1, "latter": 1, "third": 2, "fourth": 3, "last": -1}
_ORDINAL = re.compile(rf"\bthe ({'|'.join(_ORDINALS)})\b", re.IGNORECASE)
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(.+)$", re.MULTILINE)
_ITEM_NAME = re.compile(r"\*\*(.{1,200}?)\*\*|([^:.–—]{3,60})")
_PAIR = re.compile(
    r"(?<![\w-])(?:between\s++)?-*+(\w[\w-]*+)\s++(?:and|or|vs\.?|versus)\s++(?:an?\s++|the\s++)?([\w-]++)",
    re.IGNORECASE,
)


class Standalone(NamedTuple):
    """A question that can be understood without the conversation."""

    search: str
    """The text for the search."""
    read: str
    """The text for the reader model, which sees about forty words."""
    read_alone: str = ""
    """A follow-up as it was asked: the reader reads both, and their mean counts."""

    @classmethod
    def of(cls, text: str) -> Standalone:
        return cls(text, text)

    @property
    def readings(self) -> tuple[str, ...]:
        return tuple(text for text in (self.read, self.read_alone) if text)


def rewrite(question: str, history: Sequence[Exchange]) -> Standalone:
    """The question unchanged if nothing was asked before it."""
    before = _questions_before(history)
    if not before:
        return Standalone.of(question)
    last = history[-1]
    answer_text = _item_by_ordinal(question, last) or _cut(_first_cited(last.answer), _LONGEST_ANSWER)
    search = " ".join(part for part in (*before, question, answer_text) if part)
    read = f"{_cut(before[-1], max(_LONGEST_READ - len(question), 0))} {question}".strip()
    return Standalone(search, read, question)


def _questions_before(history: Sequence[Exchange]) -> list[str]:
    """The last questions, back to one that is not a follow-up itself."""
    questions = list[str]()
    for exchange in reversed(history):
        if courtesy(exchange.question):
            continue
        question = without_courtesy(exchange.question)
        questions.insert(0, _cut(question, _LONGEST_QUESTION))
        if len(questions) == _MOST_QUESTIONS or not is_follow_up(question):
            break
    return questions


def _cut(text: str, most: int) -> str:
    """Cuts at the end of a word."""
    return text if len(text) <= most else text[:most].rpartition(" ")[0] or text[:most]


def _item_by_ordinal(question: str, last: Exchange) -> str:
    """Resolves `the second one` to an item of the answered list, or to one of two things asked about."""
    ordinal = _ORDINAL.search(question)
    if not ordinal:
        return ""
    pair = _PAIR.search(last.question)
    candidates = [_item_name(item) for item in _ITEM.findall(last.answer)] or list(
        pair.groups() if pair else ()
    )
    index = _ORDINALS[ordinal[1].lower()]
    return _cut(candidates[index], _LONGEST_ANSWER) if candidates and index < len(candidates) else ""


def _item_name(item: str) -> str:
    name = _ITEM_NAME.search(item)
    return plain(name[1] or name[2]).rstrip(" .:") if name else plain(item)


def _first_cited(answer: str) -> str:
    """The text on the line before the first citation mark, without markup."""
    for mark in citation_marks(answer):
        if before := answer[: mark.start()].rstrip():
            return plain(before.rpartition("\n")[2])
    return ""


# The parts of a question: `what starts it, and how often does it run?` has two.

_MOST_PARTS = 3
"""A question with more parts is searched as a whole."""
_ASKS = r"(?:what|which|who|whom|whose|where|when|why|how)\b"
_ASKS_WHETHER = (
    r"(?:is|are|was|does|do|did|can|could|should|must|may|will|would|has|have)"
    r" (?:i|you|we|it|that|this|there|they|the|an?|one|my)\b"
)
_ANY = f"(?:{_ASKS}|{_ASKS_WHETHER})"
_BOUNDARY = re.compile(
    rf"(?:[?!.;,:]|\sand|\sbut|\s[-–—])\s(?:(?:and|but|or|also|then) )?(?={_ANY})", re.IGNORECASE
)
_QUESTION = re.compile(rf"\W*{_ANY}", re.IGNORECASE)
_CONNECTORS = re.compile(r"^\W*(?:and|but|or)\s|[\s,;:.–—-]*(?:\b(?:and|but|or)\b)?\W*$", re.IGNORECASE)


def questions_in(text: str) -> list[str]:
    """The parts, each after the text before the first one; the whole text if it asks one thing."""
    cuts = [0, *(boundary.end() for boundary in _BOUNDARY.finditer(text)), len(text)]
    pieces = [text[start:end] for start, end in pairwise(cuts)]
    first = next((index for index, piece in enumerate(pieces) if _is_question(piece)), 0)
    context, questions = "".join(pieces[:first]), pieces[first:]
    if not 1 < len(questions) <= _MOST_PARTS or any(len(piece.split()) < 2 for piece in questions):
        return [text]
    return [f"{context}{_CONNECTORS.sub('', piece)}?" for piece in questions]


def _is_question(piece: str) -> bool:
    return bool(_QUESTION.match(piece)) or piece.rstrip().endswith("?")


# The sides of a comparison: `Send vs Sync, when do I need which?` is also searched as `Send, when do I need
# which?` and `Sync, when do I need which?`, because a book often explains each on a page of its own.

_MOST_SIDE_WORDS, _LONGEST_SIDE = 4, 100
_SIDE_WORD = re.compile(r"[^\s,;:?!()\"“”]+")
_JOINS = re.compile(r"(?<=\s)(?:vs\.?|versus|or|compared (?:to|with)|as opposed to)(?=\s)", re.IGNORECASE)
_JOINS_DIFFERENT = re.compile(r"(?<=\s)(?:vs\.?|versus|or|and|from|than)(?=\s)", re.IGNORECASE)
_DIFFERENT = re.compile(r"\b(?:differ(?:s|ent|ence|ences)?|distinction|compared?|between)\b", re.IGNORECASE)
_DIFFERENCE_BETWEEN = re.compile(
    r"\b(?:(?:the|any|an?|main|real) )*+(?:differences?|distinction) between\b", re.IGNORECASE
)


class Side(NamedTuple):
    """One of the two things that a question compares."""

    name: str
    question: str
    """What is asked, of this side alone."""


def comparison_sides(text: str) -> list[Side]:
    """Empty if the question names no two things."""
    for join in (_JOINS_DIFFERENT if _DIFFERENT.search(text) else _JOINS).finditer(text):
        first, second = _side_before(text, join.start()), _side_after(text, join.end())
        if first and second:
            begin, end = _DIFFERENCE_BETWEEN.sub("", text[: first.start]), text[second.end :]
            names = [text[side.start : side.end] for side in (first, second)]
            return [Side(name, " ".join(f"{begin}{name}{end}".split())) for name in names]
    return []


def _side_before(text: str, end: int) -> Span | None:
    """The words right before the joint, back to a mark or a word that names nothing."""
    side: Span | None = None
    near = _SIDE_WORD.finditer(text, max(end - _LONGEST_SIDE, 0), end)
    for word in list(near)[: -_MOST_SIDE_WORDS - 1 : -1]:
        if text[word.end() : side.start if side else end].strip() or _names_nothing(word[0]):
            break
        side = Span(word.start(), side.end if side else word.end())
    return side


def _side_after(text: str, start: int) -> Span | None:
    side: Span | None = None
    for word in islice(_SIDE_WORD.finditer(text, start), _MOST_SIDE_WORDS + 1):
        if text[side.end if side else start : word.start()].strip():
            break
        if _names_nothing(word[0]):
            if side or word[0].lower() not in DETERMINERS:
                break
            start = word.end()
        else:
            side = Span(side.start if side else word.start(), word.end())
    return side


def _names_nothing(word: str) -> bool:
    return word.strip("'’`*.").lower() in EMPTY_WORDS
