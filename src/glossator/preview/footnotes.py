"""The footnotes of a page, taken out of its text, wherever they stand in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from markdown_it.token import Token


@dataclass(frozen=True, slots=True)
class Footnotes:
    text: tuple[Token, ...]
    """What remains of the page."""
    notes: Mapping[str, tuple[Token, ...]]
    """By label, in the order in which the text refers to them; those it never does come last."""
    numbers: Mapping[str, int]

    @classmethod
    def of(cls, tokens: Sequence[Token]) -> Footnotes:
        text, notes = list[Token](), dict[str, list[Token]]()
        label: str | None = None
        for token in tokens:
            match token.type:
                case "footnote_reference_open":
                    label = str(token.meta["label"])
                    notes[label] = []
                case "footnote_reference_close":
                    label = None
                case _:
                    (text if label is None else notes[label]).append(token)
        order = dict.fromkeys(chain((one for one in _labels(tokens) if one in notes), notes))
        numbers = {one: number for number, one in enumerate(order, start=1)}
        return cls(tuple(text), {one: tuple(notes[one]) for one in order}, numbers)


def _labels(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        for child in token.children or ():
            if child.type == "footnote_ref":
                yield str(child.meta["label"])
