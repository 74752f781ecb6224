"""The page at `/` of a server that shows no book: what this is, and where documentation and health are."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from string import Template

from starlette.responses import HTMLResponse
from starlette.types import ASGIApp

from glossator.web.contract import ContractApp

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_SERVER_LINKS = (
    ("livez", "the process runs"),
    ("readyz", "what it depends on works, with latencies"),
    ("metrics", "for Prometheus"),
    ("desk/", "the author’s desk: what readers ask, and what the book lacks"),
)


def start_page(contracts: Sequence[ContractApp]) -> ASGIApp:
    """Names no book and no setting, because it needs no key."""
    documentation = [
        (f"{contract.prefix.removeprefix('/')}/docs", contract.app.summary or contract.app.title)
        for contract in contracts
    ]
    template = Template(files("glossator.web").joinpath("start_page.html").read_text("utf-8"))
    page = template.substitute(documentation=_links(documentation), server=_links(_SERVER_LINKS))
    return HTMLResponse(page, headers=_HEADERS)


def _links(links: Sequence[tuple[str, str]]) -> str:
    """The addresses are relative, because a proxy may serve all of this below a path."""
    return "\n".join(
        f'<li><a href="{escape(path)}">/{escape(path)}</a> {escape(meaning)}</li>' for path, meaning in links
    )
