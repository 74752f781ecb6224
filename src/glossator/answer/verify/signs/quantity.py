"""How many a sentence speaks of: all, most, some, or only these."""

from __future__ import annotations

from glossator.answer.verify.phrase import Phrase
from glossator.answer.verify.signs.english import ALL, MOST, ONLY, SOME


def is_overstated(claim: Phrase, window: Phrase) -> bool:
    """Whether the claim says all or most where the window says less."""
    said, meant = _reach(claim), _reach(window)
    return said >= 2 and meant < said and (meant > 0 or said == 3)


def is_narrowed(claim: Phrase, window: Phrase) -> bool:
    """Whether the claim shuts out what the window does not."""
    return bool(ONLY.intersection(claim.small)) and not ONLY.intersection(window.small)


def _reach(phrase: Phrase) -> int:
    words = set(phrase.small)
    return 3 if words & ALL else 2 if words & MOST else 1 if words & SOME else 0
