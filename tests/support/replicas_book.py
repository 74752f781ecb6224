"""A small book of which every sentence names its edition, and a language model that quotes its evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from threading import Event

from support.proof_server import PATIENCE
from support.writers_frames import Reply
from support.writers_server import Answer, Call, Line, frames_of

_HALLS = {"copper": "Alma", "marble": "Bruno", "amber": "Clara", "granite": "Dorian", "ivory": "Edda"}
QUESTIONS = [f"Who trims the lamp of the {hall} hall?" for hall in _HALLS]

_EVIDENCE = re.compile(r"^=== (\w+) evidence \[(\d+)\] ===\n(.*?)\n=== \1 end ===$", re.MULTILINE | re.DOTALL)
_SENTENCE = re.compile(r"^The lamp [^.]*(?=\.)", re.MULTILINE)
_EDITION = re.compile(r"edition (\d+)")
_AFTER_THREE = 4
"""The first frame of an answer is only its role."""


def write_edition(folder: Path, edition: int) -> Path:
    """Every page is another in each edition, so that an answer that mixes two of them shows it."""
    folder.mkdir(parents=True, exist_ok=True)
    for hall, keeper in _HALLS.items():
        sentences = [
            f"The lamp of the {hall} hall is trimmed by the keeper {keeper}, says edition {edition}.",
            f"Whoever trims the lamp of another hall asks {keeper} first, says edition {edition}.",
        ]
        (folder / f"{hall}.md").write_text(f"# The {hall} hall\n\n{' '.join(sentences)}\n", "utf-8")
    return folder


def editions_in(text: str) -> set[int]:
    return {int(number) for number in _EDITION.findall(text)}


def quotes(*, pause: float = 0.0, until: Event | None = None) -> Answer:
    """The lamp of each piece of evidence, one sentence at a time; after three of them it waits `until` then."""

    def answer(line: Line, call: Call) -> None:
        line.begin_events()
        for number, frame in enumerate(frames_of(Reply((*_quoted(call),)), call)):
            line.server.script.released.wait(pause)
            if until is not None and number == _AFTER_THREE:
                until.wait(PATIENCE)
            line.send(frame)
        line.end_events()

    return answer


def _quoted(call: Call) -> Iterator[str]:
    for _, number, text in _EVIDENCE.findall(call.asked):
        if sentence := _SENTENCE.search(text):
            yield f"{sentence[0]} [{number}]. "
