"""A built site: a folder of HTML pages, each with the address at which its server sends it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from glossator.ingest.sites.configured_site import folder_order
from glossator.ingest.sites.site import (
    Base,
    Directive,
    Heading,
    PageFacts,
    PagePlace,
    SiteKind,
    base_of,
    declared_title,
    fingerprint_of,
    origin_of,
    readable_name,
)

if TYPE_CHECKING:
    from glossator.ingest.html.document import Head

SUFFIXES = (".html", ".htm")
_INDEX = ("index.html", "index.htm")
_NEVER_PAGES = {"404.html", "genindex.html", "py-modindex.html", "search.html"}
_HEAD_BYTES = 100_000
_BODY = re.compile(r"</head\s*+>|<body[\s>]", re.IGNORECASE)
_SEPARATOR = re.compile(r"\s++[|–—·•:»-]++\s++")
"""Between the title of a page and that of its site."""


@dataclass(frozen=True, slots=True)
class HtmlSite:
    root: Path = field(repr=False)
    """The folder the author gave."""
    base: Base
    title: str = field(repr=False)
    language: str = field(repr=False)
    home: str = field(repr=False)
    addresses: Mapping[str, str]
    """The address of each page that does not follow from its path."""
    titles: Mapping[str, str]
    """What the head of each page says, without the title of the site."""
    hidden: frozenset[str]
    """Pages that ask not to be found, or only lead to another address."""
    was_fetched: bool = False
    """Whether the pages were fetched from the site itself; then those that have an address are all."""

    @property
    def kind(self) -> SiteKind:
        return SiteKind.HTML

    @property
    def folder(self) -> Path:
        return self.root

    @property
    def content_roots(self) -> tuple[Path, ...]:
        return (self.root,)

    @property
    def fingerprint(self) -> str:
        return fingerprint_of(self)

    def is_page(self, path: str) -> bool:
        is_page = path in self.addresses if self.was_fetched else _may_be_page(path)
        return is_page and path not in self.hidden

    def place(self, page: PageFacts) -> PagePlace:
        path = PurePosixPath(page.path)
        named = readable_name(path.parent.name if path.name in _INDEX and path.parent.name else path.stem)
        title = declared_title(page) or self.titles.get(page.path) or named
        url = self.addresses.get(page.path) or self.base.address_in(route(page.path))
        return PagePlace(title, url, self._chapter(page.path) or title, folder_order(page.path))

    def _chapter(self, path: str) -> str:
        """The title of the outermost folder; empty for a page that is outside of all folders."""
        top, *below = _plain(path).split("/")
        titles = (self.titles.get(f"{top}/{name}") for name in _INDEX)
        return next(filter(None, titles), None) or readable_name(top) if below else ""

    def anchors(self, headings: Sequence[Heading]) -> list[str]:
        return [heading.custom_id or "" for heading in headings]

    def directives(self, text: str, folder: Path) -> Iterator[Directive]:
        return iter(())


def html_site(
    root: Path, *, base_url: str | None = None, route_base: str | None = None, title: str | None = None
) -> HtmlSite:
    heads = dict(_heads(root))
    home = _home(heads)
    base = base_of(base_url, urlsplit(home).path, route_base)
    own_title = title or _site_title(heads.values())
    return HtmlSite(
        root=root,
        base=base,
        title=own_title,
        language=next((head.language for head in heads.values() if head.language), ""),
        home=home,
        addresses=dict(_own_addresses(heads, base, home)),
        titles={path: _without_site(head.title, own_title) for path, head in heads.items()},
        hidden=frozenset(path for path, head in heads.items() if head.is_hidden),
    )


def fetched_site(root: Path, home: str, addresses: Mapping[str, str], title: str | None = None) -> HtmlSite:
    """The site of pages that were fetched from the addresses."""
    site = html_site(root, base_url=home, title=title)
    return replace(site, home=home, addresses=addresses, was_fetched=True)


def route(path: str) -> str:
    """As servers send files: the index of a folder at the folder itself."""
    page = PurePosixPath(path)
    if page.name not in _INDEX:
        return path
    return "" if page.parent == PurePosixPath(".") else f"{page.parent.as_posix()}/"


def _may_be_page(path: str) -> bool:
    *folders, name = path.split("/")
    # `_static`, `_modules`, `_next`: what a generator keeps for itself.
    is_hidden = any(folder.startswith(("_", ".")) for folder in folders)
    return name.lower().endswith(SUFFIXES) and name not in _NEVER_PAGES and not is_hidden


def _heads(root: Path) -> Iterator[tuple[str, Head]]:
    # Only an ingest of such a site needs the parser.
    from glossator.ingest.html.document import read_head

    for file in sorted(root.rglob("*")):
        path = file.relative_to(root).as_posix()
        if _may_be_page(path) and file.is_file():
            yield path, read_head(_head_of(file))


def _head_of(file: Path) -> str:
    """The text up to the body; empty where the file cannot be read, which the ingest reports."""
    try:
        with file.open("rb") as opened:
            text = opened.read(_HEAD_BYTES).decode("utf-8-sig", errors="replace")
    except OSError:
        return ""
    body = _BODY.search(text)
    return text[: body.start()] if body else text


def _home(heads: Mapping[str, Head]) -> str:
    """The canonical address of the first page."""
    first = next((heads[name] for name in _INDEX if name in heads), None)
    canonical = first.canonical if first else ""
    return canonical.removesuffix("index.html") if origin_of(canonical) else ""


def _own_addresses(heads: Mapping[str, Head], base: Base, home: str) -> Iterator[tuple[str, str]]:
    """Canonical addresses, where they are another form of the page's path: `/a`, `/a/`, `/a.html`."""
    for path, head in heads.items():
        canonical = urlsplit(head.canonical) if origin_of(head.canonical) == origin_of(home) != "" else None
        if canonical is None or not canonical.path.startswith(base.path):
            continue
        below = unquote(canonical.path.removeprefix(base.path))
        if below != route(path) and _plain(below) == _plain(path):
            yield path, base.address_in(below)


def _plain(path: str) -> str:
    for ending in ("/", *_INDEX, *SUFFIXES, "/"):
        path = path.removesuffix(ending)
    return path


def _site_title(heads: Collection[Head]) -> str:
    """As its pages name it, or else what most of their titles end or begin with."""
    names = Counter(head.site_name for head in heads if head.site_name)
    if names:
        return names.most_common(1)[0][0]
    split = [_SEPARATOR.split(head.title) for head in heads]
    shared = Counter(part for parts in split if len(parts) > 1 for part in {parts[0], parts[-1]})
    name, count = shared.most_common(1)[0] if shared else ("", 0)
    return name if count > 1 and 2 * count > len(heads) else ""


def _without_site(title: str, site_title: str) -> str:
    """`Nodes` of `Nodes | The Book` and `The Book - Nodes`."""
    parts = [part for part in _SEPARATOR.split(title) if part != site_title]
    return parts[0] if parts and len(parts) < len(_SEPARATOR.split(title)) else title
