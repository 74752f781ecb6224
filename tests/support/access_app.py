"""A small contract behind the guard, with keys in memory, as the tests of access drive it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import httpx2
from fastapi import FastAPI, Request
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount
from starlette.types import ASGIApp

from glossator.errors import KeyUnknown, RecordsUnavailable
from glossator.model import ApiKey, Contract, KeyKind, Scope
from glossator.web.auth.access import Access
from glossator.web.auth.address import Addresses
from glossator.web.auth.caller import Asks, Operates, Reads
from glossator.web.auth.keyring import Keyring, make_key
from glossator.web.auth.limits import RateLimits
from glossator.web.auth.tokens import Tokens
from glossator.web.middleware.cors import Cors
from glossator.web.middleware.guard import ContractTerms, Guard
from glossator.web.problem import Problem, install_error_handlers

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PAGE = "https://book.example"
BODY_BYTES = 2048
SECRET = b"s" * 32
LOCAL = "http://127.0.0.1:8000"


@dataclass
class MemoryKeys:
    """The port, with a database that can be taken away."""

    keys: dict[str, ApiKey] = field(default_factory=dict[str, ApiKey])
    is_down: bool = False
    reads: int = 0
    before_reading: Callable[[], Coroutine[Any, Any, object]] | None = None

    async def all(self) -> Sequence[ApiKey]:
        self.reads += 1
        if self.before_reading:
            await self.before_reading()
        if self.is_down:
            raise RecordsUnavailable
        return list(self.keys.values())

    async def add(self, key: ApiKey) -> None:
        self.keys[key.id] = key

    async def revoke(self, key_id: str, at: datetime) -> ApiKey:
        if key_id not in self.keys:
            raise KeyUnknown
        self.keys[key_id] = replace(self.keys[key_id], revoked_at=at)
        return self.keys[key_id]

    def make(self, kind: KeyKind = KeyKind.SECRET, **about: Any) -> str:
        """A key that is there already; what is shown of it."""
        if kind is KeyKind.PUBLISHABLE:
            about.setdefault("origins", [PAGE])
        made = make_key(kind, NOW, **about)
        self.keys[made.key.id] = made.key
        return made.shown


@dataclass
class Hands:
    """A clock that stands still until it is moved."""

    time: float = 1_000.0

    def __call__(self) -> float:
        return self.time


@dataclass
class House:
    """Everything around the small contract, to look at and to change."""

    keys: MemoryKeys = field(default_factory=MemoryKeys)
    hands: Hands = field(default_factory=Hands)
    per_minute: int = 1000
    trusted_proxies: tuple[str, ...] = ()
    may_open: bool = True
    body_seconds: float = 10.0
    peer: tuple[str, int] = ("127.0.0.1", 50_000)
    prefix: str = "/small"
    given: Sequence[ApiKey] = ()

    def __post_init__(self) -> None:
        keyring = Keyring(self.keys, given=self.given, may_open=self.may_open, clock=self.hands)
        self.keyring = keyring
        access = self.access = Access(
            keyring=keyring,
            tokens=Tokens(SECRET, clock=lambda: NOW),
            limits=RateLimits(self.per_minute, clock=self.hands),
            addresses=Addresses(self.trusted_proxies),
            tokens_required=True,
        )
        terms = ContractTerms(Contract.THREADS, render, BODY_BYTES, body_seconds=self.body_seconds)
        server = Starlette(routes=[Mount(self.prefix, Guard(contract(), access, terms))])
        self.app: ASGIApp = Cors(server, keyring)

    def client(self, base_url: str = LOCAL, **options: Any) -> httpx2.AsyncClient:
        transport = httpx2.ASGITransport(self.app, raise_app_exceptions=False, client=self.peer)
        return httpx2.AsyncClient(transport=transport, base_url=base_url, **options)

    def send(self, method: str, path: str, *, base_url: str = LOCAL, **request: Any) -> httpx2.Response:
        async def sent() -> httpx2.Response:
            async with self.client(base_url) as client:
                return await client.request(method, path, **request)

        return asyncio.run(sent())

    def get(self, path: str = "/small/ask", **request: Any) -> httpx2.Response:
        return self.send("GET", path, **request)

    def post(self, path: str = "/small/echo", **request: Any) -> httpx2.Response:
        return self.send("POST", path, **request)


async def raw(
    house: House,
    *,
    method: str = "GET",
    path: str = "/small/ask",
    headers: list[tuple[bytes, bytes]],
    body: bytes | None = b"",
    leaves: bool = False,
    state: dict[str, object] | None = None,
) -> list[Any]:
    """What no client library would send, or not in this way."""
    sent = list[Any]()
    incoming = [{"type": "http.request", "body": body, "more_body": leaves}] if body is not None else []

    async def receive():
        return incoming.pop() if incoming else {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "client": house.peer,
        "server": ("127.0.0.1", 8000),
        **({} if state is None else {"state": state}),
    }
    await house.app(scope, receive, send)
    return sent


def bearer(key: str, **headers: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}", **headers}


def render(problem: Problem) -> Response:
    """The small contract's own error body."""
    return JSONResponse({"small": problem.kind, "says": problem.message}, status_code=problem.status)


def contract() -> FastAPI:
    app = FastAPI()
    install_error_handlers(app, render)
    _add_doors(app)
    _add_sessions(app)
    _add_bodies(app)
    return app


def _add_doors(app: FastAPI) -> None:
    """One for everybody, and one for each scope."""

    @app.get("/health")
    async def health() -> dict[str, str]:
        return {"status": "healthy"}

    @app.get("/ask")
    async def ask(caller: Asks) -> dict[str, object]:
        return {"key": caller.key, "address": caller.address, "scopes": sorted(caller.scopes)}

    @app.get("/search")
    async def search(caller: Reads) -> dict[str, str]:
        return {"key": caller.key}

    @app.get("/admin")
    async def admin(caller: Operates) -> dict[str, str]:
        return {"key": caller.key}


def _add_sessions(app: FastAPI) -> None:
    @app.post("/sessions/{session_id}")
    async def opened(session_id: str, caller: Asks) -> dict[str, str | None]:
        return {"opening": caller.enter(session_id).opening, "token": caller.token_for(session_id, NOW)}

    @app.get("/sessions/{session_id}")
    async def session(session_id: str, caller: Asks, user: str | None = None) -> dict[str, str | None]:
        owner = caller.reach(session_id, user=user).owner
        return {"key": owner.key, "user": owner.user}


def _add_bodies(app: FastAPI) -> None:
    @app.post("/echo")
    async def echo(request: Request, caller: Asks) -> dict[str, int]:
        return {"bytes": len(await request.body())}

    @app.post("/json")
    async def json(caller: Asks, body: dict[str, str]) -> dict[str, int]:
        return {"fields": len(body)}

    @app.get("/stream")
    async def stream(caller: Asks) -> StreamingResponse:
        return StreamingResponse(_pieces(), media_type="text/event-stream")

    @app.get("/broken")
    async def broken(caller: Asks) -> None:
        raise RuntimeError("something that must not be shown")


async def _pieces() -> AsyncIterator[bytes]:
    for number in range(3):
        yield f"data: {number}\n\n".encode()
        await asyncio.sleep(0)


EVERYTHING = frozenset(Scope)
