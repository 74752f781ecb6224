"""Four small bar charts of a run, side by side: ingest, search, memory, retrieval."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from glossator.plot.bars import rectangle, svg, text
from peers.names import PRODUCTS
from peers.report import mean_hit, measured

CORPUS = "rust-book"
WIDTH, ROW, HEAD = 300, 20, 34
LABEL, VALUE = 124, 48
"""What a bar leaves to its label and its figure."""
STYLE = (
    "<style>text{font-family:sans-serif;font-size:12px;fill:#333}.title{font-weight:600}.ours{fill:#2563eb}.other{fill:#9ca3af}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.ours{fill:#60a5fa}.other{fill:#6b7280}}</style>"
)

Figures = dict[str, Any]


def plot(results: Figures) -> str:
    corpora = results["corpora"]
    products = measured(corpora.get(CORPUS, {}))
    hits = {name: figure for name in PRODUCTS if (figure := mean_hit(corpora, name)) is not None}
    panels = [
        ("Ingest, pages a second", values(products, lambda product: product["ingest"]["pages_a_second"])),
        ("Query p50, ms (less is better)", values(products, lambda product: product["search"]["p50_ms"])),
        (
            "Query peak memory, MB (less)",
            values(products, lambda product: product["search"]["peak_megabytes"]),
        ),
        ("hit@1, mean of the sets", hits),
    ]
    height = HEAD + ROW * max(len(products), len(hits))
    corners = [(left, top) for top in (0, height) for left in (0, WIDTH)]
    drawn = [part for corner, panel in zip(corners, panels, strict=True) for part in bars(*panel, corner)]
    name = f"Glossator beside other products on {CORPUS}: ingest, search, memory and retrieval"
    picture = svg(2 * WIDTH, 2 * height + 4, [STYLE, *drawn], name=name)
    return picture.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1) + "\n"


def values(products: Figures, figure: Callable[[Figures], float]) -> dict[str, float]:
    return {name: figure(figures) for name, figures in products.items()}


def bars(title: str, figures: dict[str, float], corner: tuple[int, int]) -> Iterator[str]:
    left, top = corner
    longest = max(figures.values(), default=1.0)
    yield text(left + 8, top + 20, title, "start", "title")
    for row, (name, figure) in enumerate(figures.items()):
        y = top + HEAD + row * ROW
        width = (WIDTH - LABEL - VALUE) * figure / longest
        kind = "ours" if PRODUCTS[name].is_ours else "other"
        yield text(left + LABEL - 6, y + 11, PRODUCTS[name].title, "end")
        yield rectangle((left + LABEL, y), width, ROW - 6, kind)
        yield text(left + LABEL + width + 4, y + 11, f"{figure:.3g}", "start")
