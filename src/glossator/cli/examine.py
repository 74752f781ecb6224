"""The commands `exam` and `calibrate`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from glossator.adapters.terminal import progress_for
from glossator.answer.pipeline import AnswerPipeline
from glossator.cli import show
from glossator.cli.group import Command, book_option, commands, json_option, settings_of
from glossator.errors import SettingsError
from glossator.exam.author_questions import AuthorQuestions
from glossator.exam.fit import measure_fit
from glossator.exam.html import exam_page, fit_page
from glossator.exam.question import ExamQuestion
from glossator.exam.question_set import DEFAULT, ExamSizes
from glossator.exam.report import MetricGoal, missed_goals
from glossator.exam.run import examine
from glossator.exam.summary import fit_summary, summary
from glossator.question_generation import sections_of
from glossator.settings import WriterKind
from glossator.wiring import assistant_of

GOAL_MISSED = 1


def html_option(command: Command) -> Command:
    return click.option(
        "--html",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Write a report with plots to FILE.",
    )(command)


@commands.command()
@click.option(
    "--questions",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Ask the questions in FILE too (YAML, JSON lines, CSV or plain lines).",
)
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Ask at most N questions of each kind.")
@click.option(
    "--at-least",
    multiple=True,
    metavar="METRIC=VALUE",
    help="Exit with 1 if METRIC is below VALUE; may repeat.",
)
@html_option
@book_option
@json_option
def exam(
    questions: Path | None,
    sample: int | None,
    at_least: Sequence[str],
    html: Path | None,
    book: str | None,
    json: bool,
) -> int:
    """Examine how well the assistant finds, answers, cites and refuses."""
    goals = [MetricGoal.of(pair) for pair in at_least]
    text = _read(questions) if questions else ""
    with assistant_of(settings_of(book), writer=WriterKind.EXTRACTIVE, say=_say) as assistant:
        author_questions = _author_questions(str(questions), text, assistant) if questions else ()
        sizes = ExamSizes.all_of(sample) if sample else DEFAULT
        report = asyncio.run(examine(assistant, progress_for(sys.stderr), author_questions, sizes))
    if html:
        _write(html, exam_page(report))
    click.echo(show.json(report) if json else summary(report))
    failures = list(missed_goals(goals, report.metrics))
    for failure in failures:
        click.echo(click.style(f"Missed: {failure}", fg="red"), err=True)
    return GOAL_MISSED if failures else 0


@commands.command()
@html_option
@book_option
@json_option
def calibrate(html: Path | None, book: str | None, json: bool) -> None:
    """Show how well similarity predicts relevance."""
    with assistant_of(settings_of(book), writer=WriterKind.EXTRACTIVE, say=_say) as assistant:
        fit = measure_fit(assistant.embedder, assistant.reader, assistant.index, progress_for(sys.stderr))
    if html:
        _write(html, fit_page(fit))
    click.echo(show.json(fit) if json else fit_summary(fit))


def _say(message: str) -> None:
    click.echo(message, err=True)


def _author_questions(file: str, text: str, assistant: AnswerPipeline) -> list[ExamQuestion]:
    index = assistant.index
    return AuthorQuestions(file, index.manifest(), list(sections_of(index.chunks()))).read(text)


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"The questions in {file} cannot be read.") from error


def _write(file: Path, page: str) -> None:
    try:
        file.write_text(page, "utf-8")
    except OSError as error:
        raise SettingsError(f"The report cannot be written to {file} ({error.strerror}).") from error
    _say(f"The report is in {file}.")
