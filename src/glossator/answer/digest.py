"""The text of the extractive writer: composed of blocks, or the digest of a whole selection."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from math import sqrt

from glossator.answer.compose import compose
from glossator.model import Brief, Evidence, ScoredUnit
from glossator.text.markdown import clean
from glossator.text.words import content_stems

MOST_WORDS = 80
_FEWEST_WORDS = 4
_INTRODUCES = re.compile(r"[:：?؟][\s*_\"”)]*$")


def extract(brief: Brief) -> list[str]:
    """The answer text without a language model."""
    return digest(brief) if brief.is_digest else compose(brief)


def digest(brief: Brief) -> list[str]:
    """A summary of the first evidence, then what the others add to it."""
    first, *rest = brief.evidence
    pieces = list(_pieces(first))
    rest = [without_units_in(evidence, first.chunk.text) for evidence in rest]
    new = [evidence for evidence in rest if evidence.units]
    more = compose(replace(brief, evidence=new)) if new else []
    return [
        *pieces,
        *(f"\n\n{piece}" if index == 0 and pieces else piece for index, piece in enumerate(more)),
    ]


def _pieces(evidence: Evidence) -> Iterator[str]:
    texts = [clean(unit.text) for unit in evidence.units]
    chosen = [evidence.units[index] for index in central_sentences(texts, MOST_WORDS)]
    for number, (_, units) in enumerate(groupby(chosen, key=lambda unit: unit.unit.block)):
        paragraph = " ".join(clean(unit.text) for unit in units)
        gap = "\n\n" if number else ""
        yield f"{gap}{paragraph} [{evidence.number}]"


def without_units_in(evidence: Evidence, text: str) -> Evidence:
    """The evidence without the units that the text contains already."""
    normalized = " ".join(text.split())
    return replace(
        evidence, units=tuple(unit for unit in evidence.units if not _is_contained(unit, normalized))
    )


def _is_contained(unit: ScoredUnit, text: str) -> bool:
    return " ".join(unit.text.split()) in text or clean(unit.text) in text


def central_sentences(texts: Sequence[str], most_words: int, language: str = "english") -> list[int]:
    """Indexes of the most representative sentences, in reading order, with about so many words together.

    The first sentence is always taken. The others are ranked by how often their words occur in the text.
    Questions and sentences that only introduce something are left out.
    """
    sizes = [len(text.split()) for text in texts]
    if sum(sizes) <= most_words:
        return list(range(len(texts)))
    lead, *others = [index for index, text in enumerate(texts) if stands_alone(text)] or range(len(texts))
    stems = {index: content_stems(texts[index], language) for index in (lead, *others)}
    counts = Counter(stem for text_stems in stems.values() for stem in text_stems)
    others.sort(key=lambda index: -sum(counts[stem] for stem in stems[index]) / sqrt(len(stems[index]) + 1))
    chosen, left = [lead], most_words - sizes[lead]
    for index in others:
        if sizes[index] <= left:
            chosen.append(index)
            left -= sizes[index]
    return sorted(chosen)


def stands_alone(text: str) -> bool:
    is_prose = "```" not in text and not _INTRODUCES.search(text)
    return is_prose and len(text.split()) >= _FEWEST_WORDS
