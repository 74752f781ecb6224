"""Examples of claims from our own twins and ideal answers: each beside the few sentences that the verifier would show.

Runs in the product's environment; needs the books' pages and no index.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from lies import lie_of
from packing import (
    CLAIM,
    CLAIM_LABELS,
    LONGEST_QUESTION,
    NOT_SUPPORTED,
    Example,
    Pieces,
    Unit,
    changed_pieces,
    pack,
)
from pages import Pages, holds, root_of, rows_of, squeezed, touches, verdict_of

from glossator.answer.windows import neighbourhoods, windows
from glossator.model import Window

SUPPORTED, CONTRADICTED, NOT_TOLD = (CLAIM_LABELS[name] for name in ("supported", "contradicted", "neutral"))
NEAR = 3
"""Other places of the page that share most words with a claim: one of them does not tell it."""


class Maker:
    def __init__(self, name: str, pages: Pages, pieces: Pieces, seed: int) -> None:
        self.name, self.pages, self.pieces, self.chance = name, pages, pieces, random.Random(seed)
        self.examples, self.figures, self._group = list[Example](), Counter[str](), 0

    def twin(self, row: dict) -> None:
        near = [window for passage in self.pages.passages(row["page"]) for window in neighbourhoods(passage)]
        here = [window for window in near if holds(window, row)]
        self.figures["twins"] += 1
        self.figures["twins placed"] += bool(here)
        if here:
            away = [window for window in near if not touches(window, row)]
            lies = [(row["lie"], 1.0), (lie_of(row["faithful"], here[0].texts, self.chance), 0.7)]
            self.truth_and_lies(row["faithful"], lies, self.chance.choice(here), away)

    def ideal(self, row: dict) -> None:
        """A good answer is supported by the place it was written from, and not told elsewhere."""
        if len({place["page"] for place in row["gold"]}) != 1:
            return
        wide = [
            passage for passage in self.pages.passages(row["gold"][0]["page"]) for passage in windows(passage)
        ]
        here = [window for window in wide if all(holds(window, place) for place in row["gold"])]
        if here:
            window = self.chance.choice(here)
            self.figures["ideals"] += 1
            self.truth_and_lies(
                row["ideal"], [(lie_of(row["ideal"], window.texts, self.chance), 1.0)], window, [], 0.6
            )

    def yes_or_no(self, row: dict) -> None:
        """A question as a claim: where the answer is yes, the place supports what the question says."""
        verdict = verdict_of(row)
        windows_here = [
            window
            for passage in self.pages.passages(row["gold"][0]["page"])
            for window in windows(passage)
            if any(holds(window, place) for place in row["gold"])
        ]
        if verdict and windows_here:
            self._group += 1
            self.figures[verdict] += 1
            # Those who wrote the questions liked those best that are answered with no: there are four times as many.
            label, weight = (SUPPORTED, 2.0) if verdict == "yes" else (CONTRADICTED, 0.6)
            question = row["question"].rstrip(" ?")
            self.add(question, self.chance.choice(windows_here), label, [], weight, f"yesno/{self.name}")

    def truth_and_lies(
        self,
        truth: str,
        lies: Sequence[tuple[str | None, float]],
        evidence: Window,
        away: Sequence[Window],
        weight: float = 1.0,
    ) -> None:
        self._group += 1
        ids = self.pieces.ids(truth)
        self.add(truth, evidence, SUPPORTED, [0] * len(ids), weight)
        for lie, of_lie in lies:
            if lie:
                wrong = changed_pieces(ids, self.pieces.ids(lie))
                self.add(lie, evidence, NOT_SUPPORTED, wrong, weight * of_lie)
        if away:
            nearest = sorted(away, key=lambda window: -shared_words(truth, " ".join(window.texts)))[:NEAR]
            self.add(truth, self.chance.choice(nearest), NOT_TOLD, [], 0.5 * weight)

    def add(
        self, claim: str, window: Window, label: int, wrong: list[int], weight: float, source: str = ""
    ) -> None:
        ids = self.pieces.ids(claim)
        heading = list(self.pages.reader.heading_ids(window, set(ids[:LONGEST_QUESTION])))
        units = [Unit(self.pieces.ids(text)) for text in window.texts]
        source = source or f"twins/{self.name}"
        self.examples.append(Example(ids, heading, units, CLAIM, label, self._group, source, weight, wrong))


def shared_words(one: str, other: str) -> int:
    return len(set(squeezed(one).split()) & set(squeezed(other).split()))


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("books", nargs="+")
    words.add_argument("--folder", type=Path, action="append", required=True, help="a folder of books")
    words.add_argument("--tokenizer", type=Path, required=True)
    words.add_argument("--out", type=Path, required=True, help="a folder; one file a book")
    given = words.parse_args()
    here, pieces = Path(__file__).parent, Pieces(given.tokenizer)
    for name in given.books:
        make = Maker(name, Pages(root_of(name, given.folder)), pieces, seed=11)
        for row in rows_of(here / "twins" / f"{name}.jsonl"):
            make.twin(row)
        for row in rows_of(here / "questions" / f"{name}.jsonl"):
            if row.get("ideal") and row.get("gold") and row["kind"] != "followup":
                make.ideal(row)
            if row.get("gold") and row["kind"] == "yesno":
                make.yes_or_no(row)
        if make.examples:
            pack(make.examples, given.out / f"{name}.npz")
        print(name, len(make.examples), dict(make.figures), flush=True)


if __name__ == "__main__":
    main()
