"""One name put in the place of another, and everything round it as it was."""

from __future__ import annotations

from glossator.answer.verify.phrase import Phrase
from glossator.answer.verify.signs.names import names


def substitutions(claim: Phrase, window: Phrase) -> int:
    """How many names of the claim stand where the window has a different word."""
    known = set(window.stems)
    strange = {name for name in names(claim) if name not in known}
    places = [place for place, stem in enumerate(claim.stems) if stem in strange]
    return sum(_is_substituted(claim, place, window) for place in places)


def _is_substituted(claim: Phrase, place: int, window: Phrase) -> bool:
    before, after = _around(claim, place)
    beside = [_around(window, other) for other, stem in enumerate(window.stems) if stem not in claim.stems]
    return any((before and before == left) or (after and after == right) for left, right in beside)


def _around(phrase: Phrase, place: int) -> tuple[str, str]:
    before = phrase.stems[place - 1] if place else ""
    after = phrase.stems[place + 1] if place + 1 < len(phrase) else ""
    return before, after
