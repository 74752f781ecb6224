"""Training examples as flat arrays: what the reader reads, and what it should say of it.

An example is `[CLS] question [SEP] headings and window [SEP]` (or a claim in the question's place), with a label for
the whole, one for each unit of the window (sentence, row, item, line of code), and one for each word piece that is
a fact asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

START, END, QUESTION_MARK = 101, 102, 1029
LONGEST_QUESTION, LONGEST_HEADING, LONGEST_BODY = 40, 24, 112
"""In word pieces; the product's reader (`answer/read.py`) cuts its windows by the same numbers."""

ANSWER, CLAIM = 0, 1
UNKNOWN = -1
CLAIM_LABELS = {"supported": 0, "contradicted": 1, "neutral": 2}
NOT_SUPPORTED = 3
"""The label of a lie: contradicted or not told, whichever."""
NO_UNIT = 255
LEAST_SHARED = 0.5
"""Of the pieces of a lie and its truth, for the change between them to be found."""


@dataclass
class Unit:
    """A part of a window: its word pieces, whether it belongs to the answer, and which pieces are the fact."""

    ids: list[int]
    label: int = UNKNOWN
    fact: list[int] = field(default_factory=list)
    """One flag a piece; empty where nothing is known."""


@dataclass
class Example:
    question: list[int]
    heading: list[int]
    units: list[Unit]
    task: int
    label: int
    group: int
    """Examples of one group share a question (or a claim's source) and stand in one batch."""
    source: str
    weight: float = 1.0
    wrong: list[int] = field(default_factory=list)
    """Of a claim, one flag a piece: it is what makes the claim a lie; empty where that is not known."""


class Pieces:
    """The embedder's own tokenizer, with a memory: passages and headings come again and again."""

    def __init__(self, tokenizer: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._tokenizer.encode_special_tokens = True
        self._known: dict[str, list[int]] = {}

    def ids(self, text: str) -> list[int]:
        if text not in self._known:
            self._known[text] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return self._known[text]

    def with_places(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return encoding.ids, encoding.offsets


def changed_pieces(truth: Sequence[int], lie: Sequence[int]) -> list[int]:
    """A flag for each piece of the lie: whether it stands where the lie departs from the truth.

    Nothing (the empty list) where the two have so little in common that it cannot be said.
    """
    matcher = SequenceMatcher(None, truth, lie, autojunk=False)
    if matcher.ratio() < LEAST_SHARED:
        return []
    flags = [0] * len(lie)
    for change, _, _, first, after in matcher.get_opcodes():
        if change == "delete":
            # What was left out stood between these two.
            first, after = max(first - 1, 0), min(first + 1, len(lie))
        if change != "equal":
            flags[first:after] = [1] * (after - first)
    return flags


def pack(examples: Sequence[Example], path: Path) -> None:
    sources = sorted({example.source for example in examples})
    ids, owners, unit_labels, facts = [], [], [], []
    lengths, questions = [], []
    for example in examples:
        question = _read(example)
        row, owner, label, fact = _row(example, question)
        ids += row
        owners += owner
        unit_labels += label
        facts += fact
        lengths.append(len(row))
        questions.append(2 + len(question))
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        path,
        ids=np.array(ids, np.uint16),
        owners=np.array(owners, np.uint8),
        unit_labels=np.array(unit_labels, np.int8),
        facts=np.array(facts, np.int8),
        ends=np.cumsum(lengths),
        questions=np.array(questions, np.int32),
        task=np.array([example.task for example in examples], np.int8),
        label=np.array([example.label for example in examples], np.int8),
        group=np.array([example.group for example in examples], np.int32),
        weight=np.array([example.weight for example in examples], np.float32),
        source=np.array([sources.index(example.source) for example in examples], np.int16),
        sources=np.array(sources),
    )


def _read(example: Example) -> list[int]:
    """What is read of a question or claim. Not its question mark: some readers write it, and it tells nothing."""
    question = example.question[:LONGEST_QUESTION]
    while example.task == ANSWER and question[-1:] == [QUESTION_MARK]:
        question = question[:-1]
    return question


def _row(example: Example, question: list[int]) -> tuple[list[int], list[int], list[int], list[int]]:
    heading = example.heading[:LONGEST_HEADING]
    ids = [START, *question, END, *heading]
    owner, label, fact = [NO_UNIT] * len(ids), [UNKNOWN] * len(ids), [UNKNOWN] * len(ids)
    wrong = example.wrong[:LONGEST_QUESTION]
    fact[1 : 1 + len(wrong)] = wrong
    room = LONGEST_BODY
    for number, unit in enumerate(example.units):
        pieces = unit.ids[:room]
        if not pieces or number >= NO_UNIT:
            break
        room -= len(pieces)
        ids += pieces
        owner += [number] * len(pieces)
        label += [unit.label] * len(pieces)
        fact += unit.fact[: len(pieces)] or [UNKNOWN] * len(pieces)
    return [*ids, END], [*owner, NO_UNIT], [*label, UNKNOWN], [*fact, UNKNOWN]
