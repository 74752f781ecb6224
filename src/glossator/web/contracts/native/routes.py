"""The native contract as an application."""

from __future__ import annotations

from glossator.engine import Engine
from glossator.model import Contract
from glossator.web.contract import Mounted, Wire, application
from glossator.web.contracts.native.asking import asking
from glossator.web.contracts.native.desk import desk
from glossator.web.contracts.native.error import PROBLEM_JSON, render
from glossator.web.contracts.native.keeping import keeping
from glossator.web.contracts.native.looking import looking
from glossator.web.limits import rate_headers

_SUMMARY = "Questions about a book, answered from the book, with the places where it says so."


def native(engine: Engine, wire: Wire) -> Mounted:
    app = application("Glossator", _SUMMARY, render, failure_type=PROBLEM_JSON)
    for routes in (asking, looking, keeping, desk):
        app.include_router(routes(engine, wire))
    asks = frozenset({"/ask"})
    return Mounted(Contract.NATIVE, "/v1", app, render, rate_headers, wire.body_bytes, asks)
