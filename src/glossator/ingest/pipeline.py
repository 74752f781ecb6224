"""Run an ingest: choose the pages, split them, embed the passages, store a new generation."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from glossator.errors import BookNotFound, IngestRunning, NoBookYet, PageUnreadable
from glossator.ingest.cache import SplitPage, key_of, load_pages, save_pages
from glossator.ingest.discover import Listing, PageFile, list_pages, named_pages
from glossator.ingest.embed import Embedded, embed
from glossator.ingest.page import lexicon_of, load_page, process_page
from glossator.ingest.replace import refuse_loss
from glossator.ingest.sites import Site
from glossator.ingest.sites.site import origin_of, readable_name
from glossator.ingest.split import VERSION
from glossator.model import EmbedderIdentity, IngestReport, Manifest, PageRecord, Passage, Skipped
from glossator.ports import Cache, Embedder, Generation, IndexStore, Progress
from glossator.text.languages import ENGLISH, detect_language, language_named
from glossator.text.markdown import plain
from glossator.text.spans import code_spans, remove_spans
from glossator.text.words import words

_SPLIT_THREADS = 2
"""One parses, which holds the GIL, while the other counts tokens, which releases it."""

_BATCH = 1024
"""Passages added to the generation at a time."""


@dataclass(frozen=True, slots=True)
class IngestTools:
    """The ports and settings of an ingest."""

    embedder: Embedder
    index_store: IndexStore
    cache: Cache
    progress: Progress
    language: str | None = None
    """Of the book's words; found out from its pages when not set."""


def ingest(
    path: Path, site: Site, tools: IngestTools, only: Sequence[str] = (), *, replace_book: bool = False
) -> IngestReport:
    """Make the book at `path` the current generation; `only` limits it to pages to read again.

    Raises BookWouldShrink where much of the current book would be lost, unless `replace_book` is set.
    """
    stages = Stages()
    previous = tools.index_store.current()
    with stages("read"):
        language = tools.language or (previous.lexicon.language if previous and only else None)
        settings = SplitSettings(site, tools.embedder.identity, language)
        pages = choose(path, settings, previous, only)
    if not pages.keys:
        raise _nothing_to_read(path, site, pages.skipped)
    if previous and not replace_book:
        refuse_loss(previous, path, pages.keys, {file.content_hash for file in pages.files.values()})
    content_hash = _content_hash(pages, site)
    if previous and previous.content_hash == content_hash and tools.index_store.is_whole():
        return _report(previous, pages, stages, embedded=0, removed=0)
    with stages("split"):
        split = _split(pages, site, tools)
    passages = [passage for page in split.values() for passage in page.passages]
    # The generation is opened before embedding, so that a full disk fails now and not after an hour.
    with tools.index_store.build(tools.embedder.identity, pages.language) as generation:
        _refuse_overtaken(previous, tools.index_store.current())
        with stages("embed"):
            embedded = embed(passages, tools.embedder, tools.cache, tools.progress)
        with stages("store"):
            draft = _manifest(pages, split, site, tools, content_hash)
            manifest = _store(generation, draft, passages, embedded, tools.progress)
    removed = _removed(previous, split, tools.cache)
    # The pages of the generation before stay, so that it can be built upon after a rollback.
    before = [record.split_key for record in previous.pages] if previous else []
    tools.cache.keep_only([*pages.keys.values(), *embedded.kept_keys, *before])
    return _report(manifest, pages, stages, embedded=embedded.new, removed=removed)


def _nothing_to_read(path: Path, site: Site, skipped: Sequence[Skipped]) -> BookNotFound:
    if skipped:
        return BookNotFound(f"No page of {path} can be read: {skipped[0].page} {skipped[0].reason}.")
    return BookNotFound(f"There is no page of a {site.kind} book in {path}.")


def _refuse_overtaken(previous: Manifest | None, current: Manifest | None) -> None:
    """Another machine may publish before this one may build; its pages would be lost."""
    if current and (previous is None or current.generation != previous.generation):
        raise IngestRunning(
            f"Another ingest has published generation {current.generation} meanwhile: run this one again."
        )


def _content_hash(pages: ChosenPages, site: Site) -> str:
    title = site.title or pages.root.name
    return key_of("book", title, pages.language, origin_of(site.home), *sorted(pages.keys.values()))


