"""Read, split, embed, store: the table of contents of an ingest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from glossator.errors import BookNotFound
from glossator.ingest.choose import Pages, Recipe, choose
from glossator.ingest.embed import Embedded, embed
from glossator.ingest.keep import SplitPage, keep_pages, kept_pages, key_of
from glossator.ingest.lexicon import lexicon_of
from glossator.ingest.page import cut
from glossator.ingest.read import read_page
from glossator.ingest.site import Site
from glossator.ingest.split import VERSION
from glossator.ingest.stages import Stages
from glossator.model import IngestReport, Manifest, PageRecord, Passage
from glossator.ports import Cache, Embedder, Generation, Progress, Shelf

_CUTTERS = 2
"""One parses, which holds Python's lock, while the other counts tokens, which does not."""

_BATCH = 1024
"""Passages handed to the shelf at a time."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What an ingest works with."""

    embedder: Embedder
    shelf: Shelf
    cache: Cache
    progress: Progress
    language: str = "english"
    """Of the book's words."""


def ingest(path: Path, site: Site, tools: Tools, only: Sequence[str] = ()) -> IngestReport:
    """The book at `path` becomes the current generation; `only` names the pages to read again."""
    stages = Stages()
    before = tools.shelf.current()
    with stages("read"):
        recipe = Recipe(site, tools.embedder.identity, tools.language)
        pages = choose(path, recipe, before, only)
    if not pages.keys:
        raise BookNotFound(f"There is no Markdown page of a {site.kind} book in {path}.")
    content_hash = key_of("book", pages.root.name, tools.shelf.recipe, *sorted(pages.keys.values()))
    if before and before.content_hash == content_hash and tools.shelf.is_whole():
        return _report(before, pages, stages, embedded=0, removed=0)
    with stages("split"):
        split = _split(pages, site, tools)
    passages = [passage for page in split.values() for passage in page.passages]
    # Begun before anything is embedded: a full disk is found out now, not after an hour.
    with tools.shelf.build(tools.embedder.identity) as generation:
        with stages("embed"):
            embedded = embed(passages, tools.embedder, tools.cache, tools.progress)
        with stages("store"):
            draft = _manifest(pages, split, site, tools, content_hash)
            manifest = _store(generation, draft, passages, embedded, tools.progress)
    removed = _removed(before, split, tools.cache)
    tools.cache.keep_only([*pages.keys.values(), *embedded.kept_keys])
    return _report(manifest, pages, stages, embedded=embedded.new, removed=removed)


def _split(pages: Pages, site: Site, tools: Tools) -> dict[str, SplitPage]:
    """Every page, cut, by its path, in reading order; those cut before are not cut again."""
    kept = kept_pages(tools.cache, list(pages.keys.values()))
    missing = [page for page, key in pages.keys.items() if key not in kept]
    fresh = dict(
        zip((pages.keys[page] for page in missing), _cut_all(missing, pages, site, tools), strict=True)
    )
    keep_pages(tools.cache, fresh)
    every = kept | fresh
    split = {page: every[key] for page, key in pages.keys.items()}
    return dict(sorted(split.items(), key=lambda item: (item[1].order, item[0])))


def _cut_all(missing: Sequence[str], pages: Pages, site: Site, tools: Tools) -> Iterator[SplitPage]:
    def cut_one(page: str) -> SplitPage:
        file = pages.files.get(page) or read_page(pages.root, page)
        return cut(file, site, tools.embedder, tools.language)

    tools.progress.start("Reading pages", len(missing))
    with ThreadPoolExecutor(_CUTTERS) as pool:
        for split in pool.map(cut_one, missing):
            tools.progress.advance(1)
            yield split
    tools.progress.finish()


def _manifest(
    pages: Pages, split: Mapping[str, SplitPage], site: Site, tools: Tools, content_hash: str
) -> Manifest:
    """Its generation gets its number when it is built."""
    return Manifest(
        generation=0,
        book=pages.root.name,
        site=site.kind,
        embedder=tools.embedder.identity,
        splitter=VERSION,
        lexicon=lexicon_of(split.values(), tools.language),
        pages=tuple(_record(path, page, pages) for path, page in split.items()),
        chunks=sum(len(page.chunks) for page in split.values()),
        passages=sum(len(page.windows) for page in split.values()),
        content_hash=content_hash,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _record(path: str, page: SplitPage, pages: Pages) -> PageRecord:
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


def _removed(before: Manifest | None, split: Mapping[str, SplitPage], cache: Cache) -> int:
    """How many chunks of the generation before the new one no longer has."""
    if before is None:
        return 0
    old = kept_pages(cache, [record.split_key for record in before.pages])
    now = {chunk.content_hash for page in split.values() for chunk in page.chunks}
    return sum(chunk.content_hash not in now for page in old.values() for chunk in page.chunks)


def _report(manifest: Manifest, pages: Pages, stages: Stages, *, embedded: int, removed: int) -> IngestReport:
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
