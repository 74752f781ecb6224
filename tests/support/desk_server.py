"""A server for the desk in a browser: keys of both sorts, and readers who really asked, also with bad intent."""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from glossator.model import Scope
from support.browser_server import serve
from support.recorded_examples import add_key
from support.writers_server import model_server, says

ATTACK = "<img src=/pwned onerror=\"document.title='pwned'\"><script>document.title='pwned'</script>"
HOSTILE_QUESTION = f"What is a node? {ATTACK} [1](javascript:alert(1))"
HOSTILE_CLAIM = f"Every node was invented by Ada Lovelace in 1843 {ATTACK} [1]."
FOREIGN = "Who won the football world cup in 1998?"
GOOD = "What is a node?"


@dataclass(frozen=True)
class DeskServer:
    url: str
    operator: str
    reader: str
    """A key that may ask and read, and no more."""

    @property
    def desk(self) -> str:
        return f"{self.url}/desk"

    def ask(self, question: str) -> str:
        """The id of the session it was asked in."""
        reply = httpx2.post(
            f"{self.url}/v1/ask",
            json={"question": question},
            headers={"Authorization": f"Bearer {self.reader}"},
            timeout=60,
            trust_env=False,
        )
        reply.raise_for_status()
        return reply.json()["session"]["id"]


@contextmanager
def desk_server(folder: Path, home: Path, **settings: str) -> Generator[DeskServer]:
    # In a thread of its own: the browser's driver keeps this one's event loop.
    with ThreadPoolExecutor(1) as beside:
        operator, reader = (
            beside.submit(add_key, folder / "records.sqlite", scopes=scopes).result()
            for scopes in ([Scope.OPERATE], [Scope.ASK, Scope.READ])
        )
    with serve(folder, home, **settings) as command:
        yield DeskServer(command.url, operator, reader)


@contextmanager
def asked_server(folder: Path, home: Path) -> Generator[DeskServer]:
    """Everything that a view can show is there: answers, refusals, gaps, flagged claims, a hostile reader."""
    with model_server() as model:
        model.will(says("A node is a running program. [1] ", HOSTILE_CLAIM))
        settings = {"model": "m", "model_base_url": model.url, "model_api_key": "k", "model_tools": "false"}
        with desk_server(folder, home, requests_per_minute="100000", **settings) as server:
            for question in (GOOD, HOSTILE_QUESTION, FOREIGN, FOREIGN, FOREIGN):
                server.ask(question)
            yield server
