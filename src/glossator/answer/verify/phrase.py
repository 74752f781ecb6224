"""A sentence as its words, which is what a claim and the evidence are compared by."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from glossator.model import Span
from glossator.text.words import stemmed, word_spans

_PAUSE = re.compile(r"[,;:.!?()|\n—–]")


@dataclass(frozen=True)
class Phrase:
    text: str
    language: str

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        return tuple(word_spans(self.text))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """As they stand."""
        return tuple(self.text[start:end] for start, end in self.spans)

    @cached_property
    def small(self) -> tuple[str, ...]:
        """In small letters."""
        return tuple(word.lower().replace("’", "'") for word in self.words)

    @cached_property
    def stems(self) -> tuple[str, ...]:
        return tuple(stemmed(self.small, self.language))

    @cached_property
    def pauses(self) -> tuple[bool, ...]:
        """Whether a mark that ends a thought stands before each word."""
        ends = [0, *(span.end for span in self.spans)]
        return tuple(
            bool(_PAUSE.search(self.text, end, span.start))
            for end, span in zip(ends, self.spans, strict=False)
        )

    def __len__(self) -> int:
        return len(self.spans)
