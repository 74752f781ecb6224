"""Fit what `verify` believes, and measure it.

    python scripts/fit_verify.py --data ../shared/data/eval            writes the coefficients that are shipped
    python scripts/fit_verify.py --data ../shared/data/eval --report   prints the figures as JSON, writes nothing

Three kinds of claims are learned from: wice_dev and scifact_train500 in `grounding`, and sentences of the
books there, edited so that they stay true or become false. A figure is never of claims that it was fitted
on: it is cross-validated, or of a set that was left out whole. The seed is fixed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from verify_claims import READERS, SEED, Example

from glossator.answer.verify import Ledger, weigh
from glossator.answer.verify.compare import Claim, compare
from glossator.answer.verify.features import FOR, features
from glossator.answer.verify.phrase import Phrase
from glossator.answer.verify.plain import plain
from glossator.answer.verify.weigh import word_weights
from glossator.model import Chunk, Evidence, Lexicon, Section
from glossator.ports import Embedder
from glossator.settings import load_settings
from glossator.text.words import stems
from glossator.wiring import embedder_of

FOLDS, ROUNDS = 5, 5
CLAIMS = 1000.0
"""What the claims of a set weigh together, against the penalty on steep slopes."""
PENALTY = 150.0
SETS = ("wice", "scifact", "edited")
PASSAGE = 120
"""Words."""
EITHER = ("length",)
"""Features that may speak for a claim or against it."""
SHARES = (1.0, 1.0, 4.0)
"""How much of each set goes into what is shipped: claims about a book are most like its edited sentences."""
SUPPORTED, PARTLY = 0.10, 0.04
"""The shares of edited sentences that are true, and are allowed to get a lower verdict."""


def main() -> None:
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--report", action="store_true")
    chosen = arguments.parse_args()
    if chosen.report:
        print(json.dumps(report(chosen.data), indent=2))
    else:
        path = Path(weigh.__file__).with_name(weigh.FILE)
        path.write_text(json.dumps(fitted(chosen.data), indent=2) + "\n", "utf-8")
        print(f"wrote {path}", file=sys.stderr)


@dataclass(frozen=True)
class Table:
    """Examples as the features that verify sees."""

    names: tuple[str, ...]
    values: np.ndarray
    labels: np.ndarray
    supported: np.ndarray

    def only(self, which: np.ndarray) -> Table:
        return Table(self.names, self.values[which], self.labels[which], self.supported[which])


def report(data: Path) -> dict[str, object]:
    wice, scifact, edits = (table(data, name) for name in SETS)
    decided = scifact.only(scifact.labels != "NEI")
    without = table(data, "scifact", states=False)
    return {
        "wice_dev, supported or not": {
            "cross-validated": cross_validated(wice),
            "cross-validated, without token states": cross_validated(table(data, "wice", states=False)),
            "fitted on the other sets": fitted_elsewhere([scifact, edits], wice),
        },
        "scifact, support against contradict": {
            "cross-validated": cross_validated(decided),
            "cross-validated, without token states": cross_validated(without.only(scifact.labels != "NEI")),
            "fitted on the other sets": fitted_elsewhere([wice, edits], decided),
        },
        "scifact, support against the rest": {"cross-validated": cross_validated(scifact)},
        "edited sentences": {
            "cross-validated": cross_validated(edits),
            "fitted on the other sets": fitted_elsewhere([wice, scifact], edits),
        },
    }


def wice_accuracy(data: Path) -> float:
    """Balanced, cross-validated: is the claim supported as a whole?"""
    return cross_validated(table(data, "wice"))["balanced_accuracy"]


def scifact_accuracy(data: Path) -> float:
    """Balanced, cross-validated: does the abstract support the claim, or contradict it?"""
    scifact = table(data, "scifact")
    return cross_validated(scifact.only(scifact.labels != "NEI"))["balanced_accuracy"]


def fitted(data: Path) -> dict[str, object]:
    """What is shipped: fitted on everything there is."""
    stored: dict[str, object] = {"embedder": opened_embedder().identity.name}
    for name, states in (("with_states", True), ("without_states", False)):
        tables = [table(data, one, states=states) for one in SETS]
        model, edits = fit(tables, SHARES), tables[-1]
        cuts = np.quantile(model.scores(edits.values[edits.supported]), (SUPPORTED, PARTLY)).round(2)
        stored[name] = {**model.stored(), "supported": float(cuts[0]), "partly": float(cuts[1])}
    return stored


@dataclass(frozen=True)
class Logistic:
    names: tuple[str, ...]
    bias: float
    slopes: np.ndarray

    def scores(self, values: np.ndarray) -> np.ndarray:
        return 1.0 / (1.0 + np.exp(-(self.bias + values @ self.slopes)))

    def stored(self) -> dict[str, object]:
        """Without what has no say."""
        slopes = {
            name: round(float(slope), 4) for name, slope in zip(self.names, self.slopes, strict=True) if slope
        }
        return {"bias": round(self.bias, 4), "slopes": slopes}


def fit(tables: Sequence[Table], shares: Sequence[float] | None = None) -> Logistic:
    """In each set, true and false claims count the same."""
    values = np.vstack([one.values for one in tables])
    supported = np.hstack([one.supported for one in tables]).astype(float)
    parts = np.array(shares or [1.0] * len(tables)) * CLAIMS
    weights = np.hstack([_balanced(one.supported) * part for one, part in zip(tables, parts, strict=True)])
    means, spreads = values.mean(axis=0), values.std(axis=0) + 1e-9
    may_stay = np.ones(values.shape[1], bool)
    wanted = np.array([1 if name in FOR else 0 if name in EITHER else -1 for name in tables[0].names])
    while True:
        slopes, bias = _newton((values - means) / spreads * may_stay, supported, weights)
        wrong = may_stay & (slopes * wanted < 0)
        if not wrong.any():
            break
        # What speaks the wrong way does so by chance, or because another feature says it already.
        may_stay &= ~wrong
    slopes = np.where(may_stay, slopes / spreads, 0.0)
    return Logistic(tables[0].names, float(bias - means @ slopes), slopes)


def _balanced(supported: np.ndarray) -> np.ndarray:
    return np.where(supported, 0.5 / max(supported.sum(), 1), 0.5 / max((~supported).sum(), 1))


def _newton(values: np.ndarray, supported: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, float]:
    """Regularised logistic regression."""
    design = np.hstack([values, np.ones((len(values), 1))])
    penalty = np.diag([PENALTY] * values.shape[1] + [1e-6])
    solution = np.zeros(design.shape[1])
    for _ in range(30):
        expected = 1.0 / (1.0 + np.exp(-design @ solution))
        slope = design.T @ (weights * (expected - supported)) + penalty @ solution
        curve = (design.T * (weights * expected * (1 - expected))) @ design + penalty
        solution = solution - np.linalg.solve(curve, slope)
    return solution[:-1], float(solution[-1])


def cross_validated(one: Table) -> dict[str, float]:
    """Five folds, five times; the cut between true and false is 0.5 of a balanced fit."""
    chance = np.random.default_rng(SEED)
    rounds = [_held_out_scores(one, chance) for _ in range(ROUNDS)]
    return {
        "balanced_accuracy": round(float(np.mean([_accuracy(one, scores) for scores in rounds])), 4),
        "auroc": round(float(np.mean([_auroc(one, scores) for scores in rounds])), 4),
    }


def _held_out_scores(one: Table, chance: np.random.Generator) -> np.ndarray:
    folds = np.zeros(len(one.supported), int)
    for value in (True, False):
        places = np.flatnonzero(one.supported == value)
        folds[chance.permutation(places)] = np.arange(len(places)) % FOLDS
    scores = np.zeros(len(folds))
    for fold in range(FOLDS):
        scores[folds == fold] = fit([one.only(folds != fold)]).scores(one.values[folds == fold])
    return scores


def fitted_elsewhere(tables: Sequence[Table], one: Table) -> dict[str, float]:
    """Where the cut lies is not carried over, so only the order is measured, and the best cut."""
    scores = fit(tables).scores(one.values)
    best = max(_accuracy(one, scores, cut) for cut in np.unique(scores))
    return {"auroc": round(_auroc(one, scores), 4), "balanced_accuracy_at_best_cut": round(best, 4)}


def _accuracy(one: Table, scores: np.ndarray, cut: float = 0.5) -> float:
    return float(((scores >= cut)[one.supported].mean() + (scores < cut)[~one.supported].mean()) / 2)


def _auroc(one: Table, scores: np.ndarray) -> float:
    higher, lower = scores[one.supported][:, None], scores[~one.supported][None, :]
    return float((higher > lower).mean() + (higher == lower).mean() / 2)


@cache
def table(data: Path, name: str, *, states: bool = True) -> Table:
    examples = list(READERS[name](data))
    rarity = lexicon_of(sorted({text for example in examples for text in example.evidence})).rarity
    embedder = opened_embedder() if states else None
    rows = [_features(example, rarity, embedder) for example in examples]
    values = np.array([list(row.values()) for row in rows])
    labels = np.array([example.label for example in examples])
    return Table(tuple(rows[0]), values, labels, np.array([example.supported for example in examples]))


def _features(
    example: Example, rarity: Callable[[str], float], embedder: Embedder | None
) -> dict[str, float]:
    phrase = Phrase(plain(example.claim).text, "english")
    claim = Claim(phrase, word_weights(phrase, rarity), frozenset())
    return features(compare(claim, _ledger(example.evidence), embedder))


@lru_cache(maxsize=4)
def _ledger(texts: tuple[str, ...]) -> Ledger:
    section = Section("", "", (), 0)
    chunks = [Chunk("", "", "", "", 0, (section,), text, 0, len(text), 0, "") for text in texts]
    evidence = [Evidence(number, chunk, section, (), 1.0) for number, chunk in enumerate(chunks, 1)]
    return Ledger.of(evidence, "english")


def lexicon_of(texts: Sequence[str]) -> Lexicon:
    """As an ingest would count them, in passages of so many words."""
    counts = Counter[str]()
    passages = 0
    for text in texts:
        found = stems(text, "english")
        for start in range(0, len(found), PASSAGE):
            counts.update(set(found[start : start + PASSAGE]))
            passages += 1
    return Lexicon("english", passages, counts)


@cache
def opened_embedder() -> Embedder:
    return embedder_of(load_settings())


if __name__ == "__main__":
    main()
