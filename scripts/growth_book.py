"""Books of any size from `chunks-5000.jsonl.gz`, for `make growth`: copies in which words are exchanged.

A copy of a chunk says something else with mostly the same words, so a search has to tell near neighbours apart.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

COMMON_WORDS = 150
"""The most frequent words, which stay as they are: the grammar of a text."""
BAND = 40
"""Words of about the same frequency that are exchanged among themselves."""
EXCHANGED = 0.4
"""The share of a band that another copy exchanges."""
QUESTION_WORDS = 8

_WORD_OR_NUMBER = re.compile(r"[A-Za-z]{4,}|\d{2,6}")
_WORD = re.compile(r"[A-Za-z]{4,}")
_LEADING_HEADING = re.compile(r"#+ ")


class SourceChunk(NamedTuple):
    page: str
    heading: str
    text: str


class AskedPage(NamedTuple):
    question: str
    page: str
    """The page of the chunk that the question's words were taken from."""


@dataclass(frozen=True)
class Corpus:
    chunks: Sequence[SourceChunk]

    @classmethod
    def read(cls, file: Path) -> Corpus:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            return cls([_source_chunk(json.loads(line)) for line in lines])

    @cached_property
    def words(self) -> list[str]:
        """Those that may be exchanged or asked for, most frequent first."""
        counts = Counter(word.lower() for chunk in self.chunks for word in _WORD.findall(chunk.text))
        return sorted(counts, key=lambda word: (-counts[word], word))[COMMON_WORDS:]

    def variant(self, copy: int) -> Variant:
        """Copy 0 is the original."""
        chance = random.Random(copy)
        exchanged = dict[str, str]()
        for start in range(0, len(self.words) if copy else 0, BAND):
            band = self.words[start : start + BAND]
            chosen = chance.sample(band, round(EXCHANGED * len(band)))
            exchanged |= zip(chosen, chosen[1:] + chosen[:1], strict=True)
        return Variant(copy, exchanged)

    def varied(self, size: int) -> Iterator[SourceChunk]:
        """The first `size` chunks of the copies, one copy after the other."""
        copies = map(self.variant, range(-(-size // len(self.chunks))))
        return islice((copy.of(chunk) for copy in copies for chunk in self.chunks), size)


@dataclass(frozen=True)
class Variant:
    copy: int
    exchanged: dict[str, str]

    def of(self, chunk: SourceChunk) -> SourceChunk:
        page = f"copy-{self.copy:03d}/{chunk.page}"
        return SourceChunk(page, self._vary(chunk.heading), self._vary(chunk.text))

    def _vary(self, text: str) -> str:
        return _WORD_OR_NUMBER.sub(self._other, text) if self.copy else text

    def _other(self, match: re.Match[str]) -> str:
        word = match[0]
        if word.isdigit():
            return str(int(word) + self.copy)
        other = self.exchanged.get(word.lower(), word)
        return other if other is word else _in_case_of(word, other)


def _in_case_of(word: str, other: str) -> str:
    if word.islower():
        return other
    return other.upper() if word.isupper() else other.capitalize()


def _source_chunk(row: dict[str, str]) -> SourceChunk:
    """The text begins with its heading, in one line with the rest."""
    heading = row["heading"] or Path(row["path"]).stem
    text = _LEADING_HEADING.sub("", row["text"], count=1).removeprefix(heading).strip()
    return SourceChunk(f"{row['path'].removesuffix('.md')}.md", heading, text)


def write_book(corpus: Corpus, folder: Path, size: int) -> None:
    """Does nothing where the whole book is there."""
    done = folder.with_name(f"{folder.name}.done")
    if done.exists():
        return
    for chunk in corpus.varied(size):
        page = folder / chunk.page
        _make_folder(page.parent)
        with page.open("a", encoding="utf-8") as file:
            file.write(f"## {chunk.heading}\n\n{chunk.text}\n\n")
    done.touch()


@lru_cache(maxsize=4096)
def _make_folder(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)


def questions(corpus: Corpus, size: int, count: int) -> Iterator[AskedPage]:
    """Words of chunks from all over the book, in the order of the chunk."""
    chance, askable = random.Random(7), set(corpus.words)
    places = [divmod(number, len(corpus.chunks)) for number in sorted(chance.sample(range(size), count))]
    variants = {copy: corpus.variant(copy) for copy, _ in places}
    for copy, place in places:
        chunk = variants[copy].of(corpus.chunks[place])
        words = [*dict.fromkeys(word for word in _WORD.findall(chunk.text) if word.lower() in askable)]
        chosen = sorted(chance.sample(range(len(words)), min(QUESTION_WORDS, len(words))))
        yield AskedPage(f"How do {' '.join(words[index] for index in chosen)} belong together?", chunk.page)
