"""The tool with which a model looks into the book again."""

from __future__ import annotations

from agents import FunctionTool
from agents.tool_context import ToolContext
from pydantic import BaseModel, ValidationError

from glossator.adapters.writers.further_search import FurtherSearch


class _Arguments(BaseModel):
    query: str


_SCHEMA = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "What to look for, in the book's own words."}},
    "required": ["query"],
    "additionalProperties": False,
}


def search_tool(search: FurtherSearch) -> FunctionTool:
    async def invoke(context: ToolContext[None], arguments: str) -> str:
        try:
            query = _Arguments.model_validate_json(arguments).query
        except ValidationError:
            return "That is not a search: give a `query`."
        return await search.run(query)

    return FunctionTool(
        name="search_textbook",
        description="Finds further passages of the book, which may then be cited by their numbers.",
        params_json_schema=_SCHEMA,
        on_invoke_tool=invoke,
    )
