"""Guards the book in the index: an ingest that would lose much of it needs the author's word."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from glossator.errors import BookWouldShrink
from glossator.model import Manifest

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
