"""Which pages the new generation is made of, and which of them have to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from glossator.errors import BookNotFound, NoBookYet, PageUnreadable
from glossator.ingest.keep import key_of
from glossator.ingest.read import Listing, PageFile, list_pages, named_pages, read_page
from glossator.ingest.site import Site
from glossator.ingest.split import VERSION
from glossator.model import EmbedderIdentity, Manifest, PageRecord, Skipped


@dataclass(frozen=True, slots=True)
class Pages:
    root: Path
    keys: Mapping[str, str]
    """The key of every page, by path."""
    files: Mapping[str, PageFile]
    """The text of those that were read, by path."""
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What decides how a page is cut, beside the page itself."""

    site: Site
    embedder: EmbedderIdentity
    language: str

    def key(self, page: str, content_hash: str) -> str:
        how = (VERSION, self.embedder.fingerprint, self.site.fingerprint, self.language)
        return key_of("page", *how, page, content_hash)


def choose(path: Path, recipe: Recipe, before: Manifest | None, only: Sequence[str]) -> Pages:
    """Every page of the folder; or, where `only` names some, these and the others as they were before."""
    listing = list_pages(path, recipe.site.is_page)
    before_pages = {record.path: record for record in before.pages} if before and only else {}
    named = _named(listing, before_pages, only)
    kept = {
        page: record.split_key
        for page, record in before_pages.items()
        if page not in named and record.split_key == recipe.key(page, record.content_hash)
    }
    wanted = {*before_pages, *named} if only else {*listing.paths}
    files, skipped = _read(
        listing.root, [page for page in listing.paths if page in wanted and page not in kept]
    )
    keys = kept | {page: recipe.key(page, file.content_hash) for page, file in files.items()}
    return Pages(listing.root, keys, files, (*listing.skipped, *skipped))


def _named(listing: Listing, before: Mapping[str, PageRecord], only: Sequence[str]) -> list[str]:
    if only and not before:
        raise NoBookYet
    named = named_pages(listing.root, only)
    for page in named:
        if page not in before and page not in listing.paths:
            raise BookNotFound(f"{page} is not a page of the book.")
    return named


def _read(root: Path, pages: Sequence[str]) -> tuple[dict[str, PageFile], list[Skipped]]:
    files, skipped = dict[str, PageFile](), list[Skipped]()
    for page in pages:
        try:
            files[page] = read_page(root, page)
        except PageUnreadable as error:
            skipped.append(Skipped(page, str(error)))
    return files, skipped
