"""Choose the pages of a new generation and the language they are in, and refuse to lose much of the book."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from glossator.errors import BookNotFound, BookWouldShrink, NoBookYet, PageUnreadable
from glossator.ingest.cache import key_of
from glossator.ingest.discover import Listing, PageFile, list_pages, named_pages
from glossator.ingest.page import load_page
from glossator.ingest.sites import Site
from glossator.ingest.split import VERSION
from glossator.model import EmbedderIdentity, Manifest, PageRecord, Skipped
from glossator.text.languages import ENGLISH, detect_language, language_named
from glossator.text.spans import code_spans, remove_spans
from glossator.text.words import words


@dataclass(frozen=True, slots=True)
class ChosenPages:
    """The pages of the new generation."""

    root: Path
    language: str
    """The language of the book's words."""
    keys: Mapping[str, str]
    """The cache key of every page, by path."""
    files: Mapping[str, PageFile]
    """Pages that were read from disk, by path; of a large book only the first, to save memory."""
    hashes: frozenset[str]
    """The hashes of all pages that were read from disk."""
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
"""How many words of a book are read to detect its language."""
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
    read = _read(listing.root, wanted, settings.site)
    settings = settings.for_pages(read.files.values())
    return ChosenPages(
        root=listing.root,
        language=settings.language or ENGLISH,
        keys=unchanged | {page: settings.key(page, content) for page, content in read.hashes.items()},
        files=read.files,
        hashes=frozenset(read.hashes.values()),
        skipped=(*listing.skipped, *read.skipped),
    )


def _named(listing: Listing, previous_pages: Mapping[str, PageRecord], only: Sequence[str]) -> list[str]:
    if only and not previous_pages:
        raise NoBookYet
    named = named_pages(listing.root, only)
    for page in named:
        if page not in previous_pages and page not in listing.paths:
            raise BookNotFound(f"{page} is not a page of the book.")
    return named


_HELD_CHARACTERS = 2**25
"""How many characters of pages stay in memory until they are split; the others are read a second time."""


@dataclass(slots=True)
class _ReadPages:
    files: dict[str, PageFile] = field(default_factory=dict[str, PageFile])
    hashes: dict[str, str] = field(default_factory=dict[str, str])
    skipped: list[Skipped] = field(default_factory=list[Skipped])


def _read(root: Path, pages: Sequence[str], site: Site) -> _ReadPages:
    read, held = _ReadPages(), 0
    for page in pages:
        try:
            file = load_page(root, page, site)
        except PageUnreadable as error:
            read.skipped.append(Skipped(page, str(error)))
            continue
        read.hashes[page] = file.content_hash
        if held < _HELD_CHARACTERS:
            read.files[page] = file
            held += len(file.text)
    return read


_SHARE_TO_LOSE = 1 / 3
_NAMED = 3
"""How many of the lost pages an error names."""
_ASK = "add --replace if that is meant. Nothing was changed."


def refuse_loss(previous: Manifest, path: Path, pages: Collection[str], hashes: Collection[str]) -> None:
    """Raises BookWouldShrink where `pages`, with the content `hashes`, lack more than a third of the book.

    A page that only moved is not lost.
    """
    book, count = previous.book, len(previous.pages)
    if path.is_file() and count > 1:
        raise BookWouldShrink(
            f"{path} would replace the whole book “{book}” ({count} pages) with one page: {_ASK}"
        )
    lost = [
        record.path
        for record in previous.pages
        if record.path not in pages and record.content_hash not in hashes
    ]
    if len(lost) > _SHARE_TO_LOSE * count:
        named = ", ".join([*lost[:_NAMED], *(["…"] if len(lost) > _NAMED else [])])
        raise BookWouldShrink(
            f"This would remove {len(lost)} of the {count} pages of “{book}” ({named}): {_ASK}"
        )


def place_in_book(path: Path, book: Manifest | None) -> tuple[Path, Sequence[str]]:
    """The folder of the current book and the page to read again, where `path` is a file in that book.

    The index does not record where the book stood: it is the nearest folder above with most of its pages.
    """
    if book is None or not path.is_file():
        return path, ()
    file, pages = path.resolve(), [record.path for record in book.pages]
    for folder in file.parents:
        page = file.relative_to(folder).as_posix()
        held = sum((folder / other).is_file() for other in pages)
        # A book of one page has no folder of its own: only that page is inside it.
        if 2 * held > len(pages) and (len(pages) > 1 or page in pages):
            return folder, [page]
    return path, ()
