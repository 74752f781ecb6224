"""In how many passages each word of a book stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from glossator.ingest.keep import SplitPage
from glossator.model import Lexicon, Passage
from glossator.text.words import stems


def stems_of(passages: Sequence[Passage], language: str) -> dict[str, int]:
    """Of one page, and kept with it."""
    return dict(Counter(stem for passage in passages for stem in set(stems(passage.reading, language))))


def lexicon_of(pages: Collection[SplitPage], language: str) -> Lexicon:
    counts = Counter[str]()
    for page in pages:
        counts.update(page.stems)
    return Lexicon(language, sum(len(page.windows) for page in pages), dict(sorted(counts.items())))
