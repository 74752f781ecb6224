"""Measure what is found with token states of fewer bits, on a book with known answers.

    python scripts/bench_states.py HOME QUESTIONS.jsonl

HOME is an embedded index, such as `~/.cache/glossator/training/books/humanoid-mn2k24` (a copy of it: `make train`
uses it), and QUESTIONS are those of `training/questions`. Prints, for each form of the states: in how many
questions one of the windows that the reader reads answers, how often the first does, and the mean reciprocal
rank, with its difference to eight bits and the standard error of that; and how many questions are taken to be so
far from the book that nothing is read.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from glossator.adapters.embedders.bundled import BundledEmbedder
from glossator.adapters.index.embedded_index import EmbeddedIndex
from glossator.adapters.index.state_codes import EncodedStates, encode_states
from glossator.answer.confidence import is_far
from glossator.answer.retrieve import DEPTH, READ, Candidate, ReaderQuery, candidates
from glossator.model import FoundPassage, IndexQuery, Span, TokenStates


def one_bit(states: TokenStates) -> TokenStates:
    return (np.where(states < 0, -1, 1) / np.sqrt(states.shape[1])).astype(np.float32)


FORMS: Mapping[str, Callable[[TokenStates], TokenStates | None]] = {
    "8 bits": lambda states: states,
    "2 bits": lambda states: EncodedStates(encode_states(states)).unpacked(),
    "1 bit": one_bit,
    "none": lambda states: None,
}


@dataclass(frozen=True)
class Outcome:
    """Of one question with one form of the states."""

    rank: float
    """The reciprocal rank of the first window with a part of an answer; 0 if none that is read has one."""
    is_far: bool
    """Whether the question is so far from the book that nothing is read."""


def main() -> None:
    home, questions = Path(sys.argv[1]), Path(sys.argv[2])
    asked = [json.loads(line) for line in questions.read_text().splitlines()]
    answerable = [question for question in asked if question["answerable"] and question.get("gold")]
    embedder = BundledEmbedder.open(Path.home() / ".cache" / "glossator")
    outcomes: dict[str, list[Outcome]] = {form: [] for form in FORMS}
    with closing(EmbeddedIndex(home)) as index:
        for question in answerable:
            text = question["question"]
            embedding = embedder.embed_query(text, states=True)
            query = ReaderQuery((text,), embedding, index.manifest().lexicon)
            search = IndexQuery(text, embedding.vector, limit=DEPTH, candidates=DEPTH, states=True)
            found = index.search(search)
            for form in FORMS:
                outcomes[form].append(outcome(query, found, form, question["gold"]))
    for form in FORMS:
        print(form, json.dumps(figures(outcomes[form], outcomes["8 bits"])))


def outcome(
    query: ReaderQuery, found: Sequence[FoundPassage], form: str, gold: Sequence[Mapping[str, Any]]
) -> Outcome:
    coded = [
        replace(passage, states=None if passage.states is None else FORMS[form](passage.states))
        for passage in found
    ]
    best = candidates(query, coded, READ)
    right = (number for number, candidate in enumerate(best, start=1) if answers(candidate, gold))
    match, cosine = max(candidate.match for candidate in best), max(candidate.cosine for candidate in best)
    return Outcome(1 / next(right, float("inf")), is_far(match, cosine))


def answers(candidate: Candidate, gold: Sequence[Mapping[str, Any]]) -> bool:
    passage = candidate.window.passage
    units = [passage.units[part.unit] for part in candidate.window.parts]
    span = Span(min(unit.start for unit in units), max(unit.end for unit in units))
    start, end = passage.chunk.place_of(span)
    return any(
        passage.chunk.page == place["page"] and start < place["end"] and place["start"] < end
        for place in gold
    )


def figures(outcomes: Sequence[Outcome], eight_bits: Sequence[Outcome]) -> dict[str, float]:
    ranks = np.array([outcome.rank for outcome in outcomes])
    difference = ranks - np.array([outcome.rank for outcome in eight_bits])
    return {
        "questions": len(ranks),
        "in_windows_read": round(float((ranks > 0).mean()), 4),
        "first": round(float((ranks == 1).mean()), 4),
        "mean_reciprocal_rank": round(float(ranks.mean()), 4),
        "difference": round(float(difference.mean()), 4),
        "standard_error": round(float(difference.std() / len(ranks) ** 0.5), 4),
        "not_read": sum(outcome.is_far for outcome in outcomes),
    }


if __name__ == "__main__":
    main()
