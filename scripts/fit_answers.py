"""Fits how passages are ranked and how sure an answer is, on real question sets.

    python scripts/fit_answers.py --data ../shared/data/eval --homes /tmp/homes

What ranks (answer/retrieve.py) is fitted on squad2, clapnq and chunking, and reported on the others.
What judges (answer/judge.py) is fitted on all sets; what is reported of a set is fitted on the others.
No randomness but a fixed seed.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import numpy as np
from sets import Asked, Set, opened, sets_of

from glossator.answer import retrieve as retrieving
from glossator.answer.select import select
from glossator.answer.weigh import weigh
from glossator.model import Filters, IndexQuery, Selection
from glossator.wiring import calibration_of

FITTED_ON = ("squad2", "clapnq", "chunking")
SIGNS = ("stretch", "whole", "cosine", "coverage", "strangers", "length")
SEED = 7
JUDGING = Path(__file__).with_name("judging.json")
WITHOUT = {"book": ("strangers",), "selection": ("whole", "coverage", "length")}
"""Signs that were worth nothing there, or less."""
OF_BOOKS = {"answerable": 1.0, "far": 0.5, "chapter out": 0.3}
OF_SELECTIONS = {"answerable": 1.0, "far": 0.6, "lacking": 0.3}
"""What each kind of question weighs."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--homes", type=Path, default=Path("/tmp/glossator-homes"))
    parser.add_argument("--most", type=int, default=300, help="questions of a set")
    options = parser.parse_args()
    every = sets_of(options.data, options.homes / "pages")
    ranked, judged = {}, {}
    for one in every.values():
        ranked[one.name], judged[one.name] = looked_at(one, every, options.homes, options.most)
        print(one.name, {kind: len(rows) for kind, rows in judged[one.name].items()}, flush=True)
    report_ranking(ranked)
    fitted = {"book": report_judging(judged, OF_BOOKS, WITHOUT["book"])}
    selected = {
        one.name: selections(one, every, options.homes, options.most)
        for one in every.values()
        if one.has_passages
    }
    fitted["selection"] = report_judging(selected, OF_SELECTIONS, WITHOUT["selection"])
    JUDGING.write_text(json.dumps(fitted, indent=2) + "\n", "utf-8")


def looked_at(one: Set, every: dict[str, Set], homes: Path, most: int):
    chance = random.Random(SEED)
    answerable = [asked for asked in one.questions if asked.answerable]
    answerable = chance.sample(answerable, min(most, len(answerable)))
    others = [asked for name, other in every.items() if name != one.name for asked in _some(other, chance)]
    with opened(one, homes) as (embedder, index):
        ranked = [ranking(one, asked, embedder, index) for asked in answerable]
        judged = {
            "answerable": [signs(asked.text, embedder, index) for asked in answerable],
            "far": [signs(asked.text, embedder, index) for asked in others],
            "chapter out": [
                signs(asked.text, embedder, index, filters)
                for asked in answerable
                if (filters := without_chapter(one, asked, index))
            ],
        }
    return ranked, judged


def _some(other: Set, chance: random.Random) -> list[Asked]:
    answerable = [asked for asked in other.questions if asked.answerable]
    return chance.sample(answerable, min(60, len(answerable)))


def without_chapter(one: Set, asked: Asked, index) -> Filters | None:
    """The book without the chapter that answers, where enough of it is left."""
    if not one.chapters:
        return None
    of_page = {page.path: _chapter(one, page.path) for page in index.manifest().pages}
    gold = {of_page[page] for page in of_page if one.is_gold(asked, page)}
    left = tuple(page for page, chapter in of_page.items() if chapter not in gold)
    return Filters(page=left) if gold and len(left) > 0.4 * len(of_page) else None


def _chapter(one: Set, path: str) -> str:
    return next(
        (chapter for page, chapter in one.chapters.items() if page.endswith(path) or path.endswith(page)),
        path,
    )


