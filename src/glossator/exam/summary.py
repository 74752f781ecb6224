"""The report of an exam, and of the calibration of similarity, as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from glossator.exam.measure import DEPTHS
from glossator.exam.question import ExamKind
from glossator.exam.report import ExamReport, KindSummary
from glossator.model.search import Bin, Fit

NAMES = {
    ExamKind.HEADING: "from headings",
    ExamKind.DEFINITION: "from definitions",
    ExamKind.TABLE: "from tables",
    ExamKind.NUMBER: "how many",
    ExamKind.CODE: "for code",
    ExamKind.TYPO: "with a typo",
    ExamKind.FOLLOW_UP: "follow-ups",
    ExamKind.NEAR: "near misses",
    ExamKind.FOREIGN: "from elsewhere",
    ExamKind.LEFT_OUT: "section left out",
    ExamKind.AUTHOR: "the author's own",
}
_WIDTH = 40
_BLOCKS = " ▏▎▍▌▋▊▉█"


def summary(report: ExamReport) -> str:
    return "\n".join(
        [
            *_heading(report),
            "",
            *_kinds(report),
            "",
            *_twins(report),
            *_retrieval(report),
            "",
            *_trust(report),
            "",
            *bars(report.reliability, "confidence", "right"),
        ]
    )


def fit_summary(fit: Fit) -> str:
    return "\n".join(
        [
            f"{fit.book}, generation {fit.generation}, read by {fit.model}",
            f"{fit.questions:,} questions, {fit.passages:,} passages; {fit.bearing:,} bear on theirs",
            "",
            *bars(fit.bins, "similarity", "bears"),
            "",
            f"calibration error {figure(fit.error)}   AUROC {figure(fit.auroc)}",
        ]
    )


def bars(bins: Sequence[Bin], promised: str, kept: str) -> Iterator[str]:
    """How often the scores in each bin were right, with a diamond at their mean."""
    yield f"{promised:<12}{kept:<{_WIDTH + 1}}{'':>5}  {'of':>6}"
    for score_bin in bins:
        bar = _marked(_bar(score_bin.kept), score_bin.promised)
        yield (
            f"{score_bin.low:.1f} to {score_bin.high:.1f}  {bar} {score_bin.kept:>5.0%}  "
            f"{score_bin.count:>6,}"
        )
    yield f"{'':12}◆ is what was promised"


def figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _bar(share: float) -> str:
    eighths = round(share * _WIDTH * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_BLOCKS[rest] if rest else "")).ljust(_WIDTH)


def _marked(bar: str, share: float) -> str:
    position = min(int(share * _WIDTH), _WIDTH - 1)
    return bar[:position] + "◆" + bar[position + 1 :]


def _heading(report: ExamReport) -> Iterator[str]:
    size = f"{counted(report.pages, 'page')}, {counted(report.sections, 'section')}"
    yield f"{report.book}, generation {report.generation}: {size}"
    yield (
        f"{len(report.replies)} questions in {report.seconds:.0f} s, "
        f"{report.metrics['latency_ms'] or 0:.0f} ms for an answer (median)"
    )


def _kinds(report: ExamReport) -> Iterator[str]:
    yield f"{'questions':<20}{'asked':>7}{'answered':>10}{'refused':>10}{'right':>9}"
    for kind in report.kinds:
        yield (
            f"{NAMES[kind.kind]:<20}{kind.asked:>7}{kind.answered:>10}{kind.asked - kind.answered:>10}"
            f"{_share(kind):>9}"
        )
    elsewhere = report.stated_elsewhere
    if elsewhere.asked:
        refused = elsewhere.asked - elsewhere.answered
        yield f"{'  told elsewhere too':<20}{elsewhere.asked:>7}{elsewhere.answered:>10}{refused:>10}"


def _share(kind: KindSummary) -> str:
    return f"{kind.right / kind.asked:.1%}"


def _twins(report: ExamReport) -> Iterator[str]:
    if report.twin_changes:
        yield f"{'twins':<20}{'checked':>7}{'true ones shown':>18}{'lies caught':>14}"
    for twins in report.twin_changes:
        shown, caught = twins.shown / twins.checked, 1 - twins.believed / twins.checked
        yield f"{f'{twins.change} swapped':<20}{twins.checked:>7}{shown:>18.1%}{caught:>14.1%}"
    if report.twin_changes:
        yield ""


def _retrieval(report: ExamReport) -> Iterator[str]:
    yield f"{'found':<20}" + "".join(f"{f'@{depth}':>8}" for depth in DEPTHS) + f"{'MRR':>8}"
    for place in ("page", "section"):
        names = [*(f"{place}_recall@{depth}" for depth in DEPTHS), f"{place}_mrr"]
        yield f"{place:<20}" + "".join(f"{figure(report.metrics[name]):>8}" for name in names)


def _trust(report: ExamReport) -> Iterator[str]:
    metrics = report.metrics
    for label, name in (
        ("right, of all", "right"),
        ("answers that say what carries them", "has_fact"),
        ("answers that cite the right page", "cites_page"),
        ("citations on the right page", "citation_precision"),
        ("calibration error", "calibration_error"),
        ("AUROC of confidence", "auroc"),
    ):
        if metrics[name] is not None:
            yield f"{label:<37}{figure(metrics[name]):>7}"
