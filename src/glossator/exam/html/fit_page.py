"""The fit of similarity."""

from __future__ import annotations

from html import escape

from glossator.exam.html.document import card, document, figure, number
from glossator.model.fit import Fit
from glossator.plot import reliability


def fit_page(fit: Fit) -> str:
    plot = figure(
        "Does similarity keep its word?",
        reliability(fit.bins, "similarity", "bore on the question"),
        "It promises how likely a passage bears on a question. On the dashed line the promise was kept.",
    )
    return document(
        f"Similarity in {fit.book}",
        [
            f'<div class="kicker">What similarity means</div><h1>{escape(fit.book)}</h1>',
            f'<p class="lead">Generation {fit.generation}, read by {escape(fit.model)}. Headings and first '
            "sentences were compared with their own sections and with other pages, and questions from "
            "elsewhere with all.</p>",
            f'<div class="cards">{"".join(_cards(fit))}</div>',
            f'<h2>The fit</h2><div class="plots">{plot}<div>{_table(fit)}</div></div>',
        ],
    )


def _cards(fit: Fit) -> list[str]:
    return [
        card(number(fit.error), "calibration error"),
        card(number(fit.auroc), "AUROC: a passage that bears scores higher"),
        card(f"{fit.passages:,}", f"passages compared, found by {fit.questions:,} questions"),
    ]


def _table(fit: Fit) -> str:
    rows = "".join(
        f'<tr><td>{one.low:.1f} to {one.high:.1f}</td><td class="n">{one.count:,}</td>'
        f'<td class="n">{one.promised:.3f}</td><td class="n">{one.kept:.3f}</td></tr>'
        for one in fit.bins
    )
    return (
        '<table><thead><tr><th>similarity</th><th class="n">passages</th><th class="n">promised</th>'
        f'<th class="n">bore</th></tr></thead><tbody>{rows}</tbody></table>'
    )
