"""Whether the right window is found for follow-up questions, by what stands before them when they are searched.

    PYTHONPATH=src:training python training/measure_followups.py --homes COPIES jest vue-docs

`COPIES` are copies of the books' homes: whoever opens an index locks it.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from glossator.answer.retrieve import DEPTH, READ, ReaderQuery, candidates
from glossator.answer.route import choose_route, rewrite
from glossator.model import Exchange, IndexQuery, Lexicon, Question, Route, Window
from glossator.ports import Embedder, Index
from glossator.settings import Settings
from glossator.wiring import embedder_of, index_of

QUESTIONS = Path(__file__).with_name("questions")
FIRST = (1, 3, 16)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--homes", type=Path, required=True)
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    parser.add_argument("books", nargs="+")
    options = parser.parse_args()
    embedder = embedder_of(Settings())
    ranks = defaultdict[str, list[int]](list)
    for book in options.books:
        with closing(index_of(Settings(home=options.homes / book), expects=embedder.identity)) as index:
            lexicon = index.manifest().lexicon
            for row in _rows(options.questions / f"{book}.jsonl"):
                for name, way in WAYS.items():
                    asked = way(row["question"], _history(row), lexicon)
                    ranks[name].append(_rank(row["gold"], _windows(asked, embedder, index)))
        print(book, *(_shown(name, some) for name, some in ranks.items()), sep="\n", flush=True)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text().splitlines():
        row = json.loads(line)
        if row["kind"] == "followup" and row["answerable"]:
            yield row


def _history(row: dict[str, Any]) -> tuple[Exchange, ...]:
    return tuple(Exchange(exchange["question"], f"{exchange['answer']} [1]") for exchange in row["history"])


def _rewritten(question: str, history: tuple[Exchange, ...], lexicon: Lexicon) -> str:
    """As the pipeline asks it."""
    if choose_route(Question(question, history=history)) is not Route.FOLLOW_UP:
        return question
    return rewrite(question, history).search


WAYS: dict[str, Callable[[str, tuple[Exchange, ...], Lexicon], str]] = {
    "alone": lambda question, history, lexicon: question,
    "last question before it": lambda question, history, lexicon: f"{history[-1].question} {question}",
    "last question behind it": lambda question, history, lexicon: f"{question} ({history[-1].question})",
    "both of the last exchange": lambda question, history, lexicon: (
        f"{history[-1].question} {question} {history[-1].answer[:-4][:120]}"
    ),
    "rewritten": _rewritten,
}


def _windows(asked: str, embedder: Embedder, index: Index) -> list[Window]:
    """Those that would be read, the most promising first."""
    embedding = embedder.embed_query(asked, states=True)
    query = IndexQuery((asked,), embedding.vector, limit=DEPTH, candidates=DEPTH, states=True)
    found = candidates(ReaderQuery((asked,), embedding, index.manifest().lexicon), index.search(query), READ)
    return [candidate.window for candidate in found]


def _rank(gold: Sequence[dict[str, Any]], windows: Sequence[Window]) -> int:
    for rank, window in enumerate(windows, 1):
        passage = window.passage
        units = [passage.units[part.unit] for part in window.parts]
        start, end = units[0].start, units[-1].end
        if any(passage.chunk.page == g["page"] and start < g["end"] and g["start"] < end for g in gold):
            return rank
    return 99


def _shown(name: str, ranks: Sequence[int]) -> str:
    shares = "  ".join(f"first {most}: {sum(rank <= most for rank in ranks)}" for most in FIRST)
    return f"  {name:<28}{shares}  of {len(ranks)}"


if __name__ == "__main__":
    main()
