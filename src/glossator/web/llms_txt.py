"""Serves the book for language models: `llms.txt`, its pages with links, and `llms-full.txt`, its text."""

from __future__ import annotations

from collections.abc import AsyncIterator

from fastapi import Depends, Response
from fastapi.responses import StreamingResponse

from glossator.engine import Engine
from glossator.export import llms_full_head, llms_txt, page_markdown
from glossator.model import Contract, Manifest
from glossator.web.auth.caller import reads
from glossator.web.auth.limits import rate_headers
from glossator.web.contract import ContractApp, ContractSettings, application
from glossator.web.contracts.native.request import PROBLEM_JSON, render

LLMS_TXT_PATHS = ("/llms.txt", "/llms-full.txt")
_SUMMARY = "The book as text for language models."
_MARKDOWN = "text/markdown; charset=utf-8"
_HEADERS = {"Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff"}


def llms_txt_app(engine: Engine, contract_settings: ContractSettings, *, is_public: bool) -> ContractApp:
    """Needs a key with the scope `read`, unless the book is public."""
    app = application("Glossator: llms.txt", _SUMMARY, render, error_media_type=PROBLEM_JSON)
    short, full = LLMS_TXT_PATHS
    dependencies = [] if is_public else [Depends(reads)]

    @app.get(short, dependencies=dependencies)
    async def pages() -> Response:
        return Response(llms_txt(await engine.book.manifest()), media_type=_MARKDOWN, headers=_HEADERS)

    @app.get(full, dependencies=dependencies)
    async def text() -> Response:
        manifest = await engine.book.manifest()
        return StreamingResponse(_text(engine, manifest), media_type=_MARKDOWN, headers=_HEADERS)

    return ContractApp(
        Contract.NATIVE,
        "",
        app,
        render,
        rate_headers,
        contract_settings.body_bytes,
        open_paths=frozenset(LLMS_TXT_PATHS if is_public else ()),
    )


async def _text(engine: Engine, manifest: Manifest) -> AsyncIterator[str]:
    """A page at a time. An error in the middle breaks the connection, so no part passes for the whole."""
    yield llms_full_head(manifest)
    async for page, chunks in engine.pages(manifest):
        yield page_markdown(page, chunks)
