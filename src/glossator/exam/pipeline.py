"""Set the paper, sit it, mark it: an exam of the book's own assistant."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

from glossator.answer.pipeline import Assistant
from glossator.exam.paper import DEFAULT, Sizes, set_paper
from glossator.exam.question import ExamQuestion
from glossator.exam.report import ExamReport, report_of
from glossator.exam.sit import sit
from glossator.ports import Progress


async def examine(
    assistant: Assistant,
    progress: Progress,
    own: Sequence[ExamQuestion] = (),
    sizes: Sizes = DEFAULT,
) -> ExamReport:
    started = perf_counter()
    paper = set_paper(assistant.index, assistant.embedder, own, sizes)
    replies = await sit(assistant, paper, progress)
    return report_of(
        assistant.index.manifest(), len(paper.sections), replies, seconds=perf_counter() - started
    )
