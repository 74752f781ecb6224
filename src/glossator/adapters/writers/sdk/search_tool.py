"""The tool with which a model looks into the book again."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents import FunctionTool
from agents.tool_context import ToolContext
from pydantic import BaseModel, ValidationError

from glossator.adapters.writers.prompt import Mark, show
from glossator.model import Evidence, Search


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


# Looking into the book again while an answer is being written.

_AT_MOST = 2
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_LONGEST_QUERY = 500


class FurtherSearch:
    """Keeps count, and what was found: a second try begins with all the evidence of the first."""

    def __init__(self, search: Search | None, evidence: Sequence[Evidence], mark: Mark) -> None:
        self._search = search
        self._mark = mark
        self._left = _AT_MOST if search else 0
        self.evidence = list(evidence)

    @property
    def is_possible(self) -> bool:
        return self._left > 0

    async def run(self, query: str) -> str:
        """What the model reads."""
        query = " ".join(_CONTROL.sub(" ", query).split())[:_LONGEST_QUERY]
        if not query:
            return "That is not a search: give a few words."
        if self._search is None or not self._left:
            return "No more searches. Answer from the evidence that you have."
        self._left -= 1
        return self._report(await self._search(query))

    def _report(self, found: Sequence[Evidence]) -> str:
        known = {piece.number for piece in self.evidence}
        new = [piece for piece in found if piece.number not in known]
        self.evidence.extend(new)
        if not new:
            return "The book has nothing more about that."
        return show(new, self._mark)
