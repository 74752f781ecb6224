"""A question that leans on the conversation is searched with the conversation's own words around it.

What was asked before stands before it, and what was answered behind it: `What is a ROS 2 node? How do I
create one? A node is a process`. Of several ways to put a follow-up this finds the right place most often
(training/measure_followups.py). Nothing is said that was not said before, by the reader or in a cited answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from glossator.answer.route.courtesy import courtesy, without_courtesy
from glossator.answer.route.route import is_follow_up
from glossator.model import Exchange
from glossator.text.markdown import marks, plain

_MOST_QUESTIONS = 3
_LONGEST_QUESTION = 150
"""Characters of each: the reader reads about forty words of it all."""
_LONGEST_ANSWER = 120
_LONGEST_READ = 170
"""Characters of what is read: the question itself must have room in it."""

_ORDINALS = {"first": 0, "former": 0, "second": 1, "latter": 1, "third": 2, "fourth": 3, "last": -1}
_ORDINAL = re.compile(rf"\bthe ({'|'.join(_ORDINALS)})\b", re.IGNORECASE)
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(.+)$", re.MULTILINE)
_ITEM_NAME = re.compile(r"\*\*(.{1,200}?)\*\*|([^:.–—]{3,60})")
_PAIR = re.compile(
    r"(?<![\w-])(?:between\s++)?-*+(\w[\w-]*+)\s++(?:and|or|vs\.?|versus)\s++(?:an?\s++|the\s++)?([\w-]++)",
    re.IGNORECASE,
)


class Standalone(NamedTuple):
    """A question that can be understood by itself."""

    search: str
    """What is searched for."""
    read: str
    """What the reader reads beside a passage: of about forty words it sees no more."""

    @classmethod
    def of(cls, text: str) -> Standalone:
        return cls(text, text)


def rewrite(question: str, history: Sequence[Exchange]) -> Standalone:
    """The question as it came where nothing was asked before it."""
    before = _questions_before(history)
    if not before:
        return Standalone.of(question)
    last = history[-1]
    told = _chosen(question, last) or _cut(_first_cited(last.answer), _LONGEST_ANSWER)
    search = " ".join(part for part in (*before, question, told) if part)
    return Standalone(search, f"{_cut(before[-1], max(_LONGEST_READ - len(question), 0))} {question}".strip())


def _questions_before(history: Sequence[Exchange]) -> list[str]:
    """From the last one that stands by itself on."""
    found = list[str]()
    for exchange in reversed(history):
        if courtesy(exchange.question):
            continue
        asked = without_courtesy(exchange.question)
        found.insert(0, _cut(asked, _LONGEST_QUESTION))
        if len(found) == _MOST_QUESTIONS or not is_follow_up(asked):
            break
    return found


def _cut(text: str, most: int) -> str:
    """At the end of a word."""
    return text if len(text) <= most else text[:most].rpartition(" ")[0] or text[:most]


def _chosen(question: str, last: Exchange) -> str:
    """What `the second one` is: of the list that was answered, or of the two that were asked about."""
    ordinal = _ORDINAL.search(question)
    if not ordinal:
        return ""
    pair = _PAIR.search(last.question)
    candidates = [_item_name(item) for item in _ITEM.findall(last.answer)] or list(
        pair.groups() if pair else ()
    )
    place = _ORDINALS[ordinal[1].lower()]
    return _cut(candidates[place], _LONGEST_ANSWER) if candidates and place < len(candidates) else ""


def _item_name(item: str) -> str:
    found = _ITEM_NAME.search(item)
    return plain(found[1] or found[2]).rstrip(" .:") if found else plain(item)


def _first_cited(answer: str) -> str:
    """What stands before the first mark, on its line, without markup."""
    for mark in marks(answer):
        if said := answer[: mark.start()].rstrip():
            return plain(said.rpartition("\n")[2])
    return ""


# The questions inside a question: `what starts it, and how often does it run?` asks twice.

_MOST = 3
"""A reader who asks more at once gets what is found for all of it together."""
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
_BESIDE = re.compile(r"^\W*(?:and|but|or)\s|[\s,;:.–—-]*(?:\b(?:and|but|or)\b)?\W*$", re.IGNORECASE)


def questions_in(text: str) -> list[str]:
    """Each as it is asked, behind what was said before the first; the whole text where it asks one thing."""
    cuts = [0, *(found.end() for found in _BOUNDARY.finditer(text)), len(text)]
    pieces = [text[start:end] for start, end in pairwise(cuts)]
    said = next((place for place, piece in enumerate(pieces) if _is_question(piece)), 0)
    context, asked = "".join(pieces[:said]), pieces[said:]
    if not 1 < len(asked) <= _MOST or any(len(piece.split()) < 2 for piece in asked):
        return [text]
    return [f"{context}{_BESIDE.sub('', piece)}?" for piece in asked]


def _is_question(piece: str) -> bool:
    return bool(_QUESTION.match(piece)) or piece.rstrip().endswith("?")
