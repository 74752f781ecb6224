"""A built site: a folder of HTML pages, each with the address at which its server sends it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

from glossator.ingest.sites.configured_site import folder_order
from glossator.ingest.sites.site import (
    Base,
    Directive,
    Heading,
    Order,
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
    from glossator.ingest.html.document import Head, Way

SUFFIXES = (".html", ".htm")
_INDEX = ("index.html", "index.htm")
_NEVER_PAGES = {"404.html", "genindex.html", "py-modindex.html", "search.html"}
_BODY = re.compile(r"</head\s*+>|<body[\s>]", re.IGNORECASE)
_MDBOOK = "<!-- Book generated using mdBook -->"
_SEPARATOR = re.compile(r"\s++[|–—·•:»-]++\s++")
"""The separator between the title of a page and that of its site."""


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
    """The title in the head of each page, without the title of the site."""
    chapters: Mapping[str, str]
    """The chapter of each page that has breadcrumbs; empty for pages that are in no category."""
    positions: Mapping[str, int]
    """The position of each page in the order in which the pages lead from one to the next."""
    hidden: frozenset[str]
    """Pages that ask not to be found, or have no words of their own."""
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
        chapter = self.chapters.get(page.path, self._folder(page.path)) or title
        return PagePlace(title, url, chapter, self._order(page.path))

    def _folder(self, path: str) -> str:
        """The title of the outermost folder; empty for a page that is outside of all folders."""
        top, *below = _plain(path).split("/")
        titles = (self.titles.get(f"{top}/{name}") for name in _INDEX)
        return next(filter(None, titles), None) or readable_name(top) if below else ""

    def _order(self, path: str) -> Order:
        position = self.positions.get(path)
        return folder_order(path) if position is None else (float(position), path)

    def anchors(self, headings: Sequence[Heading]) -> list[str]:
        return [heading.custom_id or "" for heading in headings]

    def directives(self, text: str, folder: Path) -> Iterator[Directive]:
        return iter(())


def html_site(
    root: Path,
    *,
    base_url: str | None = None,
    route_base: str | None = None,
    title: str | None = None,
    fetched: Mapping[str, str] | None = None,
) -> HtmlSite:
    """`fetched` has the address of each page of a site that was fetched from `base_url`."""
    read = dict(_read(root))
    heads = {path: head for path, (head, _) in read.items()}
    copied = _copied_index(root, heads)
    ways = {path: way for path, (_, way) in read.items() if path not in copied}
    home = _home(heads) if fetched is None else base_url or ""
    base = base_of(base_url, urlsplit(home).path, route_base)
    own_title = title or _site_title(heads.values())
    addresses = dict(_own_addresses(heads, base, home)) if fetched is None else fetched
    urls = {path: addresses.get(path) or base.address_in(route(path)) for path in ways}
    return HtmlSite(
        root=root,
        base=base,
        title=own_title,
        language=next((head.language for head in heads.values() if head.language), ""),
        home=home,
        addresses=addresses,
        titles={path: _without_site(head.title, own_title) for path, head in heads.items()},
        chapters=_chapters(urls, ways, base),
        positions=_positions(urls, ways),
        hidden=frozenset(path for path, head in heads.items() if head.is_hidden) | copied,
        was_fetched=fetched is not None,
    )


def route(path: str) -> str:
    """Follows what servers do with files: the index of a folder is at the folder itself."""
    page = PurePosixPath(path)
    if page.name not in _INDEX:
        return path
    return "" if page.parent == PurePosixPath(".") else f"{page.parent.as_posix()}/"


def _may_be_page(path: str) -> bool:
    *folders, name = path.split("/")
    # `_static`, `_modules`, `_next`: what a generator keeps for itself.
    is_hidden = any(folder.startswith(("_", ".")) for folder in folders)
    return name.lower().endswith(SUFFIXES) and name not in _NEVER_PAGES and not is_hidden


def _read(root: Path) -> Iterator[tuple[str, tuple[Head, Way]]]:
    # Only an ingest of such a site needs the parser.
    from glossator.ingest.html.document import read_head, read_way

    for file in sorted(root.rglob("*")):
        path = file.relative_to(root).as_posix()
        if _may_be_page(path) and file.is_file():
            text = _text_of(file)
            body = _BODY.search(text)
            yield path, (read_head(text[: body.start()] if body else text), read_way(text))


def _copied_index(root: Path, paths: Collection[str]) -> frozenset[str]:
    """The index of the site, where mdBook wrote its first page there once more."""
    index = root / "index.html"
    text = _text_of(index) if "index.html" in paths else ""
    if _MDBOOK not in text:
        return frozenset()
    size = index.stat().st_size
    others = (root / path for path in paths if path != "index.html")
    is_copy = any(other.stat().st_size == size and _text_of(other) == text for other in others)
    return frozenset({"index.html"} if is_copy else ())


def _text_of(file: Path) -> str:
    """Empty where the file cannot be read, which the ingest reports."""
    try:
        return file.read_bytes().decode("utf-8-sig", errors="replace")
    except OSError:
        return ""


def _home(heads: Mapping[str, Head]) -> str:
    """What the canonical address of a page, the first one before others, has before the page's path."""
    for path in sorted(heads, key=folder_order):
        canonical = heads[path].canonical
        plain, below = canonical.removesuffix("index.html"), route(path)
        for ending in (below, _plain(below)):
            if origin_of(canonical) and plain.rstrip("/").endswith(f"/{ending}".rstrip("/")):
                return plain.rstrip("/").removesuffix(ending.rstrip("/")).rstrip("/") + "/"
    return ""


