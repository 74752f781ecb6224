"""How many a sentence speaks of: all, most, some, or only these."""

from __future__ import annotations

from glossator.answer.verify.phrase import Phrase
from glossator.answer.verify.signs.english import ALL, EACH, MOST, ONLY, SOME


def is_overstated(claim: Phrase, window: Phrase) -> bool:
    """Whether the claim says all, most or only where the window says less."""
    said, meant = _reach(claim, ALL), _reach(window, EACH)
    is_wider = said >= 2 and meant < said and (meant > 0 or said == 3)
    return is_wider or (_shuts_out(claim) and not _shuts_out(window))


def _reach(phrase: Phrase, everything: frozenset[str]) -> int:
    words = set(phrase.small)
    return 3 if words & everything else 2 if words & MOST else 1 if words & SOME else 0


def _shuts_out(phrase: Phrase) -> bool:
    return not ONLY.isdisjoint(phrase.small)
