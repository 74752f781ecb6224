"""Formats an answer for the terminal, or with `--json` for programs."""

from __future__ import annotations

from collections.abc import Mapping

import click

from glossator.answer import wording
from glossator.cli import show
from glossator.model import Answer, Citation, Confidence, Level, Outcome
from glossator.web.contracts.native.reply import AskReply
from glossator.web.trace import begin_trace

_IN_WORDS = {
    Level.HIGH: "The book says this",
    Level.MEDIUM: "The book says this",
    Level.LOW: "The book may say this",
    Level.INSUFFICIENT: "The book does not say",
}
_HALF = "The book carries this only in part"


def json(answer: Answer) -> str:
    """The reply of `POST /v1/ask`."""
    return show.json(AskReply.with_session(answer, None, begin_trace()))


def below(answer: Answer, site_origin: str) -> str:
    """What is printed below the text: notes, citations and suggestions."""
    parts = [*_notes(answer), _citations(answer, site_origin), _suggestions(answer, site_origin)]
    return "\n\n".join(part for part in parts if part)


def _notes(answer: Answer) -> list[str]:
    notes = [click.style(answer.disclaimer, fg="yellow")] if answer.disclaimer else []
    return [*notes, _verdict(answer, answer.confidence)] if answer.confidence and answer.claims else notes


def _verdict(answer: Answer, confidence: Confidence) -> str:
    """As the widget says it."""
    is_half = answer.outcome is Outcome.ANSWERED and not answer.grounding.is_fully_grounded
    in_words = _HALF if is_half else _IN_WORDS[confidence.level]
    return click.style(f"{in_words} ({confidence.score:.2f}).", dim=True)


def _citations(answer: Answer, site_origin: str) -> str:
    return "\n".join(_citation(citation, site_origin) for citation in answer.citations)


def _citation(citation: Citation, site_origin: str) -> str:
    path = " > ".join(dict.fromkeys([citation.chapter, citation.section]))
    head = click.style(f"[{citation.n}] {path}", bold=True)
    return f"{head}\n    {_address(citation.section_url, site_origin)}"


def _suggestions(answer: Answer, site_origin: str) -> str:
    if not answer.suggestions or answer.outcome is Outcome.ANSWERED:
        return ""
    lines = [f"- {section.title}\n  {_address(section.url, site_origin)}" for section in answer.suggestions]
    return "\n".join([wording.NEAREST_SECTIONS, *lines])


def _address(url: str, site_origin: str) -> str:
    return click.style(show.whole_address(url, site_origin), dim=True)


def trace(answer: Answer) -> str:
    lines = [_step(step.name, step.seconds * 1000, step.facts) for step in answer.trace]
    return "\n".join([*lines, _step("total", answer.timings["total"], {})])


def _step(name: str, milliseconds: float, facts: Mapping[str, object]) -> str:
    pairs = " ".join(f"{fact}={value}" for fact, value in facts.items())
    return f"{name:<10}{milliseconds:8.1f} ms  {pairs}".rstrip()
