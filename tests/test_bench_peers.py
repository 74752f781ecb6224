"""The rules by which `make bench-peers` scores every product."""

from __future__ import annotations

from pathlib import Path

from peers.corpora import Corpus, Question
from peers.plot import plot
from peers.report import report
from peers.score import scored


def found(page: str, text: str = "", score: float = 0.5) -> dict[str, object]:
    return {"page": page, "text": text, "score": score}


def figures_of(questions: list[Question], results: list[list[dict[str, object]]]) -> dict[str, float]:
    return scored(Corpus("book", Path(), {"set": questions}), results)["set"]


def test_a_page_is_found_though_a_product_leaves_out_the_folder_of_all_pages() -> None:
    question = Question("?", ("docs/intro/start.md",))
    assert figures_of([question], [[found("intro/start.md")]])["hit@1"] == 1.0
    assert figures_of([question], [[found("restart.md")]])["hit@1"] == 0.0


def test_hit_at_5_looks_at_five_results_and_hit_at_1_at_one() -> None:
    others = [found(f"{number}.md") for number in range(4)]
    questions = [Question("?", ("gold.md",))] * 2
    figures = figures_of(questions, [[*others, found("gold.md")], [*others, found("x.md"), found("gold.md")]])
    assert (figures["hit@1"], figures["hit@5"]) == (0.0, 0.5)


def test_a_quote_counts_without_its_markup_where_half_of_it_is_in_the_text() -> None:
    question = Question("?", ("a.md",), ("The `Option<T>` type *has* two variants, Some and None.",))
    whole, half_page = found("a.md", "the option t type has two variants some"), found("a.md", "two variants")
    elsewhere = found("b.md", "the option t type has two variants some and none")
    assert figures_of([question], [[whole]])["quote@5"] == 1.0
    assert figures_of([question], [[half_page, elsewhere]])["quote@5"] == 0.0


def test_refusal_is_how_well_the_first_score_tells_the_questions_apart() -> None:
    questions = [Question("yes", ("a.md",)), Question("no", answerable=False)]
    figures = figures_of(questions, [[found("a.md", score=0.9)], [found("a.md", score=0.2)]])
    assert (figures["auroc"], figures["refused at 85 % answered"], figures["questions"]) == (1.0, 1.0, 1)


def test_a_product_that_failed_is_named_in_the_report_and_left_out_of_the_plot() -> None:
    results = {"limit": 3, "started": "today", "corpora": {"rust-book": {"txtai": {"error": "no room"}}}}
    assert "txtai on rust-book: no room" in report(results)
    assert "txtai" not in plot(results)