def _split(pages: ChosenPages, site: Site, tools: IngestTools) -> dict[str, SplitPage]:
    """The split pages by path, in reading order; pages in the cache are not split again."""
    cached = load_pages(tools.cache, list(pages.keys.values()))
    missing = [page for page, key in pages.keys.items() if key not in cached]
    new = dict(
        zip((pages.keys[page] for page in missing), _split_all(missing, pages, site, tools), strict=True)
    )
    save_pages(tools.cache, new)
    by_key = cached | new
    split = {page: by_key[key] for page, key in pages.keys.items()}
    return dict(sorted(split.items(), key=lambda item: (item[1].order, item[0])))


def _split_all(
    missing: Sequence[str], pages: ChosenPages, site: Site, tools: IngestTools
) -> Iterator[SplitPage]:
    settings = SplitSettings(site, tools.embedder.identity, pages.language)

    def split_page(page: str) -> SplitPage:
        file = pages.files.get(page) or load_page(pages.root, page, site)
        if settings.key(page, file.content_hash) != pages.keys[page]:
            # It was not named, so its earlier text is wanted, which the cache has lost.
            raise PageUnreadable(f"{page} has changed too: name it as well, or ingest the whole book.")
        return process_page(file, site, tools.embedder, pages.language)

    tools.progress.start("Reading pages", len(missing))
    with ThreadPoolExecutor(_SPLIT_THREADS) as pool:
        for split in pool.map(split_page, missing):
            tools.progress.advance(1)
            yield split
    tools.progress.finish()


def _manifest(
    pages: ChosenPages, split: Mapping[str, SplitPage], site: Site, tools: IngestTools, content_hash: str
) -> Manifest:
    """Generation 0 is a placeholder; `_store` sets the number."""
    return Manifest(
        generation=0,
        book=_title(pages, split, site),
        site=site.kind,
        embedder=tools.embedder.identity,
        splitter=VERSION,
        lexicon=lexicon_of(split.values(), pages.language),
        pages=tuple(_record(path, page, pages) for path, page in split.items()),
        chunks=sum(len(page.chunks) for page in split.values()),
        passages=sum(len(page.windows) for page in split.values()),
        content_hash=content_hash,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        site_origin=origin_of(site.home),
    )


_TITLED_FILES = ("README.md", "SUMMARY.md", "src/SUMMARY.md")
_NO_TITLES = frozenset({"summary", "table of contents", "contents", "readme"})
_LONGEST_PREFACE = 4000
"""Characters of a file in which its title is looked for."""


def _title(pages: ChosenPages, split: Mapping[str, SplitPage], site: Site) -> str:
    """The site's; without one, that of the first page, of README or SUMMARY, or the folder in words."""
    first = (page.title for path, page in split.items() if path.split(".")[0].lower() in ("index", "readme"))
    headings = (_first_heading(pages.root / file) for file in _TITLED_FILES)
    return site.title or next(first, "") or next(filter(None, headings), readable_name(pages.root.name))


def _first_heading(file: Path) -> str:
    """Empty without a file or a heading, and for a heading that names no book."""
    try:
        lines = file.read_text("utf-8", errors="replace")[:_LONGEST_PREFACE].splitlines()
    except OSError:
        return ""
    title = next((plain(line[2:]) for line in lines if line.startswith("# ")), "")
    return "" if title.lower() in _NO_TITLES else title


def _record(path: str, page: SplitPage, pages: ChosenPages) -> PageRecord:
    return PageRecord(
        path=path,
        title=page.title,
        url=page.url,
        chapter=page.chapter,
        content_hash=page.content_hash,
        chunks=len(page.chunks),
        split_key=pages.keys[path],
    )


def _store(
    generation: Generation,
    draft: Manifest,
    passages: Sequence[Passage],
    embedded: Embedded,
    progress: Progress,
) -> Manifest:
    manifest = replace(draft, generation=generation.number)
    progress.start("Storing passages", len(passages))
    for start in range(0, len(passages), _BATCH):
        batch = passages[start : start + _BATCH]
        generation.add(batch, embedded[start : start + _BATCH])
        progress.advance(len(batch))
    generation.publish(manifest)
    progress.finish()
    return manifest


