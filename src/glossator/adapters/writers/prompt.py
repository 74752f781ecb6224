"""A brief as the messages that a language model reads."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from glossator.model import Brief, Evidence, Exchange
from glossator.text.marks import without_marks

if TYPE_CHECKING:
    from agents import TResponseInputItem

_MESSAGES = 10
_CHARACTERS = 8000 * 4
"""What 8000 tokens are, about."""


@dataclass(frozen=True, slots=True)
class Mark:
    """New for every request, so that no page, reader or earlier answer can have it."""

    text: str = field(default_factory=lambda: secrets.token_hex(8))

    def wrap(self, what: str, text: str) -> str:
        """The text between two lines that it cannot forge."""
        return f"=== {self.text} {what} ===\n{text.replace(self.text, '')}\n=== {self.text} end ==="


def converse(brief: Brief, evidence: Sequence[Evidence], mark: Mark) -> list[TResponseInputItem]:
    """The recent exchanges as turns, then the evidence and the question."""
    turns: list[TResponseInputItem] = []
    for exchange in recent(brief.history):
        turns.append({"role": "user", "content": exchange.question})
        # Its numbers are of other evidence.
        turns.append({"role": "assistant", "content": without_marks(exchange.answer)})
    summary = [mark.wrap("summary of the conversation before", brief.summary)] if brief.summary else []
    asked = [show(evidence, mark), *summary, mark.wrap("question", brief.question)]
    return [*turns, {"role": "user", "content": "\n\n".join(asked)}]


def converse_for_rewriting(
    question: str, history: Sequence[Exchange], mark: Mark
) -> list[TResponseInputItem]:
    exchanges = [f"Reader: {one.question}\nAnswer: {without_marks(one.answer)}" for one in recent(history)]
    asked = [mark.wrap("conversation", "\n\n".join(exchanges)), mark.wrap("question", question)]
    return [{"role": "user", "content": "\n\n".join(asked)}]


def recent(history: Sequence[Exchange]) -> list[Exchange]:
    """The last whole exchanges that fit, oldest first."""
    kept: list[Exchange] = []
    room = _CHARACTERS
    for exchange in reversed(history[-(_MESSAGES // 2) :]):
        room -= len(exchange.question) + len(exchange.answer)
        if room < 0:
            break
        kept.insert(0, exchange)
    return kept


def show(evidence: Sequence[Evidence], mark: Mark) -> str:
    if not evidence:
        return "There is no evidence."
    return "\n\n".join(
        mark.wrap(f"evidence [{piece.number}]", f"{_place(piece)}\n\n{piece.chunk.text}")
        for piece in evidence
    )


def _place(piece: Evidence) -> str:
    titles = (piece.chunk.page_title, *piece.section.path)
    return " > ".join(" ".join(title.split()) for title in titles if title.strip())
