"""The tables of a run as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import mean
from typing import Any

from peers.names import PRODUCTS

SPEED_CORPORA = ("rust-book", "chunks-5000")
MOST_OF_A_BOOK = 0.8
"""Of its tokens. Not all, because markup and pages that no reader sees need no vector."""

Figures = dict[str, Any]


def report(results: Figures) -> str:
    corpora = results["corpora"]
    size = f"at most {results['limit']} questions of each set" if results["limit"] else "all questions"
    parts = [f"Run of {results['started']}, {size}.", settings(corpora)]
    parts += [speed(name, measured(corpora[name])) for name in SPEED_CORPORA if name in corpora]
    parts += [retrieval(corpora), refusal(corpora), ratios(corpora), failures(corpora)]
    return "\n\n".join(part for part in parts if part) + "\n"


def measured(of_corpus: Figures) -> Figures:
    """Without products that failed."""
    return {name: figures for name, figures in of_corpus.items() if "error" not in figures}


def settings(corpora: Figures) -> str:
    versions = {
        name: product["ingest"]["packages"]
        for of in corpora.values()
        for name, product in measured(of).items()
    }
    rows = [
        (
            PRODUCTS[name].title,
            ", ".join(f"{key} {value}" for key, value in found.items()),
            PRODUCTS[name].settings,
        )
        for name, found in versions.items()
    ]
    return table(("product", "versions", "settings"), rows)


def speed(corpus: str, products: Figures) -> str:
    head = (
        corpus,
        "pages",
        "passages",
        "embedded, at most",
        "pages/s",
        "passages/s",
        "ingest CPU s",
        "ingest peak MB",
        "kB a passage",
        "query p50 ms",
        "p95 ms",
        "CPU ms",
        "query peak MB",
    )
    return table(head, [speed_row(name, figures) for name, figures in products.items()])


def speed_row(name: str, figures: Figures) -> Sequence[object]:
    ingest, search = figures["ingest"], figures["search"]
    return (
        PRODUCTS[name].title,
        ingest["pages"],
        ingest["passages"],
        f"{ingest['embedded_at_most']:.0%}",
        ingest["pages_a_second"],
        ingest["passages_a_second"],
        round(ingest["cpu_seconds"], 1),
        round(ingest["peak_megabytes"]),
        round(ingest["disk_bytes_a_passage"] / 1000, 1),
        search["p50_ms"],
        search["p95_ms"],
        search["cpu_ms"],
        search["peak_megabytes"],
    )


def retrieval(corpora: Figures) -> str:
    """Hit@1 / hit@5 of each set by page, and where the set has quotes, hit@5 by quote."""
    names = set_names(corpora)
    rows = []
    for product in PRODUCTS:
        found = sets_of(corpora, product)
        if found:
            rows.append((PRODUCTS[product].title, *(hits(found.get(name)) for name in names)))
    return table(("hit@1 / hit@5 (quote@5)", *names), rows) if names else ""


def hits(figures: Figures | None) -> str:
    if not figures:
        return ""
    quote = f" ({figures['quote@5']:.2f})" if "quote@5" in figures else ""
    return f"{figures['hit@1']:.3f} / {figures['hit@5']:.3f}{quote}"


def refusal(corpora: Figures) -> str:
    """AUROC of the first result's score, and refused where 85 % are answered."""
    names = [name for name in set_names(corpora) if name.startswith("readers")]
    rows = []
    for product in PRODUCTS:
        found = sets_of(corpora, product)
        if any("auroc" in found.get(name, {}) for name in names):
            rows.append((PRODUCTS[product].title, *(told_apart(found.get(name, {})) for name in names)))
    return table(("AUROC / refused at 85 % answered", *names), rows) if rows else ""


def told_apart(figures: Figures) -> str:
    return f"{figures['auroc']:.2f} / {figures['refused at 85 % answered']:.2f}" if "auroc" in figures else ""


def ratios(corpora: Figures) -> str:
    """Glossator against the best of the others in each figure; above 1 is better for Glossator."""
    rows = []
    for name in [name for name in SPEED_CORPORA if name in corpora]:
        products = measured(corpora[name])
        rows += [
            ratio(f"{name}: pages a second", products, pages_a_second, True),
            ratio(
                f"{name}: pages a second, of those that embed the book",
                embeds_all(products),
                pages_a_second,
                True,
            ),
            ratio(f"{name}: query p50", products, lambda product: product["search"]["p50_ms"], False),
            ratio(
                f"{name}: query p50, unread",
                products,
                lambda product: product["search"]["p50_ms"],
                False,
                "glossator_unread",
            ),
            ratio(
                f"{name}: ingest peak memory",
                products,
                lambda product: product["ingest"]["peak_megabytes"],
                False,
            ),
            ratio(
                f"{name}: query peak memory",
                products,
                lambda product: product["search"]["peak_megabytes"],
                False,
            ),
        ]
    means = {name: figure for name in PRODUCTS if (figure := mean_hit(corpora, name)) is not None}
    rows.append(ratio("hit@1, mean of the sets", means, lambda product: product, True))
    compared = [row for row in rows if row]
    return table(("figure", "Glossator", "best of the others", "ratio"), compared) if compared else ""


def pages_a_second(figures: Figures) -> float:
    return figures["ingest"]["pages_a_second"]


def embeds_all(products: Figures) -> Figures:
    """Without those whose passages are longer than the model reads, so that most of the book has no vector."""
    return {
        name: product
        for name, product in products.items()
        if product["ingest"]["embedded_at_most"] >= MOST_OF_A_BOOK
    }


def ratio(
    what: str, products: Figures, figure: Callable[[Any], float], more: bool, ours: str = "glossator"
) -> Sequence[object] | None:
    others = {name: figure(product) for name, product in products.items() if not PRODUCTS[name].is_ours}
    if ours not in products or not others:
        return None
    best = (max if more else min)(others, key=lambda name: others[name])
    mine, theirs = figure(products[ours]), others[best]
    times = mine / theirs if more else theirs / mine
    return (what, f"{mine:.4g}", f"{theirs:.4g} ({PRODUCTS[best].title})", f"{times:.2f}")


def mean_hit(corpora: Figures, product: str) -> float | None:
    """Only of products that were asked every set."""
    found = sets_of(corpora, product)
    names = set_names(corpora)
    return mean(found[name]["hit@1"] for name in names) if names and set(names) <= set(found) else None


def set_names(corpora: Figures) -> list[str]:
    every = (name for of in corpora.values() for product in measured(of).values() for name in product["sets"])
    return list(dict.fromkeys(every))


def sets_of(corpora: Figures, product: str) -> dict[str, Figures]:
    of_product = [measured(of)[product]["sets"] for of in corpora.values() if product in measured(of)]
    return {name: figures for sets in of_product for name, figures in sets.items()}


def failures(corpora: Figures) -> str:
    failed = [
        f"- {PRODUCTS[name].title} on {corpus}: {figures['error']}"
        for corpus, of in corpora.items()
        for name, figures in of.items()
        if "error" in figures
    ]
    return "\n".join(["Failed:", *failed]) if failed else ""


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)