def _removed(previous: Manifest | None, split: Mapping[str, SplitPage], cache: Cache) -> int:
    """How many chunks of the previous generation are not in the new one."""
    if previous is None:
        return 0
    old = load_pages(cache, [record.split_key for record in previous.pages])
    now = {chunk.content_hash for page in split.values() for chunk in page.chunks}
    return sum(chunk.content_hash not in now for page in old.values() for chunk in page.chunks)


def _report(
    manifest: Manifest, pages: ChosenPages, stages: Stages, *, embedded: int, removed: int
) -> IngestReport:
    return IngestReport(
        generation=manifest.generation,
        changed="store" in stages.seconds,
        pages=len(manifest.pages),
        chunks=manifest.chunks,
        passages=manifest.passages,
        embedded=embedded,
        reused=manifest.passages - embedded,
        removed=removed,
        skipped=pages.skipped,
        seconds=stages.total,
        stages=stages.seconds,
    )


class Stages:
    """Times the steps of an ingest: `with stages("read"): …`"""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self.seconds = dict[str, float]()

    @contextmanager
    def __call__(self, name: str) -> Generator[None]:
        started = time.perf_counter()
        yield
        self.seconds[name] = round(time.perf_counter() - started, 4)

    @property
    def total(self) -> float:
        return round(time.perf_counter() - self._started, 4)


@dataclass(frozen=True, slots=True)
class ChosenPages:
    """The pages of the new generation."""

    root: Path
    language: str
    """Of the book's words."""
    keys: Mapping[str, str]
    """The cache key of every page, by path."""
    files: Mapping[str, PageFile]
    """The pages that were read from disk, by path."""
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class SplitSettings:
    """Everything but the page itself that decides how it is split; part of its cache key."""

    site: Site
    embedder: EmbedderIdentity
    language: str | None
    """None until the pages have been read."""

    def key(self, page: str, content_hash: str) -> str:
        settings = (VERSION, self.embedder.fingerprint, self.site.fingerprint, self.language or "")
        return key_of("page", *settings, page, content_hash)

    def for_pages(self, pages: Iterable[PageFile]) -> SplitSettings:
        """The same with the language that the text is in, or else the one that the site is set to."""
        if self.language:
            return self
        found = detect_language(_sample(pages)) or language_named(self.site.language) or ENGLISH
        return replace(self, language=found)


_SAMPLE_WORDS = 50_000
"""Words of a book that are looked at for its language."""
_PAGE_CHARACTERS = 4000


def _sample(pages: Iterable[PageFile]) -> Iterator[str]:
    """Words from the beginning of each page, without its code."""
    texts = (page.text[:_PAGE_CHARACTERS].lower() for page in pages)
    found = (word for text in texts for word in words(remove_spans(text, code_spans(text), " ")))
    return islice(found, _SAMPLE_WORDS)


def choose(
    path: Path, settings: SplitSettings, previous: Manifest | None, only: Sequence[str]
) -> ChosenPages:
    """Every page of the folder; with `only`, the named pages and the others as they are in the index."""
    listing = list_pages(path, settings.site.is_page)
    previous_pages = {record.path: record for record in previous.pages} if previous and only else {}
    named = _named(listing, previous_pages, only)
    unchanged = {
        page: record.split_key
        for page, record in previous_pages.items()
        if page not in named and record.split_key == settings.key(page, record.content_hash)
    }
    candidates = {*previous_pages, *named} if only else {*listing.paths}
    wanted = [page for page in listing.paths if page in candidates and page not in unchanged]
    files, skipped = _read(listing.root, wanted, settings.site)
    settings = settings.for_pages(files.values())
    keys = unchanged | {page: settings.key(page, file.content_hash) for page, file in files.items()}
    return ChosenPages(listing.root, settings.language or ENGLISH, keys, files, (*listing.skipped, *skipped))


def _named(listing: Listing, previous_pages: Mapping[str, PageRecord], only: Sequence[str]) -> list[str]:
    if only and not previous_pages:
        raise NoBookYet
    named = named_pages(listing.root, only)
    for page in named:
        if page not in previous_pages and page not in listing.paths:
            raise BookNotFound(f"{page} is not a page of the book.")
    return named


def _read(root: Path, pages: Sequence[str], site: Site) -> tuple[dict[str, PageFile], list[Skipped]]:
    files, skipped = dict[str, PageFile](), list[Skipped]()
    for page in pages:
        try:
            files[page] = load_page(root, page, site)
        except PageUnreadable as error:
            skipped.append(Skipped(page, str(error)))
    return files, skipped
