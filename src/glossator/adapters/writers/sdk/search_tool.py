"""The tool with which a model searches the book while it writes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents import FunctionTool
from agents.tool_context import ToolContext
from pydantic import BaseModel, ValidationError

from glossator.adapters.writers.prompt import Mark, render_evidence
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


_MAX_SEARCHES = 2
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_MAX_QUERY_LENGTH = 500


class FurtherSearch:
    """Counts searches and collects evidence: a second attempt starts with all the evidence of the first."""

    def __init__(self, search: Search | None, evidence: Sequence[Evidence], mark: Mark) -> None:
        self._search = search
        self._mark = mark
        self._remaining = _MAX_SEARCHES if search else 0
        self.evidence = list(evidence)

    @property
    def is_possible(self) -> bool:
        return self._remaining > 0

    async def run(self, query: str) -> str:
        """Returns the text that the model reads."""
        query = " ".join(_CONTROL.sub(" ", query).split())[:_MAX_QUERY_LENGTH]
        if not query:
            return "That is not a search: give a few words."
        if self._search is None or not self._remaining:
            return "No more searches. Answer from the evidence that you have."
        self._remaining -= 1
        return self._report(await self._search(query))

    def _report(self, evidence: Sequence[Evidence]) -> str:
        known = {piece.number for piece in self.evidence}
        new = [piece for piece in evidence if piece.number not in known]
        self.evidence.extend(new)
        if not new:
            return "The book has nothing more about that."
        return render_evidence(new, self._mark)
