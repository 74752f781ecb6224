"""A question whose answer's place is known."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace

from glossator.answer.weigh import asked_for


@dataclass(frozen=True, slots=True)
class Place:
    """A section and all that stands below it."""

    page: str
    title: str
    url: str
    start: int
    end: int
    """Characters of the page's source."""

    def holds(self, page: str, start: int) -> bool:
        return page == self.page and self.start <= start < self.end


@dataclass(frozen=True, slots=True)
class SelfQuestion:
    text: str
    about: str
    """What it asks about, in the book's words."""
    places: tuple[Place, ...]
    """Where the answer stands; any of them will do."""
    facts: tuple[str, ...] = ()
    """Words of the book that carry the answer; any of them will do. None are known of a mere heading."""
    after: str = ""
    """The question that was asked before it, where it leans on one."""


def joined(questions: Iterable[SelfQuestion], language: str) -> list[SelfQuestion]:
    """No subject twice: the first question about each, with the places and the facts of all of them."""
    by_subject = dict[Hashable, list[SelfQuestion]]()
    for question in questions:
        by_subject.setdefault(frozenset(asked_for(question.text, language)), []).append(question)
    return [
        replace(
            same[0],
            places=tuple(dict.fromkeys(place for question in same for place in question.places)),
            facts=tuple(dict.fromkeys(fact for question in same for fact in question.facts)),
        )
        for same in by_subject.values()
    ]
