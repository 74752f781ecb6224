"""Looking around in the book over the native contract."""

# pyright: reportUnusedFunction=false
from __future__ import annotations

from fastapi import APIRouter

from glossator.engine import Engine
from glossator.web.caller import Reads
from glossator.web.contract import Wire, failures
from glossator.web.contracts.native.error import ProblemBody
from glossator.web.contracts.native.reply import ChaptersReply, SearchReply, SectionReply
from glossator.web.contracts.native.request import SearchQuery

_FAILED = failures(ProblemBody, (400, 401, 403, 404, 429, 500, 503))


def looking(engine: Engine, wire: Wire) -> APIRouter:
    router = APIRouter(responses=_FAILED)

    @router.get("/search")
    async def search(asked: SearchQuery, caller: Reads) -> SearchReply:
        """Where the book speaks of something, and how sure that is."""
        searched = await engine.book.search(asked.to_question(), with_embedding="embedding" in asked.include)
        return SearchReply.of(searched, wire.clock())

    @router.get("/chapters")
    async def chapters(caller: Reads) -> ChaptersReply:
        return ChaptersReply.of(await engine.book.chapters())

    @router.get("/sections/{chunk_id:path}")
    async def section(chunk_id: str, caller: Reads) -> SectionReply:
        """A chunk of the book; its id has a `#`, which is `%23` in an address."""
        return SectionReply.of(await engine.book.section(chunk_id))

    return router
