"""Whether a reply says what carries the answer."""

from __future__ import annotations

from collections.abc import Sequence

from glossator.answer.verify.plain import without_citations
from glossator.answer.weigh import asked_for
from glossator.text.words import stems

_FEW = 4
"""Words that must stand one after the other; more than so many may be said in another order."""
_MOST_OF_THEM = 0.75


def says_one_of(reply: str, facts: Sequence[str], question: str, language: str) -> bool | None:
    """None where no words are known that would carry the answer."""
    if not facts:
        return None
    said = stems(without_citations(reply)[0], language)
    return any(_says(said, fact, question, language) for fact in facts)


def _says(said: Sequence[str], fact: str, question: str, language: str) -> bool:
    """A short fact word for word, in any form; of a longer one three of four words that are not asked."""
    needed = stems(fact, language)
    if len(needed) <= _FEW:
        return any(said[at : at + len(needed)] == needed for at in range(len(said) - len(needed) + 1))
    telling = set(asked_for(fact, language)) - set(stems(question, language))
    return len(telling & set(said)) >= _MOST_OF_THEM * len(telling)
