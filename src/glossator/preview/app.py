"""The ASGI application of the preview: pages, the files that they show, and style sheets."""

from __future__ import annotations

import mimetypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from glossator.errors import BookError, BookNotFound
from glossator.ingest.sites import SiteOptions
from glossator.preview.edition import Edition
from glossator.preview.live import LiveBook
from glossator.preview.outline import OutlineEntry

_ASSETS = Path(__file__).parent / "assets"
_ASSET_PREFIX = "/_preview/"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data: https:; media-src 'self' https:; font-src 'self'; "
    "base-uri 'self'; form-action 'none'; frame-ancestors 'none'"
)
_FILE_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox"
"""An SVG image opened by itself is a document that could run scripts."""
_HEADERS = {
    "Cache-Control": "no-cache",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
}


def preview(path: Path, options: SiteOptions, widget: WidgetTag) -> ASGIApp:
    """The book at `path` with the widget on every page; it is read on the first request."""
    if not path.exists():
        raise BookNotFound(f"There is no book at {path}.")
    return Preview(LiveBook(path, options), widget)


class Preview:
    """Mounted at the root of a server, after all other routes."""

    def __init__(self, book: LiveBook, widget: WidgetTag) -> None:
        self._book = book
        self._widget = widget

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close"})
            return
        response = await self._response(scope)
        response.headers.update(_HEADERS)
        response.headers.setdefault("Content-Security-Policy", _POLICY)
        await response(scope, receive, send)

    async def _response(self, scope: Scope) -> Response:
        if scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse("Only to be read.", 405, {"Allow": "GET, HEAD"})
        path: str = scope["path"]
        if path.startswith(_ASSET_PREFIX):
            return _asset(path.removeprefix(_ASSET_PREFIX))
        return await run_in_threadpool(self._respond_or_report, path)

    def _respond_or_report(self, path: str) -> Response:
        try:
            return self._respond(self._book.edition(), path)
        except BookError as error:
            return PlainTextResponse(f"The book cannot be read: {error}", 500)

    def _respond(self, edition: Edition, path: str) -> Response:
        outline = edition.outline
        if entry := outline.at(path):
            return HTMLResponse(page(edition, entry, self._widget))
        if file := edition.files.at(path):
            return _file(file)
        moved = outline.first if path == "/" else outline.near(path)
        if moved:
            return RedirectResponse(moved.address, 307)
        return self._missing(edition)

    def _missing(self, edition: Edition) -> Response:
        title, message = "There is no such page", "Nothing in this book stands at this address."
        if edition.outline.first is None:
            title, message = "An empty book", "There is no page of Markdown in this folder yet."
        return HTMLResponse(message_page(edition, self._widget, title, message), 404)


def _asset(name: str) -> Response:
    assets = {file.name: file for file in _ASSETS.iterdir()}
    return FileResponse(assets[name]) if name in assets else PlainTextResponse("Not found.", 404)


def _file(path: Path) -> Response:
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return FileResponse(path, media_type=kind, headers={"Content-Security-Policy": _FILE_POLICY})


_SHORT_BOOK = 40
"""The table of contents of a book with at most so many pages is expanded."""


def page(edition: Edition, entry: OutlineEntry, widget: WidgetTag) -> str:
    before, after = edition.outline.around(entry)
    return _render(
        "page.html",
        edition,
        widget,
        current=entry,
        title=entry.title,
        here=entry.address,
        article=edition.article(entry),
        chapter_address=edition.outline.chapter_of(entry).entries[0].address,
        before=before,
        after=after,
    )


def message_page(edition: Edition, widget: WidgetTag, title: str, message: str) -> str:
    """A page with a message, next to the table of contents."""
    return _render(
        "missing.html",
        edition,
        widget,
        current=None,
        title=title,
        message=message,
        here="",
        article=None,
        first=edition.outline.first,
    )


def _render(name: str, edition: Edition, widget: WidgetTag, **variables: object) -> str:
    outline = edition.outline
    return (
        _templates()
        .get_template(name)
        .render(
            masthead=edition.masthead,
            chapters=outline.chapters,
            is_short=len(outline) <= _SHORT_BOOK,
            has_relative_urls=edition.has_relative_urls,
            widget=widget,
            **variables,
        )
    )


@cache
def _templates() -> Environment:
    loader = FileSystemLoader(Path(__file__).parent / "templates")
    return Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


@dataclass(frozen=True, slots=True)
class WidgetTag:
    """The attributes of the widget's tag on every page."""

    title: str = "Ask this book"
    topics: Sequence[str] = ()
    """Questions that the widget suggests, chosen by the author."""
    key: str | None = None
    """A publishable key; without one the server must be open."""
