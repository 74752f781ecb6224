"""The whole server with one of its dependencies behind a network that can be made to fail."""

from __future__ import annotations

import json
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from httpx2 import Client, Response
from starlette.testclient import TestClient

from glossator.ingest.pipeline import ingest
from glossator.ingest.sites import site_of
from glossator.ports import Embedder
from glossator.resilience.circuit_breaker import Dependency
from glossator.settings import EmbedderKind, Settings
from glossator.testing import SilentProgress, WordEmbedder
from glossator.wiring import ingest_tools_of
from glossator.wiring.server import app_of
from support.answer_book import PAGES
from support.embedders_service import Call, Line, Service
from support.faulty_proxy import Fault, FaultyProxy, proxy_to
from support.proof_server import served
from support.qdrant_server import qdrant_server
from support.records_database import execute
from support.writers_server import model_server, says

QUESTION = "What is a topic?"

HURRIED = {
    # The index and the embedder get nine tenths of it, and what is left must be enough for a thread of a busy machine
    # to say which of them was too slow.
    Dependency.INDEX: {"search_seconds": 2.0},
    Dependency.EMBEDDER: {"search_seconds": 2.0},
    Dependency.WRITER: {"write_seconds": 1.0},
    Dependency.RECORDS: {"database_seconds": 1.0},
}
"""Only what fails is given up soon: the others may be slow because the machine is."""
BREAKERS = {"breaker_failures": 2, "breaker_seconds": 0.25}
SECONDS_TO_RECOVER = 300.0


@dataclass(frozen=True, slots=True)
class Stage:
    dependency: Dependency
    client: Client
    proxy: FaultyProxy

    def ask(self, **given: Any) -> Response:
        return self.client.post("/v1/ask", json={"question": QUESTION, **given})

    @contextmanager
    def failing(self, fault: Fault) -> Iterator[None]:
        """Begins well, and ends well again: what is back is used again without anybody's doing."""
        self.recover()
        with self.proxy.failing(fault):
            yield
        self.recover()

    def recover(self) -> None:
        assert comes_true(lambda: self.ask().status_code == 200 and self.breaker_state == 0)

    @property
    def breaker_state(self) -> float:
        """As the metrics tell it: 0 is closed."""
        name = f'glossator_breaker_state{{dependency="{self.dependency}"}} '
        lines = self.client.get("/metrics").text.splitlines()
        return next(float(line.removeprefix(name)) for line in lines if line.startswith(name))


def comes_true(is_so: Callable[[], bool], seconds: float = SECONDS_TO_RECOVER) -> bool:
    deadline = time.monotonic() + seconds
    while not (found := is_so()) and time.monotonic() < deadline:
        threading.Event().wait(0.02)
    return found


