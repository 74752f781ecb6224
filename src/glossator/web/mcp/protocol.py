"""The protocol's own server over the tools; who asks is found out by whatever carries the messages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.metadata import version
from math import ceil
from typing import Any

from fastapi.exceptions import RequestValidationError
from mcp.server import Server, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as ToolShown
from pydantic import BaseModel, ValidationError

from glossator.engine import Engine
from glossator.model import Owner, Scope
from glossator.web.mcp.request import ToolResult
from glossator.web.mcp.tools import TOOLS, Tool
from glossator.web.problem import Problem, problem_of
from glossator.web.trace import begin_trace, trace_id

Context = ServerRequestContext[Any, Any]
Admit = Callable[[Context, Scope], Owner]
"""Raises AccessError for whoever may not."""

_INSTRUCTIONS = (
    "Tools over one book. Use ask_book for an answer with its sources, search_book and read_section for the "
    "book's own words, list_chapters for what it covers. What the book does not say, they do not say."
)
_HINTS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)


def protocol(engine: Engine, admit: Admit) -> Server[Any]:
    async def list_tools(context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[_shown(tool) for tool in TOOLS.values()])

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        tool = _named(params.name)
        if not trace_id():
            # Where there is no request around it that has one.
            begin_trace()
        return await _result(lambda: _used(tool, params.arguments, engine, admit(context, tool.scope)))

    server = Server[Any](
        "glossator",
        title="Glossator",
        version=version("glossator"),
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=lambda name: TOOLS[name].takes.model_json_schema() if name in TOOLS else None,
    )
    # Its own spans would carry names that callers make up; those of the request do not.
    server.middleware.clear()
    return server


def _shown(tool: Tool) -> ToolShown:
    return ToolShown(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.takes.model_json_schema(),
        output_schema=tool.gives.model_json_schema(),
        annotations=_HINTS,
    )


def _named(name: str) -> Tool:
    if name not in TOOLS:
        raise MCPError(INVALID_PARAMS, "There is no such tool.")
    return TOOLS[name]


async def _result(use: Callable[[], Awaitable[ToolResult]]) -> CallToolResult:
    """A failure is told to the assistant that called, in a sentence that is safe to show."""
    try:
        told = await use()
    except Exception as error:  # noqa: BLE001  the protocol's server would show or lose it
        return _failed(problem_of(error))
    return CallToolResult(content=[_text(told.to_text())], structured_content=told.model_dump(mode="json"))


async def _used(tool: Tool, arguments: dict[str, Any] | None, engine: Engine, owner: Owner) -> ToolResult:
    return await tool.run(engine, owner, _taken(tool.takes, arguments or {}))


def _taken(takes: type[BaseModel], arguments: dict[str, Any]) -> BaseModel:
    try:
        return takes.model_validate(arguments)
    except ValidationError as error:
        # As the routes of the contracts have it, with the part of the request in front.
        wrong = [{**one, "loc": ("arguments", *one["loc"])} for one in error.errors(include_input=False)]
        raise RequestValidationError(wrong) from error


def _failed(problem: Problem) -> CallToolResult:
    reasons = [f"{name}: {wrong}." for name, wrong in problem.fields]
    after = None if problem.retry_after is None else max(1, ceil(problem.retry_after))
    again = [] if after is None else [f"Try again after {after} s."]
    about = {"code": problem.kind.value, "retryable": problem.retryable, "trace_id": problem.trace_id}
    return CallToolResult(
        content=[_text(" ".join([problem.message, *reasons, *again]))], is_error=True, _meta=about
    )


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)
