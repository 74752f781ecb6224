"""The gist of a text in its own words: what it begins with, and the sentences that say most of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from math import sqrt

from glossator.answer.compose import compose
from glossator.answer.weigh import asked_for
from glossator.model import Brief, Evidence, ScoredUnit
from glossator.text.inline import clean

MOST_WORDS = 80
_FEWEST_WORDS = 4
_LEADS_ON = re.compile(r"[:：?؟][\s*_\"”)]*$")


def extract(brief: Brief) -> list[str]:
    """What is written without a language model."""
    return digest(brief) if brief.is_digest else compose(brief)


def digest(brief: Brief) -> list[str]:
    """The first evidence in short; behind it, what the others say and it does not."""
    first, *rest = brief.evidence
    told = list(_pieces(first))
    new = [one for one in (without_told(one, first.chunk.text) for one in rest) if one.units]
    more = compose(replace(brief, evidence=new)) if new else []
    return [*told, *(f"\n\n{piece}" if place == 0 and told else piece for place, piece in enumerate(more))]


def _pieces(evidence: Evidence) -> Iterator[str]:
    texts = [clean(unit.text) for unit in evidence.units]
    chosen = [evidence.units[place] for place in central(texts, MOST_WORDS)]
    for number, (_, units) in enumerate(groupby(chosen, key=lambda one: one.unit.block)):
        paragraph = " ".join(clean(unit.text) for unit in units)
        gap = "\n\n" if number else ""
        yield f"{gap}{paragraph} [{evidence.number}]"


def without_told(evidence: Evidence, told: str) -> Evidence:
    """Without the units whose words were told already."""
    said = " ".join(told.split())
    return replace(evidence, units=tuple(one for one in evidence.units if not _is_in(one, said)))


def _is_in(one: ScoredUnit, said: str) -> bool:
    return " ".join(one.text.split()) in said or clean(one.text) in said


def central(texts: Sequence[str], most: int, language: str = "english") -> list[int]:
    """Places of the sentences that stand for all of them, in reading order, of about so many words together.

    The first one leads. Each other one counts by its words, and those by how often the text has them; a
    question, and what only leads on to something else, stands for nothing.
    """
    sizes = [len(text.split()) for text in texts]
    if sum(sizes) <= most:
        return list(range(len(texts)))
    lead, *others = [place for place, text in enumerate(texts) if stands_alone(text)] or range(len(texts))
    stems = {place: asked_for(texts[place], language) for place in (lead, *others)}
    counts = Counter(stem for some in stems.values() for stem in some)
    others.sort(key=lambda place: -sum(counts[stem] for stem in stems[place]) / sqrt(len(stems[place]) + 1))
    chosen, left = [lead], most - sizes[lead]
    for place in others:
        if sizes[place] <= left:
            chosen.append(place)
            left -= sizes[place]
    return sorted(chosen)


def stands_alone(text: str) -> bool:
    return len(text.split()) >= _FEWEST_WORDS and not _LEADS_ON.search(text)
