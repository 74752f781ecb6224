"""Words that mean the opposite of each other, and words of more and of less."""

from __future__ import annotations

from functools import cache

from glossator.answer.verify.signs.english import LESS, MORE, OPPOSITES, PREFIXES
from glossator.text.words import stemmed

_SHORTEST = 4
"""Letters of a word that a prefix can turn into its opposite."""


def is_opposite(one: str, other: str, language: str) -> bool:
    """Of two stems."""
    if _is_turned(one, other) or _is_turned(other, one):
        return True
    known = _opposites(language)
    return any(not known.get(form, frozenset[str]()).isdisjoint(_forms(other)) for form in _forms(one))


def has_direction(stem: str, language: str) -> bool:
    return bool(way(stem, language)) or any(form in _opposites(language) for form in _forms(stem))


def way(stem: str, language: str) -> int:
    """1 for more, -1 for less, 0 for neither."""
    more, less = _ways(language)
    forms = _forms(stem)
    return (not more.isdisjoint(forms)) - (not less.isdisjoint(forms))


def _is_turned(longer: str, shorter: str) -> bool:
    """By what is put before it, or behind it."""
    if longer == f"{shorter}less":
        return True
    return len(shorter) >= _SHORTEST and longer.endswith(shorter) and longer.removesuffix(shorter) in PREFIXES


@cache
def _forms(stem: str) -> frozenset[str]:
    """With what it comes from: softer and softest from soft, slowly from slow."""
    bare = [stem.removesuffix(ending) for ending in ("er", "est", "li") if len(stem) > len(ending) + 2]
    shorter = [form for form in bare if form != stem]
    undoubled = [form[:-1] for form in shorter if form[-1:] == form[-2:-1]]
    return frozenset([stem, *shorter, *undoubled, *(f"{form}e" for form in shorter)])


@cache
def _opposites(language: str) -> dict[str, frozenset[str]]:
    if language != "english":
        return {}
    known = dict[str, set[str]]()
    for pair in OPPOSITES:
        one, other = stemmed(pair, language)
        known.setdefault(one, set()).add(other)
        known.setdefault(other, set()).add(one)
    return {stem: frozenset(others) for stem, others in known.items()}


@cache
def _ways(language: str) -> tuple[frozenset[str], frozenset[str]]:
    if language != "english":
        return frozenset(), frozenset()
    more, less = frozenset(stemmed(sorted(MORE), language)), frozenset(stemmed(sorted(LESS), language))
    return more - less, less - more
