"""What a worker is told to do, and what it tells of itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from json import dumps, loads

from starlette.types import ASGIApp

from glossator.web.stop import Stop

MakeApp = Callable[[Stop], ASGIApp]


@dataclass(frozen=True, slots=True)
class Job:
    make_app: str
    """`package.module:function`, of a MakeApp."""
    listener: int
    """The descriptor of a socket that listens."""
    header_seconds: float
    stop_seconds: float
    watchdog_seconds: float
    shared: str | None = None
    """The folder in which workers count together, where there are several."""

    def to_json(self) -> str:
        return dumps(asdict(self))

    @classmethod
    def of(cls, sent: str) -> Job:
        return cls(**loads(sent))


@dataclass(frozen=True, slots=True)
class Report:
    """The first line that a worker says on its standard output; the beats of its event loop follow."""

    failure: str | None = None
    """Why it does not serve; None when it does."""

    def to_json(self) -> str:
        return dumps(asdict(self))

    @classmethod
    def of(cls, said: str) -> Report:
        return cls(**loads(said))