class Backstage:
    """Where the stages are set; everything is real, on this machine."""

    def __init__(
        self,
        folder: Path,
        home: Path,
        embedder: Embedder,
        postgres: Callable[[], str],
        *,
        is_over_sockets: bool = False,
    ) -> None:
        self._folder = folder
        self._is_over_sockets = is_over_sockets
        self._home = home
        self._embedder = embedder
        self._postgres = postgres

    @contextmanager
    def set(self, dependency: Dependency, **settings: Any) -> Iterator[Stage]:
        builders = {
            Dependency.INDEX: self._index,
            Dependency.RECORDS: self._records,
            Dependency.WRITER: self._writer,
            Dependency.EMBEDDER: self._embeddings,
        }
        with ExitStack() as opened:
            proxy, given = opened.enter_context(builders[dependency]())
            hurried = {**HURRIED[dependency], **given, **settings}
            yield Stage(dependency, opened.enter_context(self._serving(hurried)), proxy)

    def _serving(self, given: dict[str, Any]) -> AbstractContextManager[Client]:
        settings = {
            # A repeated question would be answered without asking the dependency.
            "result_cache_entries": 0,
            "home": self._home,
            "database_url": f"sqlite:///{self._folder / secrets.token_hex(4)}.sqlite",
            "requests_per_minute": 100_000,
            **BREAKERS,
            **given,
        }
        if self._is_over_sockets:
            return self._served(settings)
        app = app_of(Settings(**settings), embedder=None if "embedder" in given else self._embedder)
        return TestClient(app, base_url="http://127.0.0.1:8000", raise_server_exceptions=False)

    @contextmanager
    def _served(self, settings: dict[str, Any]) -> Iterator[Client]:
        with served(folder=self._folder, **settings) as server, server.client() as client:
            yield client

    @contextmanager
    def _index(self) -> Iterator[tuple[FaultyProxy, dict[str, Any]]]:
        with ExitStack() as opened:
            url = os.environ.get("GLOSSATOR_TEST_QDRANT") or opened.enter_context(
                qdrant_server(self._made("qdrant"))
            )
            settings = Settings(
                home=self._made("home-qdrant"), qdrant_url=url, collection=f"book-{secrets.token_hex(4)}"
            )
            self._ingest(settings)
            proxy = opened.enter_context(proxy_to(url))
            yield proxy, {"qdrant_url": proxy.in_front_of(url), "collection": settings.collection}

    @contextmanager
    def _records(self) -> Iterator[tuple[FaultyProxy, dict[str, Any]]]:
        server, name = self._postgres(), f"matrix_{secrets.token_hex(4)}"
        execute(server, f"CREATE DATABASE {name}")
        parts = urlsplit(server)
        folder = parse_qs(parts.query).get("host")
        port = parts.port or 5432
        target = f"{folder[0]}/.s.PGSQL.{port}" if folder else (parts.hostname or "localhost", port)
        with FaultyProxy(target, error=_STARTING_UP).running() as proxy:
            user = f"{parts.username}:{parts.password or ''}@"
            yield proxy, {"database_url": f"postgresql://{user}127.0.0.1:{proxy.port}/{name}"}
        execute(server, f"DROP DATABASE {name} WITH (FORCE)")

    @contextmanager
    def _writer(self) -> Iterator[tuple[FaultyProxy, dict[str, Any]]]:
        with model_server() as model, proxy_to(model.url) as proxy:
            model.will(says("A topic is a named stream of messages [1]."))
            yield proxy, {"model": "some-model", "model_base_url": proxy.in_front_of(model.url)}

    @contextmanager
    def _embeddings(self) -> Iterator[tuple[FaultyProxy, dict[str, Any]]]:
        with _word_service() as service, proxy_to(service.url) as proxy:
            given = {
                "home": self._made("home-embeddings"),
                "embedder": EmbedderKind.OPENAI,
                "embedder_model": "words",
                "embedder_dimensions": service.words.identity.dimension,
            }
            self._ingest(Settings(**given, embedder_base_url=service.url))
            yield proxy, {**given, "embedder_base_url": proxy.in_front_of(service.url)}

    def _made(self, name: str) -> Path:
        folder = self._folder / name
        folder.mkdir(parents=True)
        return folder

    def _ingest(self, settings: Settings) -> None:
        book = self._folder / "robots"
        for name, text in PAGES.items():
            (book / name).parent.mkdir(parents=True, exist_ok=True)
            (book / name).write_text(text.lstrip(), "utf-8")
        ingest(
            book,
            site_of(book, title="robots"),
            ingest_tools_of(settings, SilentProgress(), say=lambda message: None),
        )


def _fatal(state: str, message: str) -> bytes:
    """As PostgreSQL says it on the wire."""
    fields = b"".join(
        kind + value.encode() + b"\0"
        for kind, value in ((b"S", "FATAL"), (b"V", "FATAL"), (b"C", state), (b"M", message))
    )
    return b"E" + (len(fields) + 5).to_bytes(4, "big") + fields + b"\0"


_STARTING_UP = _fatal("57P03", "the database system is starting up")


class WordService(Service):
    """Embeds texts by their words, so that what shares them is near."""

    def __init__(self) -> None:
        super().__init__()
        self.words = WordEmbedder()

    def answer(self, line: Line, call: Call) -> None:
        made = self.words.embed_passages(call.texts)
        items = [
            {"index": number, "embedding": embedding.vector.tolist()} for number, embedding in enumerate(made)
        ]
        line.reply(200, json.dumps({"data": items}).encode())

    def handle_error(self, request: object, client_address: object) -> None:
        """Lines that break are part of the play."""


@contextmanager
def _word_service() -> Iterator[WordService]:
    with WordService() as service:
        thread = threading.Thread(target=service.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield service
        finally:
            service.shutdown()
            thread.join()
