"""An exam, and the fit of similarity, for a terminal."""

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
    ExamKind.OWN: "the author's own",
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
    """How often each tenth of the scores was right, with a diamond where it promised to be."""
    yield f"{promised:<12}{kept:<{_WIDTH + 1}}{'':>5}  {'of':>6}"
    for one in bins:
        bar = _marked(_bar(one.kept), one.promised)
        yield f"{one.low:.1f} to {one.high:.1f}  {bar} {one.kept:>5.0%}  {one.count:>6,}"
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
    at = min(int(share * _WIDTH), _WIDTH - 1)
    return bar[:at] + "◆" + bar[at + 1 :]


def _heading(report: ExamReport) -> Iterator[str]:
    size = f"{counted(report.pages, 'page')}, {counted(report.sections, 'section')}"
    yield f"{report.book}, generation {report.generation}: {size}"
    yield (
        f"{len(report.replies)} questions in {report.seconds:.0f} s, "
        f"{report.metrics['latency_ms'] or 0:.0f} ms for an answer (median)"
    )


def _kinds(report: ExamReport) -> Iterator[str]:
    yield f"{'questions':<20}{'asked':>7}{'answered':>10}{'refused':>10}{'right':>9}"
    for one in report.kinds:
        yield (
            f"{NAMES[one.kind]:<20}{one.asked:>7}{one.answered:>10}{one.asked - one.answered:>10}"
            f"{_share(one):>9}"
        )
    told = report.told_elsewhere
    if told.asked:
        refused = told.asked - told.answered
        yield f"{'  told elsewhere too':<20}{told.asked:>7}{told.answered:>10}{refused:>10}"


def _share(one: KindSummary) -> str:
    return f"{one.right / one.asked:.1%}"


def _twins(report: ExamReport) -> Iterator[str]:
    if report.twin_changes:
        yield f"{'twins':<20}{'checked':>7}{'true ones shown':>18}{'lies caught':>14}"
    for one in report.twin_changes:
        shown, caught = one.shown / one.checked, 1 - one.believed / one.checked
        yield f"{f'{one.change} swapped':<20}{one.checked:>7}{shown:>18.1%}{caught:>14.1%}"
    if report.twin_changes:
        yield ""


def _retrieval(report: ExamReport) -> Iterator[str]:
    yield f"{'found':<20}" + "".join(f"{f'@{depth}':>8}" for depth in DEPTHS) + f"{'MRR':>8}"
    for place in ("page", "section"):
        names = [*(f"{place}_recall@{depth}" for depth in DEPTHS), f"{place}_mrr"]
        yield f"{place:<20}" + "".join(f"{figure(report.metrics[name]):>8}" for name in names)


def _trust(report: ExamReport) -> Iterator[str]:
    metrics = report.metrics
    for said, name in (
        ("right, of all", "right"),
        ("answers that say what carries them", "has_fact"),
        ("answers that cite the right page", "cites_page"),
        ("citations on the right page", "citation_precision"),
        ("calibration error", "calibration_error"),
        ("AUROC of confidence", "auroc"),
    ):
        if metrics[name] is not None:
            yield f"{said:<37}{figure(metrics[name]):>7}"
