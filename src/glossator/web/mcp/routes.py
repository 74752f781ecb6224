"""MCP over streamable HTTP, without sessions, so that any worker can answer any request."""

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
from glossator.web.sse import disconnected

PATH = "/mcp"

_SUMMARY = "The book as a set of tools for other assistants."


def mcp(engine: Engine, contract_settings: ContractSettings) -> ContractApp:
    app = application("Glossator: MCP", _SUMMARY, render)
    # No GET: the server sends no messages of its own.
    app.router.routes.append(Route(PATH, _Endpoint(protocol(engine, _admit)), methods=["POST"]))
    return ContractApp(
        Contract.MCP, PATH, app, render, rate_headers, contract_settings.body_bytes, open_paths=frozenset()
    )


def _admit(context: Context, scope: KeyScope) -> Owner:
    if context.request is None:
        raise KeyMissing
    caller: Caller = context.request.state.caller
    return caller.need(scope).owner()


class _Endpoint:
    """The guard in front has checked keys, limits and the Host header, against DNS rebinding."""

    def __init__(self, server: Server[Any]) -> None:
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await Request(scope, receive).body()
        _check(body)
        answering = asyncio.create_task(self._answer(scope, replay(body, receive), send))
        disconnecting = asyncio.create_task(disconnected(receive))
        disconnecting.add_done_callback(lambda _: answering.cancel())
        try:
            await asyncio.wait((answering,))
        finally:
            answering.cancel()
            disconnecting.cancel()
            await asyncio.wait((answering, disconnecting))
        if not answering.cancelled():
            answering.result()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        # A new one for each request: without sessions it has nothing to keep.
        manager = StreamableHTTPSessionManager(self._server, stateless=True, json_response=True)
        async with manager.run():
            await manager.handle_request(scope, receive, send)


def _check(body: bytes) -> None:
    """Checked here, because the library's transport would repeat the body in its error."""
    try:
        jsonrpc_message_adapter.validate_json(body, by_name=False)
    except ValidationError as error:
        raise QuestionError("The request is not one message of JSON-RPC 2.0.") from error
