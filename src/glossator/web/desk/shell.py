"""The page that everybody may fetch: it holds nothing of anybody, and fetches the rest with a key."""

# pyright: reportUnusedFunction=false
from __future__ import annotations

import hashlib
from importlib.resources import files

from fastapi import APIRouter, Response

from glossator.web.desk.pages import Pages

VIEWS = (
    ("overview", "Overview"),
    ("gaps", "Gaps"),
    ("flagged", "Flagged"),
    ("sections", "Sections"),
    ("book", "Book"),
    ("sessions", "Sessions"),
)
_STYLES = (
    "ink",
    "frame",
    "words",
    "controls",
    "drawings",
    "overview",
    "sections",
    "entries",
    "sessions",
    "book",
    "media",
)
"""In the order in which one overrules the other."""
PATHS = frozenset({"/", "/desk.css", "/desk.js"})

_FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}
"""The page names them by what is in them."""


def shell(pages: Pages) -> APIRouter:
    router = APIRouter()
    style = b"\n".join(_read(f"style/{name}.css") for name in _STYLES)
    script = _read("desk.js")
    version = hashlib.sha256(style + script).hexdigest()[:12]

    @router.get("/")
    async def page() -> Response:
        return pages.show("shell.html", views=VIEWS, version=version)

    @router.get("/desk.css")
    async def looks() -> Response:
        return Response(style, media_type="text/css", headers=_FOR_EVER)

    @router.get("/desk.js")
    async def moves() -> Response:
        return Response(script, media_type="text/javascript", headers=_FOR_EVER)

    return router


def _read(name: str) -> bytes:
    return files("glossator.web.desk").joinpath("files", *name.split("/")).read_bytes()
