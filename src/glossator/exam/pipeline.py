"""Set the paper, sit it, mark it: an exam of the book's own assistant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

from glossator.answer.pipeline import Assistant, Patience
from glossator.exam.paper import DEFAULT, Sizes, set_paper
from glossator.exam.question import ExamQuestion
from glossator.exam.report import ExamReport, report_of
from glossator.exam.sit import check_twins, sit
from glossator.ports import Progress

_PATIENT = 600.0
"""Seconds."""


async def examine(
    assistant: Assistant,
    progress: Progress,
    own: Sequence[ExamQuestion] = (),
    sizes: Sizes = DEFAULT,
) -> ExamReport:
    # Nobody waits for an answer here, so a busy machine fails no exam.
    assistant = replace(assistant, patience=Patience(search=_PATIENT, write=_PATIENT))
    started = perf_counter()
    paper = set_paper(assistant.index, assistant.embedder, own, sizes)
    replies = await sit(assistant, paper, progress)
    twins = check_twins(assistant, paper, progress)
    return report_of(
        assistant.index.manifest(), len(paper.sections), replies, twins, seconds=perf_counter() - started
    )
