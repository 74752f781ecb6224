"""The MCP server over the tools. Its transport, HTTP or standard input, authenticates the caller."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.metadata import version
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
from mcp_types import Tool as ToolDefinition
from pydantic import BaseModel, ValidationError

from glossator.engine import Engine
from glossator.model import Owner, Scope
from glossator.web.mcp.request import ToolResult
from glossator.web.mcp.tools import TOOLS, Tool
from glossator.web.problem import Problem, problem_of
from glossator.web.trace import begin_trace, trace_id

Context = ServerRequestContext[Any, Any]
Admit = Callable[[Context, Scope], Owner]
"""Returns the caller; raises AccessError if the scope is missing."""

_INSTRUCTIONS = (
    "Tools over one book. Use ask_book for an answer with its sources, search_book and read_section for the "
    "book's own words, list_chapters for what it covers. What the book does not say, they do not say."
)
_HINTS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)


def protocol(engine: Engine, admit: Admit) -> Server[Any]:
    async def list_tools(context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[_definition(tool) for tool in TOOLS.values()])

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        tool = _find(params.name)
        if not trace_id():
            # Over standard input there is no HTTP request that has begun one.
            begin_trace()
        return await _result(lambda: _run(tool, params.arguments, engine, admit(context, tool.scope)))

    server = Server[Any](
        "glossator",
        title="Glossator",
        version=version("glossator"),
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=lambda name: TOOLS[name].takes.model_json_schema() if name in TOOLS else None,
    )
    # The library's own spans would carry names that callers make up; our request spans do not.
    server.middleware.clear()
    return server


def _definition(tool: Tool) -> ToolDefinition:
    return ToolDefinition(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.takes.model_json_schema(),
        output_schema=tool.gives.model_json_schema(),
        annotations=_HINTS,
    )


def _find(name: str) -> Tool:
    if name not in TOOLS:
        raise MCPError(INVALID_PARAMS, "There is no such tool.")
    return TOOLS[name]


async def _result(run: Callable[[], Awaitable[ToolResult]]) -> CallToolResult:
    """Errors become a result that the calling assistant can read, with a message that is safe to show."""
    try:
        result = await run()
    except Exception as error:  # noqa: BLE001  the library would show or lose it
        return _failed(problem_of(error))
    return CallToolResult(
        content=[_text(result.to_text())], structured_content=result.model_dump(mode="json")
    )


async def _run(tool: Tool, arguments: dict[str, Any] | None, engine: Engine, owner: Owner) -> ToolResult:
    return await tool.run(engine, owner, _validated(tool.takes, arguments or {}))


def _validated(model: type[BaseModel], arguments: dict[str, Any]) -> BaseModel:
    try:
        return model.model_validate(arguments)
    except ValidationError as error:
        # As FastAPI reports errors, with the part of the request in front of the location.
        details = error.errors(include_input=False)
        located = [{**detail, "loc": ("arguments", *detail["loc"])} for detail in details]
        raise RequestValidationError(located) from error


def _failed(problem: Problem) -> CallToolResult:
    reasons = [f"{name}: {reason}." for name, reason in problem.fields]
    seconds = problem.retry_after_seconds
    retry = [] if seconds is None else [f"Try again after {seconds} s."]
    meta = {"code": problem.kind.value, "retryable": problem.retryable, "trace_id": problem.trace_id}
    return CallToolResult(
        content=[_text(" ".join([problem.message, *reasons, *retry]))], is_error=True, _meta=meta
    )


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)
