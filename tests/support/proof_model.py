"""A language model that writes what the small book says, as slowly as a test wants."""

from __future__ import annotations

from threading import Event

from support.writers_frames import Reply
from support.writers_server import Answer, Call, Line, frames_of

SENTENCES = (
    "A topic is a named stream of messages. ",
    "Publishers send messages to it, and every subscriber receives a copy. ",
    "Quality of service is the set of delivery rules of an endpoint. ",
    "A best-effort publisher never satisfies a reliable subscriber.",
)
"""Word for word, so that every one of them is told."""


def dictates(*pieces: str, pause: float) -> Answer:
    """The pieces one by one, with a pause before each."""

    def answer(line: Line, call: Call) -> None:
        line.begin_events()
        for frame in frames_of(Reply(pieces), call):
            line.server.script.released.wait(pause)
            line.send(frame)
        line.end_events()

    return answer


def waits_for(heard: Event, *pieces: str, before: int) -> Answer:
    """Says nothing from the piece of that number on, until it is told to go on."""

    def answer(line: Line, call: Call) -> None:
        line.begin_events()
        for number, frame in enumerate(frames_of(Reply(pieces), call)):
            if number == before:
                heard.wait(60)
            line.send(frame)
        line.end_events()

    return answer