def _own_addresses(heads: Mapping[str, Head], base: Base, home: str) -> Iterator[tuple[str, str]]:
    """Canonical addresses, where they are another form of the page's path: `/a`, `/a/`, `/a.html`."""
    for path, head in heads.items():
        canonical = urlsplit(head.canonical) if origin_of(head.canonical) == origin_of(home) != "" else None
        if canonical is None or not canonical.path.startswith(base.path):
            continue
        below = unquote(canonical.path.removeprefix(base.path))
        if below != route(path) and _plain(below) == _plain(path):
            yield path, base.address_in(below)


def _chapters(urls: Mapping[str, str], ways: Mapping[str, Way], base: Base) -> dict[str, str]:
    """The outermost of a page's breadcrumbs below the site itself, where a page stands in it."""
    names = dict[str, list[str]]()
    for path, way in ways.items():
        steps = way.breadcrumbs
        names[path] = [name for name, to in steps if not to or _place(urls[path], to) != _plain(base.path)]
    categories = {steps[0] for steps in names.values() if len(steps) > 1}
    shown = {path: steps[0] for path, steps in names.items() if steps and categories}
    return {path: name if name in categories else "" for path, name in shown.items()}


def _positions(urls: Mapping[str, str], ways: Mapping[str, Way]) -> dict[str, int]:
    """The pages in the order in which they lead from one to the next; empty for pages without such links."""
    paths = {_place(url): path for path, url in urls.items()}
    nexts = {
        path: found
        for path, way in ways.items()
        if way.next and (found := paths.get(_place(urls[path], way.next)))
    }
    if not nexts:
        return {}
    inner = set(nexts.values())
    # Pages to which no page leads come first; behind them only those that lead in a circle are left.
    starts = sorted(urls, key=lambda path: (path in inner, folder_order(path)))
    positions = dict[str, int]()
    for start in starts:
        path: str | None = start
        while path is not None and path not in positions:
            positions[path] = len(positions)
            path = nexts.get(path)
    return positions


def _place(url: str, address: str = "") -> str:
    """The path that an address on the page at `url` leads to."""
    try:
        return _plain(unquote(urlsplit(urljoin(url, address)).path))
    except ValueError:
        return ""


def _plain(path: str) -> str:
    for ending in ("/", *_INDEX, *SUFFIXES, "/"):
        path = path.removesuffix(ending)
    return path


def _site_title(heads: Collection[Head]) -> str:
    """The title that its pages name, or else what most of their titles end or begin with."""
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
