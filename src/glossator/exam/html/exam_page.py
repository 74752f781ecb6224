"""The HTML pages: the report of an exam, and the calibration of similarity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from glossator.answer.confidence import LOW
from glossator.exam.html.document import card, document, figure, number, percent
from glossator.exam.html.failures import failures, twin_failures
from glossator.exam.html.plots import Strip, refusal_plot, strips
from glossator.exam.measure import DEPTHS
from glossator.exam.question import ExamKind, ExamReply, of_kind
from glossator.exam.report import ExamReport, KindSummary
from glossator.exam.summary import NAMES, counted
from glossator.model.search import Fit
from glossator.plot import reliability

_DESCRIPTIONS = {
    ExamKind.HEADING: "made from the headings; must be answered from that section",
    ExamKind.DEFINITION: "made from sentences that define a term; the answer must say what they say",
    ExamKind.TABLE: "made from the cells of tables; the answer must have the cell",
    ExamKind.NUMBER: "made from sentences that count or measure; the answer must have the number",
    ExamKind.CODE: "for the code of a section; the answer must have one of its blocks",
    ExamKind.TYPO: "some of the above with one word mistyped; right is what is right without it",
    ExamKind.FOLLOW_UP: "that lean on a question asked before them",
    ExamKind.NEAR: "about a thing that the book does not have; must be refused",
    ExamKind.FOREIGN: "on cooking, law, history and the like; must be refused",
    ExamKind.LEFT_OUT: "asked while the section that answers them is hidden; must be refused",
    ExamKind.AUTHOR: "from the author's file",
}


def exam_page(report: ExamReport) -> str:
    return document(
        f"Exam of {report.book}",
        [
            *_head(report),
            *_kinds(report),
            *_twins(report),
            *_retrieval(report),
            *_plots(report),
            *failures(report.replies),
            *twin_failures(report.twins),
            *_metrics(report),
        ],
    )


def _head(report: ExamReport) -> Iterator[str]:
    metrics = report.metrics
    latency = metrics["latency_ms"] or 0
    yield f'<div class="kicker">Exam of its own assistant</div><h1>{escape(report.book)}</h1>'
    yield (
        f'<p class="lead">{len(report.replies)} questions in {report.seconds:.0f} seconds, {latency:.0f} ms '
        f"for an answer. Generation {report.generation}: {counted(report.pages, 'page')}, "
        f"{counted(report.sections, 'section')}, "
        f"read by {escape(report.model)}. No language model was asked.</p>"
    )
    cards = [
        card(percent(metrics["answered"]), "of what the book tells was answered"),
        card(percent(metrics["has_fact"]), "of the answers say the words that carry the fact"),
        card(percent(metrics["refused"]), "of what it does not tell was refused"),
        card(number(metrics["auroc"]), "AUROC: confidence tells the one from the other"),
        card(number(metrics["calibration_error"]), "calibration error: confidence against the truth"),
    ]
    yield f'<div class="cards">{"".join(cards)}</div>'


def _kinds(report: ExamReport) -> Iterator[str]:
    rows = "".join(map(_kind, report.kinds))
    names = ("asked", "answered", "refused", "right", "")
    heads = "".join(f'<th class="n">{name}</th>' for name in names)
    yield (
        f'<h2>What was asked</h2><div class="scroll"><table><thead><tr><th>questions</th>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )
    elsewhere = report.stated_elsewhere
    if elsewhere.asked:
        yield (
            f'<p class="soft">Not counted above: {elsewhere.asked} questions left out that another place '
            f"tells too: it defines the subject, is headed by it, or has all the words. "
            f"{elsewhere.answered} were answered, {elsewhere.cites_it} of them from such a place.</p>"
        )


def _kind(kind: KindSummary) -> str:
    share = kind.right / kind.asked
    figures = (kind.asked, kind.answered, kind.asked - kind.answered, percent(share), _bar(share))
    cells = "".join(f'<td class="n">{figure}</td>' for figure in figures)
    about = f'<span class="soft">{escape(_DESCRIPTIONS[kind.kind])}</span>'
    return f"<tr><td>{escape(NAMES[kind.kind])}{about}</td>{cells}</tr>"


def _twins(report: ExamReport) -> Iterator[str]:
    if not report.twin_changes:
        return
    rows = "".join(
        f'<tr><td>{twins.change} swapped</td><td class="n">{twins.checked}</td>'
        f'<td class="n">{percent(twins.shown / twins.checked)}</td>'
        f'<td class="n">{percent(1 - twins.believed / twins.checked)}</td></tr>'
        for twins in report.twin_changes
    )
    yield (
        '<h2>True sentences and lies</h2><p class="lead">Sentences of the book in slightly other words, and '
        "the same with one thing exchanged: what the verifier, which checks every sentence of a writer, says "
        'of them.</p><div class="scroll"><table><thead><tr><th>twins</th><th class="n">checked</th>'
        '<th class="n">true ones shown</th><th class="n">lies caught</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _bar(share: float) -> str:
    return f'<span class="bar"><i style="width:{share:.1%}"></i></span>'


def _retrieval(report: ExamReport) -> Iterator[str]:
    heads = "".join(f'<th class="n">in the first {depth}</th>' for depth in DEPTHS)
    rows = "".join(_retrieval_row(report, place) for place in ("page", "section"))
    yield (
        '<h2>What was found</h2><p class="lead">How often the right place was among the first chunks, '
        'answered or not.</p><div class="scroll"><table><thead><tr><th>right</th>'
        f'{heads}<th class="n">mean reciprocal rank</th></tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _retrieval_row(report: ExamReport, place: str) -> str:
    cells = "".join(
        f'<td class="n">{percent(report.metrics[f"{place}_recall@{depth}"])}</td>' for depth in DEPTHS
    )
    return f'<tr><td>{place}</td>{cells}<td class="n">{number(report.metrics[f"{place}_mrr"])}</td></tr>'


def _plots(report: ExamReport) -> Iterator[str]:
    figures = [
        figure(
            "Does confidence keep its word?",
            reliability(report.reliability, "confidence", "was right"),
            "On the dashed line, what was promised was kept. Below it the assistant was too sure; "
            "above it, too careful. A larger point stands for more questions.",
        ),
        figure(
            "What another threshold would do",
            refusal_plot(report.refusal_curve, LOW),
            f"The dashed line is where the assistant refuses now, {LOW:.2f}.",
        ),
        figure(
            "How sure it was of each kind",
            strips(_strips(report.replies), LOW),
            "Blue-green is to be answered and belongs to the right of the line, red is to be refused "
            "and belongs to its left.",
        ),
    ]
    yield f'<h2>How sure it was</h2><div class="plots">{"".join(figures)}</div>'


def _strips(replies: Sequence[ExamReply]) -> list[Strip]:
    rows = list[Strip]()
    for kind in ExamKind:
        for is_answerable in (True, False):
            scores = [
                reply.confidence
                for reply in of_kind(replies, kind)
                if reply.confidence is not None
                and reply.question.is_answerable is is_answerable
                and not reply.is_stated_elsewhere
            ]
            if scores:
                rows.append(Strip(NAMES[kind], scores, is_answerable))
    return rows


def _metrics(report: ExamReport) -> Iterator[str]:
    rows = "".join(
        f"<div><code>{escape(name)}</code><span>{_metric_value(value)}</span></div>"
        for name, value in report.metrics.items()
    )
    yield (
        '<h2>Every figure</h2><p class="lead">By the names that <code>--at-least</code> takes.</p>'
        f'<div class="metrics">{rows}</div>'
    )


def _metric_value(value: float | None) -> str:
    return "–" if value is None else f"{value:g}"


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
        f'<tr><td>{score_bin.low:.1f} to {score_bin.high:.1f}</td><td class="n">{score_bin.count:,}</td>'
        f'<td class="n">{score_bin.promised:.3f}</td><td class="n">{score_bin.kept:.3f}</td></tr>'
        for score_bin in fit.bins
    )
    return (
        '<table><thead><tr><th>similarity</th><th class="n">passages</th><th class="n">promised</th>'
        f'<th class="n">bore</th></tr></thead><tbody>{rows}</tbody></table>'
    )