def ranking(one: Set, asked: Asked, embedder, index) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """For each passage of the first search what speaks for it, whether it is right, and its page."""
    manifest = index.manifest()
    embedding = embedder.embed_query(asked.text, states=True)
    query = IndexQuery(asked.text, embedding.vector, limit=40, candidates=40, states=True)
    weights = weigh(embedding.pieces, manifest.lexicon)
    sights = retrieving.look(embedding, weights, index.search(query))
    most = max((sight.found.scores.sparse or 0.0 for sight in sights), default=0.0) or 1.0
    pages = retrieving._pages(sights, weights)
    rows = [
        [
            sight.found.scores.dense or 0.0,
            (sight.found.scores.sparse or 0.0) / most,
            sight.interaction.stretch,
            pages[sight.found.passage.chunk.page],
        ]
        for sight in sights
    ]
    right = [_is_right(one, asked, sight.found.passage) for sight in sights]
    places = [sight.found.passage.chunk.page for sight in sights]
    return np.array(rows), np.array(right), places


def _is_right(one: Set, asked: Asked, passage) -> bool:
    if not one.is_gold(asked, passage.chunk.page):
        return False
    return not asked.spans or any(passage.start < end and start < passage.end for start, end in asked.spans)


def signs(text: str, embedder, index, filters: Filters | None = None) -> list[float]:
    found = retrieving.retrieve(text, embedder, index, filters=filters).signs
    return [getattr(found, name) for name in SIGNS]


def report_ranking(ranked: dict) -> None:
    fitted = fit_ranking([ranked[name] for name in FITTED_ON if name in ranked])
    print("\nranking: cosine, words, stretch, page =", fitted.round(2).tolist())
    shipped = np.array([retrieving._COSINE, retrieving._WORDS, retrieving._STRETCH, retrieving._PAGE])
    for name, rows in ranked.items():
        print(
            f"  {name:18}",
            *(
                f"{label} {_measured(rows, weights)}"
                for label, weights in (
                    ("fitted", fitted),
                    ("shipped", shipped),
                    ("cosine", np.eye(4)[0]),
                    ("words", np.eye(4)[1]),
                    ("fused", np.array([1, 0.4, 0, 0])),
                )
            ),
        )


def fit_ranking(sets: list, steps: int = 150) -> np.ndarray:
    """The right passages' share of a soft maximum, by Adam."""
    lists = [
        (rows, right, 1 / len(one))
        for one in sets
        for rows, right, _ in one
        if right.any() and not right.all()
    ]
    weights, mean, square = np.full(4, 0.5), np.zeros(4), np.zeros(4)
    for step in range(1, steps + 1):
        slope = 1e-3 * weights
        for rows, right, share in lists:
            raised = 10 * rows @ weights
            chance = np.exp(raised - raised.max())
            chance /= chance.sum()
            hoped = chance * right
            slope = slope + share * 10 * rows.T @ (chance - hoped / (hoped.sum() + 1e-12)) / len(sets)
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        weights = weights - 0.03 * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return weights


def _measured(rows: list, weights: np.ndarray) -> str:
    places = np.array([_place(*one, weights) for one in rows])
    return f"{np.mean(places < 1):.3f}/{np.mean(places < 5):.3f}/{np.mean(np.where(places < 10, 1 / (1 + places), 0)):.3f}"


def _place(rows: np.ndarray, right: np.ndarray, pages: list[str], weights: np.ndarray) -> int:
    seen: dict[str, bool] = {}
    for best in np.argsort(-(rows @ weights), kind="stable"):
        seen.setdefault(pages[best], bool(right[best]))
    return next((place for place, is_right in enumerate(seen.values()) if is_right), 99)


