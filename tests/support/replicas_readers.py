"""Readers who ask one question after the other, through a load balancer, until they are told to stop."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any

import httpx2

from support.proof_server import PATIENCE, is_soon
from support.proof_stream import stream
from support.replicas_book import QUESTIONS, editions_in
from support.replicas_stage import Book, client_of, from_elsewhere

Ask = Callable[["Reader", httpx2.Client, str], None]
PAUSE = 0.2
"""Seconds between the questions of a reader: what is tried needs a machine that has time for it, too."""


@dataclass
class Reader:
    """Every event of every answer is looked at; whatever is no whole answer is a failure."""

    session: dict[str, str] | None = None
    asked: list[str] = field(default_factory=list[str])
    heard: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def read(self, url: str, ask: Ask, is_over: threading.Event, pause: float) -> None:
        with client_of(url) as client:
            for question in cycle(QUESTIONS):
                ask(self, client, question)
                if is_over.wait(pause):
                    return

    def ask(self, client: httpx2.Client, question: str) -> None:
        self.asked.append(question)
        body = {"question": question, **({"session": self.session} if self.session else {})}
        events = list(stream(client, body, from_elsewhere()))
        assert events[-1].name == "answer", events[-1]
        answer = events[-1].data
        assert answer["outcome"] == "answered", answer
        told = "".join(event.data["text"] for event in events if event.name == "claim")
        assert told == answer["text"]
        self.session = answer["session"]
        self.heard.append(answer)

    def check_kept(self, client: httpx2.Client) -> None:
        """All that was asked was answered, and is kept, in order."""
        assert [exchange["question"] for exchange in self.kept(client)] == self.asked
        self.check_none_lost(client)

    def check_none_lost(self, client: httpx2.Client) -> None:
        """What was stored when its server could no longer say so may be kept as well."""
        heard = {answer["id"]: answer["text"] for answer in self.heard}
        kept = {
            exchange["id"]: exchange["answer"]["text"]
            for exchange in self.kept(client)
            if exchange["id"] in heard
        }
        assert list(kept.items()) == list(heard.items())

    def kept(self, client: httpx2.Client) -> list[dict[str, Any]]:
        assert self.session
        headers = {"x-glossator-session": self.session["token"], **from_elsewhere()}
        reply = client.get(f"/v1/sessions/{self.session['id']}/export", headers=headers)
        assert reply.status_code == 200, reply.text
        return reply.json()["exchanges"]

    def check_generations(self, book: Book) -> None:
        for answer in self.heard:
            edition = book.editions[answer["index"]["generation"]]
            assert editions_in(json.dumps(answer)) == {edition}, answer


@contextmanager
def reading(*urls: str, many: int, ask: Ask = Reader.ask, pause: float = PAUSE) -> Iterator[list[Reader]]:
    """Inside, they ask; every one has heard an answer before it begins, and another one before it ends."""
    readers, is_over = [Reader() for _ in range(many)], threading.Event()
    with ThreadPoolExecutor(many) as threads:
        running = [
            threads.submit(reader.read, url, ask, is_over, pause)
            for reader, url in zip(readers, cycle(urls), strict=False)
        ]

        def hear_more() -> None:
            goal = [len(reader.heard) + 1 for reader in readers]
            is_heard = is_soon(lambda: _has_failed() or _have_heard(goal))
            assert is_heard, "the readers wait for ever"

        def _has_failed() -> bool:
            return any(task.done() for task in running)

        def _have_heard(goal: list[int]) -> bool:
            return all(len(reader.heard) >= least for reader, least in zip(readers, goal, strict=True))

        try:
            hear_more()
            yield readers
            hear_more()
        finally:
            is_over.set()
            for task in running:
                task.result(PATIENCE)
