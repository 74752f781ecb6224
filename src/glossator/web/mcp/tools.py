"""The four MCP tools: description, arguments, result, and the scope that each needs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from glossator.engine import Engine
from glossator.model import Contract, Owner, Scope
from glossator.sessions.running import TurnRequest
from glossator.web.mcp.request import (
    AnswerOut,
    AskBook,
    ChaptersOut,
    HitsOut,
    ListChapters,
    ReadSection,
    SearchBook,
    SectionOut,
    ToolResult,
)


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    title: str
    description: str
    scope: Scope
    takes: type[BaseModel]
    gives: type[ToolResult]
    run: Callable[[Engine, Owner, Any], Awaitable[ToolResult]]


async def _search(engine: Engine, owner: Owner, arguments: SearchBook) -> HitsOut:
    return HitsOut.of(await engine.book.search(arguments.to_question()))


async def _ask(engine: Engine, owner: Owner, arguments: AskBook) -> AnswerOut:
    turn_request = TurnRequest(arguments.to_question(), owner, Contract.MCP, remember=False)
    running = await engine.ask(turn_request)
    return AnswerOut.of(await running.answer())


async def _read(engine: Engine, owner: Owner, arguments: ReadSection) -> SectionOut:
    return SectionOut.of(await engine.book.section(arguments.chunk_id))


async def _list(engine: Engine, owner: Owner, arguments: ListChapters) -> ChaptersOut:
    return ChaptersOut.of(await engine.book.chapters())


TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            name="search_book",
            title="Search the book",
            description=(
                "Finds the sections of the book that speak of something, with their whole text and how "
                "likely each is to bear on it."
            ),
            scope=Scope.READ,
            takes=SearchBook,
            gives=HitsOut,
            run=_search,
        ),
        Tool(
            name="ask_book",
            title="Ask the book",
            description=(
                "Answers a question from the book alone, every sentence checked against it and cited; says "
                "so when the book has no answer. Nothing of it is kept, so each question must stand alone."
            ),
            scope=Scope.ASK,
            takes=AskBook,
            gives=AnswerOut,
            run=_ask,
        ),
        Tool(
            name="read_section",
            title="Read a section",
            description="The text of a section that search_book found or ask_book cited, by its chunk_id.",
            scope=Scope.READ,
            takes=ReadSection,
            gives=SectionOut,
            run=_read,
        ),
        Tool(
            name="list_chapters",
            title="List the chapters",
            description="The chapters of the book in reading order, with the titles of their sections.",
            scope=Scope.READ,
            takes=ListChapters,
            gives=ChaptersOut,
            run=_list,
        ),
    )
}