def selections(one: Set, every: dict[str, Set], homes: Path, most: int) -> dict[str, list[list[float]]]:
    """The passage of each question as what a reader selected."""
    chance = random.Random(SEED)
    asked = chance.sample(one.questions, min(2 * most, len(one.questions)))
    others = [
        question.text
        for name, other in every.items()
        if name != one.name
        for question in _some(other, chance)
    ]
    with opened(one, homes) as (embedder, _):

        def found(text: str, passage: str) -> list[float]:
            calibration = calibration_of(embedder.identity)
            selection = Selection(passage, only=True)
            retrieved, _ = select(text, selection, embedder, calibration=calibration, language="english")
            return [getattr(retrieved.signs, name) for name in SIGNS]

        return {
            "answerable": [
                found(question.text, question.passage) for question in asked if question.answerable
            ],
            "lacking": [
                found(question.text, question.passage) for question in asked if not question.answerable
            ],
            "far": [found(text, question.passage) for text, question in zip(others, asked, strict=False)],
        }


def report_judging(
    judged: dict, kinds: dict[str, float], without: tuple[str, ...]
) -> dict[str, dict[str, float]]:
    print("\njudging (each set by weights fitted on the others)")
    fitted = {}
    for name in judged:
        weights = fit_judging([rows for other, rows in judged.items() if other != name], kinds, without)
        yes, no = probability(judged[name]["answerable"], weights), probability(judged[name]["far"], weights)
        print(
            f"  {name:18} answered at .60 {np.mean(yes >= 0.6):.3f}, far refused {np.mean(no < 0.6):.3f},",
            f"far refused at 95 % answered {np.mean(no < np.quantile(yes, 0.05)):.3f},",
            f"calibration error {calibration_error(yes, no):.3f}",
            *(
                f"{kind} refused {np.mean(rest < 0.6):.3f}, AUROC {np.mean(yes[:, None] > rest[None]):.3f}"
                for kind in kinds
                if kind not in ("answerable", "far") and len(rest := probability(judged[name][kind], weights))
            ),
        )
        fitted[f"without {name}"] = named(weights)
    fitted["all"] = named(fit_judging(list(judged.values()), kinds, without))
    print("  of all sets:", fitted["all"])
    return fitted


def named(weights: np.ndarray) -> dict[str, float]:
    return dict(zip((*SIGNS, "constant"), weights.round(3).tolist(), strict=True))


def fit_judging(
    sets: list, kinds: dict[str, float], without: tuple[str, ...] = (), ridge: float = 0.01
) -> np.ndarray:
    """A logistic curve by Newton's steps; every set weighs the same, and its left-out chapters a little."""
    rows, right, share = [], [], []
    for one in sets:
        for kind, weight in kinds.items():
            if one[kind]:
                rows += one[kind]
                right += [kind == "answerable"] * len(one[kind])
                share += [weight / len(one[kind])] * len(one[kind])
    x, y, w = np.array(rows), np.array(right, float), np.array(share) / np.mean(share)
    x = x * [name not in without for name in SIGNS]
    centre, spread = x.mean(0), x.std(0) + 1e-9
    z, beta = np.c_[(x - centre) / spread, np.ones(len(x))], np.zeros(x.shape[1] + 1)
    for _ in range(60):
        chance = 1 / (1 + np.exp(-z @ beta))
        slope = z.T @ (w * (chance - y)) + ridge * np.r_[beta[:-1], 0]
        beta -= np.linalg.solve((z.T * (w * chance * (1 - chance))) @ z + ridge * np.eye(len(beta)), slope)
    raw = beta[:-1] / spread
    return np.r_[raw, beta[-1] - raw @ centre]


def probability(rows: list, weights: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-(np.array(rows).reshape(-1, len(SIGNS)) @ weights[:-1] + weights[-1])))


def calibration_error(yes: np.ndarray, no: np.ndarray, bins: int = 10) -> float:
    chance, right = np.r_[yes, no], np.r_[np.ones(len(yes)), np.zeros(len(no))]
    place = np.minimum((chance * bins).astype(int), bins - 1)
    return sum(
        np.mean(place == b) * abs(chance[place == b].mean() - right[place == b].mean())
        for b in range(bins)
        if (place == b).any()
    )


if __name__ == "__main__":
    main()
