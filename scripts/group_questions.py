"""How well questions of one meaning are put together, for docs/quality.md: pairs of questions, as JSON.

    .venv/bin/python scripts/group_questions.py --data folder        (of the same layout as shared/data)

Questions that one page answers should come together. That is more than the content-gap report promises, for a page
answers questions of many meanings, so the recall is low; and a neighbouring page may answer the same, so the precision
is a floor. What can be compared are ways of grouping, each at the threshold where it finds as many pairs as ours.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path

import numpy as np
from sets import Set, opened, sets_of

from glossator.insights.gaps import LEAST_SIMILARITY, MOST_WORDINGS
from glossator.insights.similarity import Matrix, cluster, mean_cosine, question_similarity
from glossator.ports import Embedder, Index
from glossator.question_generation import foreign_questions

SETS = ("physical-ai-quiz", "squad2")
Labels = Sequence[Hashable]
Way = Callable[[float], list[list[int]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder like shared/data")
    parser.add_argument("--homes", type=Path, default=Path("/tmp/glossator-homes"))
    options = parser.parse_args()
    data = options.data / "eval" if (options.data / "eval").is_dir() else options.data
    sets = sets_of(data, options.homes / "pages")
    figures = {}
    for name in SETS:
        with opened(sets[name], options.homes) as (embedder, index):
            figures[name] = measured(sets[name], embedder, index)
            print(name, json.dumps(figures[name]), file=sys.stderr, flush=True)
    json.dump(figures, sys.stdout, indent=2)
    print()


def measured(question_set: Set, embedder: Embedder, index: Index) -> dict[str, object]:
    asked = {question.text: question.pages[0] for question in question_set.questions if question.answerable}
    texts = list(asked)[:MOST_WORDINGS]
    pages = [asked[text] for text in texts]
    vectors, lexicon = embedded(embedder, texts), index.manifest().lexicon
    usual = mean_cosine(embedded(embedder, foreign_questions(lexicon)))
    begun = time.perf_counter()
    both = question_similarity(texts, vectors, usual, lexicon)
    groups = cluster(both, LEAST_SIMILARITY)
    seconds = time.perf_counter() - begun
    meaning = ((vectors @ vectors.T - usual) / (1 - usual)).clip(0, 1).astype(np.float32)
    words = question_similarity(texts, np.eye(len(texts), dtype=np.float32), 0.0, lexicon) * 2
    recall = pairs(groups, pages)["recall"]
    return {
        "questions": len(texts),
        "seconds": round(seconds, 2),
        "both": pairs(groups, pages) | {"same_chapter": pairs(groups, chapters(pages))["precision"]},
        "meaning": as_many(lambda least: cluster(meaning, least), pages, recall),
        "words": as_many(lambda least: cluster(words, least), pages, recall),
        "leaders": as_many(lambda least: leaders(meaning, least), pages, recall),
    }


def embedded(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    return np.stack([passage.vector for passage in embedder.embed_passages(texts)])


def chapters(pages: Sequence[str]) -> list[str]:
    """The folder of a page; of an article's paragraphs the article."""
    return [page.split("/lessons/")[0] if "/" in page else page.rpartition("-")[0] for page in pages]


def leaders(alike: Matrix, least: float) -> list[list[int]]:
    """Each to the most alike of those that began a group, or begins one."""
    groups: dict[int, list[int]] = {}
    for row in range(len(alike)):
        nearest = max(groups, key=lambda leader: alike[row, leader], default=None)
        is_near = nearest is not None and alike[row, nearest] >= least
        groups.setdefault(nearest if is_near and nearest is not None else row, []).append(row)
    return list(groups.values())


def as_many(way: Way, labels: Labels, recall: float) -> dict[str, float]:
    """At the threshold where it finds about so many of the pairs."""
    tried = [pairs(way(float(least)), labels) for least in np.arange(0.04, 0.86, 0.02)]
    return min(tried, key=lambda found: abs(found["recall"] - recall))


def pairs(groups: Sequence[Sequence[int]], labels: Labels) -> dict[str, float]:
    together = _pairs(Counter(number for number, group in enumerate(groups) for _ in group))
    alike = _pairs(Counter(labels))
    both = _pairs(Counter((number, labels[row]) for number, group in enumerate(groups) for row in group))
    return {"precision": round(both / max(together, 1), 3), "recall": round(both / max(alike, 1), 3)}


def _pairs(counts: Counter) -> int:
    return sum(count * (count - 1) // 2 for count in counts.values())


if __name__ == "__main__":
    main()
