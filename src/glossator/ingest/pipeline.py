"""Run an ingest: choose the pages, split them, embed the passages, store a new generation."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from glossator.errors import BookNotFound, IngestRunning
from glossator.ingest.cache import key_of
from glossator.ingest.choose import ChosenPages, SplitSettings, choose, refuse_loss
from glossator.ingest.contents import Contents, contents_of
from glossator.ingest.embed import Embedded, embed
from glossator.ingest.forget import begin_ingest, forget
from glossator.ingest.sites import Site
from glossator.ingest.sites.site import origin_of, readable_name
from glossator.ingest.split import VERSION
from glossator.ingest.split_book import Batch, SplitBook
from glossator.model import IngestReport, Manifest, PageRecord, Passage, Skipped
from glossator.ports import Cache, Embedder, Generation, IndexStore, Progress
from glossator.text.markdown import plain

_PAGES_AT_ONCE = 256
"""Pages that are removed from a generation at a time."""


@dataclass(frozen=True, slots=True)
class IngestTools:
    """The ports and settings of an ingest."""

    embedder: Embedder
    index_store: IndexStore
    cache: Cache
    progress: Progress
    language: str | None = None
    """The language of the book's words; detected from its pages when not set."""


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
        refuse_loss(previous, path, pages.keys, pages.hashes)
    content_hash = _content_hash(pages, site)
    if previous and previous.content_hash == content_hash and tools.index_store.is_whole():
        return _report(previous, pages, stages, embedded=0, removed=0)
    last = begin_ingest(tools.cache)
    with stages("split"):
        book = SplitBook(pages, site, tools.embedder, tools.cache)
        contents = contents_of(book, previous, tools.progress)
    # The generation is opened before embedding, so that a full disk fails now and not after an hour.
    with tools.index_store.build(tools.embedder.identity, pages.language) as generation:
        _refuse_overtaken(previous, tools.index_store.current())
        with stages("embed"):
            embedded = _embed(book, contents, previous, tools)
        with stages("store"):
            manifest = _manifest(generation.number, pages, contents, site, tools, content_hash)
            _store(generation, manifest, book, contents, tools)
    forget(last, book, contents, previous, manifest.generation)
    return _report(manifest, pages, stages, embedded=embedded, removed=contents.removed)


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


def _embed(book: SplitBook, contents: Contents, previous: Manifest | None, tools: IngestTools) -> int:
    """How many passages were embedded; pages of the previous generation have been before."""
    known = {record.split_key for record in previous.pages} if previous else set[str]()
    new = [path for path in contents.new if book.pages.keys[path] not in known]
    tools.progress.start("Embedding passages", contents.passages(new))
    embedded = sum(
        embed(_passages(batch), tools.embedder, tools.cache, tools.progress) for batch in book.batches(new)
    )
    tools.progress.finish()
    return embedded


def _passages(batch: Batch) -> list[Passage]:
    return [passage for page in batch.values() for passage in page.passages]


def _manifest(
    generation: int,
    pages: ChosenPages,
    contents: Contents,
    site: Site,
    tools: IngestTools,
    content_hash: str,
) -> Manifest:
    return Manifest(
        generation=generation,
        book=_title(pages.root, contents.records, site),
        site=site.kind,
        embedder=tools.embedder.identity,
        splitter=VERSION,
        lexicon=contents.lexicon,
        pages=contents.records,
        chunks=sum(record.chunks for record in contents.records),
        passages=contents.lexicon.passages,
        content_hash=content_hash,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        site_origin=origin_of(site.home),
    )


_TITLED_FILES = ("README.md", "SUMMARY.md", "src/SUMMARY.md")
_NO_TITLES = frozenset({"summary", "table of contents", "contents", "readme"})
_LONGEST_PREFACE = 4000
"""Characters of a file in which its title is looked for."""


def _title(root: Path, records: Sequence[PageRecord], site: Site) -> str:
    """The site's; without one, that of the first page, of README or SUMMARY, or the folder in words."""
    first = (record.title for record in records if record.path.split(".")[0].lower() in ("index", "readme"))
    headings = (_first_heading(root / file) for file in _TITLED_FILES)
    return site.title or next(first, "") or next(filter(None, headings), readable_name(root.name))


def _first_heading(file: Path) -> str:
    """Empty without a file or a heading, and for a heading that names no book."""
    try:
        lines = file.read_text("utf-8", errors="replace")[:_LONGEST_PREFACE].splitlines()
    except OSError:
        return ""
    title = next((plain(line[2:]) for line in lines if line.startswith("# ")), "")
    return "" if title.lower() in _NO_TITLES else title


def _store(
    generation: Generation, manifest: Manifest, book: SplitBook, contents: Contents, tools: IngestTools
) -> None:
    """Pages that the generation has from the start are left alone."""
    paths = contents.new if generation.base else book.paths
    for gone in _in_batches(contents.gone if generation.base else ()):
        generation.put(gone, [], [])
    tools.progress.start("Storing passages", contents.passages(paths))
    for batch in book.batches(paths):
        passages = _passages(batch)
        generation.put([*batch], passages, Embedded(passages, tools.embedder, tools.cache))
        tools.progress.advance(len(passages))
    generation.publish(manifest)
    tools.progress.finish()


def _in_batches(pages: Sequence[str]) -> Iterator[Sequence[str]]:
    return (pages[start : start + _PAGES_AT_ONCE] for start in range(0, len(pages), _PAGES_AT_ONCE))


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
