"""Three servers of one book: one PostgreSQL, one Qdrant, one Redis and one language model, behind a load balancer."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from glossator.ingest.pipeline import ingest
from glossator.ingest.sites import site_of
from glossator.settings import Settings
from glossator.testing import SilentProgress
from glossator.wiring import ingest_tools_of
from support.access_redis import RedisServer
from support.proof_keys import ORIGIN, shows
from support.proof_server import PATIENCE, Server, begun, is_soon
from support.qdrant_server import QdrantNode
from support.records_database import postgres_of_our_own
from support.replicas_balancer import Balancer
from support.replicas_book import quotes, write_edition
from support.writers_server import Server as ModelServer
from support.writers_server import model_server

SERVERS = 3
REQUESTS_PER_MINUTE = 30
KEY = f"a-publishable-key-{secrets.token_hex(8)}"
SECRET_KEY = f"a-secret-key-{secrets.token_hex(8)}"

COMMON: dict[str, object] = {
    "secret": secrets.token_hex(16),
    "keys": SECRET_KEY,
    "keys_publishable": KEY,
    "keys_origins": ORIGIN,
    "trusted_proxies": "127.0.0.1",
    "requests_per_minute": REQUESTS_PER_MINUTE,
    # A question that repeats would be answered without the dependency that is tried.
    "result_cache_entries": 0,
    # How fast a busy machine is, is not tried here either.
    **dict.fromkeys(
        (
            "database_seconds",
            "search_seconds",
            "write_seconds",
            "answer_seconds",
            "linger_seconds",
            "watchdog_seconds",
        ),
        PATIENCE,
    ),
    # The balancer notices within a moment; meanwhile the next server starts anyway.
    "drain_seconds": 2,
    "breaker_seconds": 1,
    "threads": 1,
    "model": "quoting",
    "model_api_key": "none",
    "model_tools": False,
}


@dataclass
class Book:
    """Ingested from a machine of its own; each ingest brings the next edition."""

    folder: Path
    settings: Settings
    editions: dict[int, int] = field(default_factory=dict[int, int])
    """By the generation that has it."""

    @property
    def generation(self) -> int:
        return max(self.editions)

    def ingest_next(self) -> None:
        edition = len(self.editions) + 1
        book = write_edition(self.folder, edition)
        tools = ingest_tools_of(self.settings, SilentProgress(), say=lambda message: None)
        self.editions[ingest(book, site_of(book, title="halls"), tools).generation] = edition


@dataclass
class Replicas:
    """Each server has a home folder of its own, as on a machine of its own."""

    folder: Path
    settings: dict[str, object]
    book: Book
    balancer: Balancer
    model: ModelServer
    servers: list[Server] = field(default_factory=list[Server])
    _opened: ExitStack = field(default_factory=ExitStack)

    def start(self, many: int = SERVERS) -> None:
        """All at once."""
        starting = [self._begin() for _ in range(many)]
        self.servers += [begun_server() for begun_server in starting]

    def balance(self) -> None:
        """Between the servers that there are, once all of them are ready."""
        self.balancer.serve(*(server.url for server in self.servers))
        assert is_soon(lambda: all(self.balancer.is_ready(server.url) for server in self.servers))

    def replace(self, server: Server) -> None:
        """As a rolling restart does: told to stop, and another one comes."""
        starting = self._begin()
        server.stop()
        self.servers[self.servers.index(server)] = starting()
        self.balance()

    def _begin(self) -> Any:
        home = self.folder / f"home-{secrets.token_hex(4)}"
        return self._opened.enter_context(begun(home, self.folder, **self.settings))

    def stop(self) -> None:
        for server in self.servers:
            server.process.terminate()
        for server in self.servers:
            server.stop()
        self.servers.clear()

    def logged(self, *events: str) -> list[list[dict[str, Any]]]:
        """The lines of each server about these events."""
        return [[line for line in _lines(server) if line["event"] in events] for server in self.servers]

    @contextmanager
    def clients(self) -> Iterator[list[httpx2.Client]]:
        """One for each server, past the balancer."""
        with ExitStack() as opened:
            yield [opened.enter_context(client_of(server.url)) for server in self.servers]


def _lines(server: Server) -> list[dict[str, Any]]:
    return [json.loads(line) for line in server.logged().splitlines() if line.startswith("{")]


@contextmanager
def replicas(folder: Path, **settings: object) -> Iterator[Replicas]:
    """Without servers yet; the settings say where their index and their records are."""
    book_settings = {name: settings[name] for name in settings if name.startswith("qdrant")}
    book = Book(folder / "book", Settings(home=folder / "home", threads=1, **book_settings))  # type: ignore[arg-type]
    with ExitStack() as opened, model_server() as model, Balancer().running() as balancer:
        model.will(quotes(pause=0.01))
        book.ingest_next()
        stage = Replicas(
            folder,
            {**COMMON, "model_base_url": model.url, **settings},
            book,
            balancer,
            model,
            _opened=opened,
        )
        yield stage


@dataclass(frozen=True)
class Dependencies:
    postgres: Any
    """As `postgres_of_our_own` gives it."""
    qdrant: QdrantNode
    redis: RedisServer

    @property
    def settings(self) -> dict[str, object]:
        return {
            "database_url": self.postgres.get_uri(),
            "qdrant_url": self.qdrant.url,
            "redis_url": self.redis.url,
        }


@contextmanager
def dependencies(folder: Path) -> Iterator[Dependencies]:
    for name in ("qdrant", "redis"):
        (folder / name).mkdir(parents=True)
    qdrant, redis = QdrantNode(folder / "qdrant"), RedisServer(folder / "redis")
    with ExitStack() as opened:
        opened.callback(qdrant.kill)
        opened.callback(redis.stop)
        qdrant.start()
        redis.start()
        yield Dependencies(opened.enter_context(postgres_of_our_own()), qdrant, redis)


def client_of(url: str) -> httpx2.Client:
    """A page of the book. A connection for each request, so that a balancer sends each to the next server."""
    limits = httpx2.Limits(max_keepalive_connections=0)
    return httpx2.Client(base_url=url, timeout=PATIENCE, trust_env=False, limits=limits, headers=shows(KEY))


def from_elsewhere() -> dict[str, str]:
    """An address that no other reader has, as the proxy tells it: each has a limit of its own."""
    return {"x-forwarded-for": f"10.{'.'.join(str(byte) for byte in secrets.token_bytes(3))}"}
