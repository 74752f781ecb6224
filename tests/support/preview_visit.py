"""Pages of a preview as a browser sees them: where they lead, and what can be led to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin

from starlette.testclient import TestClient
from starlette.types import ASGIApp, Message

from glossator.ingest.pipeline import IngestTools, ingest
from glossator.model import Manifest
from glossator.preview import SiteOptions, WidgetTag, preview
from glossator.testing import MemoryCache, MemoryIndex, MemoryIndexStore, SilentProgress, WordEmbedder

ORIGIN = "http://testserver"


class ParsedPage(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids = list[str]()
        self.links = list[str]()
        self.pictures = list[str]()
        self.tags = list[tuple[str, Mapping[str, str]]]()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        written = {key: value or "" for key, value in attrs}
        self.tags.append((tag, written))
        self.ids += [written[key] for key in ("id", "name") if key in written]
        self.links += [written["href"]] if tag == "a" and "href" in written else []
        self.pictures += [written["src"]] if tag == "img" and "src" in written else []


def opened(book: Path, options: SiteOptions | None = None, widget: WidgetTag | None = None) -> TestClient:
    app = preview(book, options or SiteOptions(), widget or WidgetTag())
    return TestClient(app, follow_redirects=False)


def written(folder: Path, pages: Mapping[str, str]) -> Path:
    for name, text in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def article(reader: TestClient, address: str) -> str:
    """The page's own text, without the book around it."""
    reply = reader.get(address)
    assert reply.status_code == 200, address
    return reply.text.partition("<article")[2].partition("</article>")[0]


def asked(app: ASGIApp, path: str) -> tuple[int, bytes]:
    """The reply to a path as it comes off the wire, which no client has made decent before."""
    status, body = 0, b""

    async def receive() -> Message:
        return await asyncio.Future()

    async def send(message: Message) -> None:
        nonlocal status, body
        status = message.get("status", status)
        body += message.get("body", b"")

    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "headers": [],
        "query_string": b"",
        "root_path": "",
    }

    async def visit() -> None:
        await app(scope, receive, send)

    asyncio.run(visit())
    return status, body


def lead_somewhere(reader: TestClient, urls: Iterable[str]) -> bool:
    """Fails unless there is a page at the path of each url, exactly there, and a place at its anchor."""
    pages = dict[str, ParsedPage]()
    for url in urls:
        path, anchor = urldefrag(url)
        if path not in pages:
            reply = reader.get(path)
            assert reply.status_code == 200, url
            pages[path] = ParsedPage(reply.text)
        assert not anchor or unquote(anchor) in pages[path].ids, url
    return bool(pages)


def crawled(reader: TestClient) -> dict[str, ParsedPage]:
    """Every page that can be reached from the first one, by address."""
    pages, waiting = dict[str, ParsedPage](), [reader.get("/").headers.get("location", "/")]
    while waiting:
        address = waiting.pop()
        if address in pages:
            continue
        reply = reader.get(address)
        assert reply.status_code == 200, address
        pages[address] = ParsedPage(reply.text)
        waiting += [path for path in map(inner, pages[address].links) if path and path != "/"]
    return pages


def inner(link: str) -> str | None:
    """The path of a link into the preview, from the root."""
    whole = urldefrag(urljoin(f"{ORIGIN}/", link)).url
    return whole.removeprefix(ORIGIN) if whole.startswith(f"{ORIGIN}/") else None


def cited(book: Path, options: SiteOptions | None = None) -> set[str]:
    """The address of every section of the book, as the index records it for citations."""
    return {chunk.url_of(section) for chunk in _index(book, options).chunks() for section in chunk.sections}


def manifest(book: Path) -> Manifest:
    return _index(book, None).manifest()


def _index(book: Path, options: SiteOptions | None) -> MemoryIndex:
    index_store = MemoryIndexStore()
    tools = IngestTools(WordEmbedder(), index_store, MemoryCache(), SilentProgress())
    ingest(book, (options or SiteOptions()).site(book), tools)
    return MemoryIndex(index_store)
