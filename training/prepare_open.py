"""Examples from the open question answering and inference sets (`../shared/data/train`), packed for training."""

from __future__ import annotations

import argparse
import json
import lzma
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from packing import ANSWER, CLAIM, CLAIM_LABELS, LONGEST_BODY, UNKNOWN, Example, Pieces, Unit, pack

from glossator.text.sentences import sentences

_WORD = re.compile(r"[a-z0-9]+")
_LONGEST_SENTENCE = 60
"""Word pieces; what is longer is cut, so that a window has room for neighbours."""


def read(folder: Path, name: str) -> list[dict]:
    with lzma.open(folder / f"{name}.jsonl.xz", "rt") as lines:
        return [json.loads(line) for line in lines]


class Maker:
    def __init__(self, pieces: Pieces, seed: int) -> None:
        self.pieces = pieces
        self.chance = random.Random(seed)
        self.examples: list[Example] = []
        self._group = 0
        self._units: dict[str, list[tuple[int, int, list[int], list[tuple[int, int]]]]] = {}

    def new_group(self) -> int:
        self._group += 1
        return self._group

    def units(self, context: str) -> list[tuple[int, int, list[int], list[tuple[int, int]]]]:
        """Start, end, word pieces and their places (in the context) of each sentence."""
        if context not in self._units:
            found = []
            for line in re.finditer(r"[^\n]+", context):
                for span in sentences(line[0]):
                    start, end = line.start() + span.start, line.start() + span.end
                    ids, places = self.pieces.with_places(context[start:end])
                    for cut in range(0, len(ids), _LONGEST_SENTENCE):
                        part = places[cut : cut + _LONGEST_SENTENCE]
                        shifted = [(a + start, b + start) for a, b in part]
                        if part:
                            found.append(
                                (shifted[0][0], shifted[-1][1], ids[cut : cut + _LONGEST_SENTENCE], shifted)
                            )
            self._units[context] = found
        return self._units[context]

    def window(self, context: str, around: tuple[int, int] | None) -> list[Unit]:
        """Sentences with room for them: around the answer, at a random distance from it, or anywhere."""
        units = self.units(context)
        if not units:
            return []
        hold = [
            i
            for i, (start, end, _, _) in enumerate(units)
            if around and start < around[1] and end > around[0]
        ]
        first, last = (hold[0], hold[-1]) if hold else (self.chance.randrange(len(units)),) * 2
        size = sum(len(units[i][2]) for i in range(first, last + 1))
        room = self.chance.choice((LONGEST_BODY, LONGEST_BODY, LONGEST_BODY * 2 // 3))
        while True:
            sides = []
            if first > 0 and size + len(units[first - 1][2]) <= room:
                sides.append(-1)
            if last + 1 < len(units) and size + len(units[last + 1][2]) <= room:
                sides.append(1)
            if not sides:
                break
            if self.chance.choice(sides) < 0:
                first -= 1
                size += len(units[first][2])
            else:
                last += 1
                size += len(units[last][2])
        chosen = []
        for start, end, ids, places in units[first : last + 1]:
            label, fact = UNKNOWN, []
            if around:
                label = int(start < around[1] and end > around[0])
                fact = [int(a < around[1] and b > around[0]) for a, b in places]
            chosen.append(Unit(ids, label, fact))
        return chosen

    def add(
        self, question: str, units: list[Unit], label: int, group: int, source: str, weight: float = 1.0
    ) -> None:
        if units:
            self.examples.append(
                Example(self.pieces.ids(question), [], units, ANSWER, label, group, source, weight)
            )

    def positive(self, row: dict, group: int, source: str) -> None:
        answer = next((candidate for candidate in row["answers"] if candidate["start"] >= 0), None)
        around = (answer["start"], answer["start"] + max(len(answer["text"]), 1)) if answer else None
        self.add(asked(row), self.window(row["context"], around), 1, group, source)

    def negative(self, question: str, context: str, group: int, source: str) -> None:
        units = [Unit(unit.ids, 0, [0] * len(unit.ids)) for unit in self.window(context, None)]
        self.add(question, units, 0, group, source)

    def claim(self, row: dict, source: str, group: int | None = None) -> None:
        kept = self.nearest(row["claim"], row["context"])
        if kept:
            label = CLAIM_LABELS[row["label"]]
            group = self.new_group() if group is None else group
            ids = self.pieces.ids(row["claim"])
            wrong = [0] * len(ids) if row["label"] == "supported" else []
            self.examples.append(Example(ids, [], kept, CLAIM, label, group, source, wrong=wrong))

    def nearest(self, claim: str, context: str) -> list[Unit]:
        """As many sentences as fit, around the one that shares most words with the claim: the product's verifier does so too."""
        units = [Unit(ids) for _, _, ids, _ in self.units(context)]
        said = set(self.pieces.ids(claim))
        if not units:
            return []
        first = max(range(len(units)), key=lambda number: len(said & set(units[number].ids)))
        last, size = first, len(units[first].ids)
        while True:
            sides = [number for number in (first - 1, last + 1) if 0 <= number < len(units)]
            fitting = [number for number in sides if size + len(units[number].ids) <= LONGEST_BODY]
            if not fitting:
                return units[first : last + 1]
            side = max(fitting, key=lambda number: len(said & set(units[number].ids)))
            size += len(units[side].ids)
            first, last = min(first, side), max(last, side)


def asked(row: dict) -> str:
    """With the turn it leans on, where there is one."""
    before = [
        turn.removeprefix("user:") for turn in row.get("history", "").split("\t") if turn.startswith("user:")
    ]
    return f"{before[-1].strip()} {row['question']}" if before else row["question"]


class Neighbours:
    """The contexts most like a question by their rare words, as a search would bring them."""

    def __init__(self, contexts: Sequence[str]) -> None:
        self._contexts = list(dict.fromkeys(contexts))
        self._words = [set(_WORD.findall(context.lower())) for context in self._contexts]
        self._where: dict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(self._words):
            for word in words:
                self._where[word].append(number)

    def best(self, question: str, but: str, count: int) -> list[str]:
        scores: Counter[int] = Counter()
        for word in set(_WORD.findall(question.lower())):
            where = self._where.get(word, ())
            if 0 < len(where) <= max(len(self._contexts) // 5, 3):
                rarity = math.log(1 + len(self._contexts) / len(where))
                for number in where:
                    scores[number] += rarity / (1 + 0.002 * len(self._words[number]))
        found = (self._contexts[number] for number, _ in scores.most_common(count + 4))
        return [context for context in found if context != but][:count]


def squad(make: Maker, data: Path) -> None:
    rows, unanswerable = read(data, "qa-squad11"), read(data, "qa-squad2-unans")
    by_context: dict[str, list[dict]] = defaultdict(list)
    by_article: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        by_context[row["context"].strip()].append(row)
        by_article[row["group"]].append(row["context"])
    for row in unanswerable:
        unanswerable_twin(make, row, by_context[row["context"].strip()])
    neighbours = {article: Neighbours(contexts) for article, contexts in by_article.items()}
    for row in make.chance.sample(rows, 60000):
        lower = make.chance.random() < 0.5
        row = {**row, "question": row["question"].lower() if lower else row["question"]}
        answered_and_not(make, row, neighbours[row["group"]], 1, "squad")


def unanswerable_twin(make: Maker, row: dict, same_paragraph: Sequence[dict]) -> None:
    """With the answerable question to the same paragraph that has most words in common: only reading tells them apart."""
    group, said = make.new_group(), set(_WORD.findall(row["question"].lower()))
    twin = max(
        same_paragraph,
        key=lambda other: (
            len(said & set(_WORD.findall(other["question"].lower()))) - 0.1 * len(other["question"].split())
        ),
    )
    answer = twin["answers"][0]
    units = make.window(twin["context"], (answer["start"], answer["start"] + len(answer["text"])))
    make.add(twin["question"].lower(), units, 1, group, "squad2")
    make.add(row["question"], [Unit(unit.ids, 0, [0] * len(unit.ids)) for unit in units], 0, group, "squad2")


def answered_and_not(make: Maker, row: dict, near: Neighbours, count: int, source: str) -> None:
    """The answer, and paragraphs that a search would bring beside it."""
    group = make.new_group()
    make.positive(row, group, source)
    found = near.best(asked(row), row["context"], 5)
    for other in make.chance.sample(found, min(count, len(found))):
        make.negative(asked(row), other, group, source)


def with_neighbours(make: Maker, data: Path) -> None:
    for name, count, negatives in (
        ("qa-nq-qed", 8287, 2),
        ("qa-doc2dial", 3700, 2),
        ("qa-policyqa", 5000, 1),
        ("qa-boolq", 9000, 1),
    ):
        rows = read(data, name)
        near = Neighbours([row["context"] for row in rows])
        for row in make.chance.sample(rows, min(count, len(rows))):
            answered_and_not(make, row, near, negatives, name)


def as_labelled(make: Maker, data: Path) -> None:
    for name, count in (
        ("qa-privacyqa", 5000),
        ("qa-covidqa", 1500),
        ("qa-ni-mixed", 33527),
        ("qa-openstax-mc", 2799),
        ("qa-openstax-glossary", 4000),
    ):
        rows = read(data, name)
        for row in make.chance.sample(rows, min(count, len(rows))):
            if row["answerable"]:
                make.positive(row, make.new_group(), name)
            else:
                make.negative(row["question"], row["context"], make.new_group(), name)


def ranked(make: Maker, data: Path) -> None:
    for name, count in (
        ("rank-openstax-exercise", 3900),
        ("rank-medquad", 3500),
        ("rank-openstax-glossary", 2500),
    ):
        rows = read(data, name)
        for row in make.chance.sample(rows, min(count, len(rows))):
            group = make.new_group()
            make.add(row["query"], _unlabelled(make, row["positive"]), 1, group, name, 0.7)
            for other in make.chance.sample(row["negatives"], min(2, len(row["negatives"]))):
                make.negative(row["query"], other, group, name)


def _unlabelled(make: Maker, context: str) -> list[Unit]:
    """From its beginning; which sentence answers is not known."""
    return [Unit(unit.ids) for unit in make.window(context, (0, 1))]


def claims(make: Maker, data: Path) -> None:
    chance = make.chance
    wanted = {
        "nli-cad": 11285,
        "nli-mnli": 20250,
        "nli-snli": 60000,
        "nli-fever": 16742,
        "nli-halueval": 24000,
        "nli-ni-mixed": 9167,
        "nli-openstax-mc": 2336,
        "nli-openstax-glossary": 8000,
        "nli-wice": 373,
        "nli-scitail": 3000,
    }
    for name, count in wanted.items():
        rows = read(data, name)
        if name == "nli-ni-mixed":
            rows = [row for row in rows if row["source"] != "perspectrum"]
        for row in chance.sample(rows, min(count, len(rows))):
            make.claim(row, name)


def yes_or_no(make: Maker, data: Path) -> None:
    """Questions as claims, as prepare_claims.py has those of our own."""
    for row in make.chance.sample(read(data, "qa-boolq"), 9000):
        label = "supported" if row["answers"][0]["text"] == "yes" else "contradicted"
        make.claim({**row, "claim": row["question"], "label": label}, "yesno-boolq")


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--data", type=Path, default=Path("../shared/data/train"))
    words.add_argument("--tokenizer", type=Path, required=True)
    words.add_argument("--out", type=Path, required=True)
    words.add_argument("--seed", type=int, default=5)
    given = words.parse_args()
    make = Maker(Pieces(given.tokenizer), given.seed)
    for prepare in (squad, with_neighbours, as_labelled, ranked, claims, yes_or_no):
        prepare(make, given.data)
    pack(make.examples, given.out)
    print(Counter((example.source, example.label) for example in make.examples).most_common(60))
    print(len(make.examples), "examples")


if __name__ == "__main__":
    main()
