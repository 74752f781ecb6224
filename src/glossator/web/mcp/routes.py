"""The tools over streamable HTTP: each request stands alone, so any worker may answer it."""

from __future__ import annotations

import asyncio
from typing import Any

from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from glossator.engine import Engine
from glossator.errors import KeyMissing, QuestionError
from glossator.model import Contract, Owner
from glossator.model import Scope as KeyScope
from glossator.web.auth.caller import Caller
from glossator.web.auth.limits import rate_headers
from glossator.web.contract import ContractApp, ContractSettings, application
from glossator.web.mcp.protocol import Context, protocol
from glossator.web.mcp.request import render
from glossator.web.middleware.guard import replay

PATH = "/mcp"

_SUMMARY = "The book as a set of tools for other assistants."


def mcp(engine: Engine, contract_settings: ContractSettings) -> ContractApp:
    app = application("Glossator: MCP", _SUMMARY, render)
    # There are no messages that nobody asked for, so there is nothing to listen to with GET.
    app.router.routes.append(Route(PATH, _Endpoint(protocol(engine, _admitted)), methods=["POST"]))
    return ContractApp(
        Contract.MCP, PATH, app, render, rate_headers, contract_settings.body_bytes, open_paths=frozenset()
    )


def _admitted(context: Context, scope: KeyScope) -> Owner:
    if context.request is None:
        raise KeyMissing
    caller: Caller = context.request.state.caller
    return caller.need(scope).owner()


class _Endpoint:
    """The guard in front has seen to keys and limits, and to pages that gave their name our address."""

    def __init__(self, server: Server[Any]) -> None:
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await Request(scope, receive).body()
        _check(body)
        answering = asyncio.create_task(self._answer(scope, replay(body, receive), send))
        leaving = asyncio.create_task(_hang_up(receive))
        leaving.add_done_callback(lambda _: answering.cancel())
        try:
            await asyncio.wait((answering,))
        finally:
            answering.cancel()
            leaving.cancel()
            await asyncio.wait((answering, leaving))
        if not answering.cancelled():
            answering.result()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        # One for each request: without sessions there is nothing that a longer life would keep.
        manager = StreamableHTTPSessionManager(self._server, stateless=True, json_response=True)
        async with manager.run():
            await manager.handle_request(scope, receive, send)


def _check(body: bytes) -> None:
    """The protocol's own transport would repeat what was sent."""
    try:
        jsonrpc_message_adapter.validate_json(body, by_name=False)
    except ValidationError as error:
        raise QuestionError("The request is not one message of JSON-RPC 2.0.") from error


async def _hang_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
