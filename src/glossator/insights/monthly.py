"""The report of a period as Markdown, for an author to keep or send on; no language model takes part."""

from __future__ import annotations

from collections import Counter

from glossator.insights.gap_table import as_markdown, escaped
from glossator.model import Manifest, Outcome
from glossator.model.insights import CitedSections, GapReport, GapState, Overview

_MOST_SECTIONS = 10


def monthly_report(
    manifest: Manifest, overview: Overview, gaps: GapReport, cited: CitedSections, today: str
) -> str:
    parts = [
        f"# {escaped(manifest.book)}: what readers asked, {overview.since:%Y-%m-%d} to {today}",
        _figures(overview),
        _judgements(overview),
        "## Gaps",
        _states(gaps),
        as_markdown(gaps).partition("\n")[2].strip(),
        "## Sections",
        _sections(cited),
        f"Book: generation {manifest.generation}, ingested {manifest.created_at[:10]}, "
        f"{len(manifest.pages):,} pages.",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _figures(overview: Overview) -> str:
    refused = sum(count for outcome, count in overview.outcomes.items() if outcome.is_refusal)
    answered = sum(count for outcome, count in overview.outcomes.items() if outcome.is_answer)
    about_book = answered + refused
    rows = [
        ("Questions", overview.exchanges),
        ("Sessions", overview.sessions),
        ("Answered", overview.outcomes.get(Outcome.ANSWERED, 0)),
        ("Answered with caution", overview.outcomes.get(Outcome.ANSWERED_WITH_CAUTION, 0)),
        ("Not in the book", refused),
        ("With a sentence that failed its check", overview.flagged),
    ]
    table = ["| | number | of the questions about the book |", "| --- | ---: | ---: |"]
    for name, count in rows:
        share = f"{count / about_book:.0%}" if about_book and name not in ("Questions", "Sessions") else ""
        table.append(f"| {name} | {count:,} | {share} |")
    return "\n".join(table)


def _judgements(overview: Overview) -> str:
    judged = overview.helpful + overview.unhelpful
    if not judged:
        return "No reader judged an answer, so whether they helped is not known."
    share = judged / overview.exchanges if overview.exchanges else 0
    return (
        f"Readers judged {judged:,} of {overview.exchanges:,} answers ({share:.0%}): "
        f"{overview.helpful:,} helpful, {overview.unhelpful:,} not. Those who judge are not all readers."
    )


def _states(gaps: GapReport) -> str:
    counts = Counter(gap.state for gap in gaps.gaps)
    return (
        f"{counts[GapState.CLOSED]:,} closed by the last ingest, "
        f"{counts[GapState.STILL_OPEN]:,} still open after it, {counts[GapState.OPEN]:,} asked since."
    )


def _sections(cited: CitedSections) -> str:
    lines = [f"- {escaped(section.title)}: {section.count:,}" for section in cited.most[:_MOST_SECTIONS]]
    never = f"{len(cited.never):,} of {cited.sections:,} sections were never cited."
    return "\n".join([*lines, *([""] if lines else []), never])
