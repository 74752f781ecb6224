"""Faults of single pages, and pages with the same address."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator

from markdown_it.token import Token

from glossator.lint.findings import FindingKind, PageFinding, front_matter_fault
from glossator.lint.pages import BookPage, CheckedBook, Folders
from glossator.lint.tags import is_statement, partials, tags

_CONTAINER_MARKS = " \t>"


def page_faults(page: BookPage, folders: Folders) -> Iterator[PageFinding]:
    yield from _front_matter(page)
    yield from _unclosed_fences(page)
    yield from _emptiness(page)
    yield from _missing_partials(page, folders)
    yield from _duplicate_ids(page)


def book_faults(book: CheckedBook) -> Iterator[PageFinding]:
    for skipped in book.unreadable:
        message = f"The page {skipped.reason}."
        yield PageFinding(FindingKind.UNREADABLE_PAGE, skipped.page, None, message, skipped.page)
    yield from _same_urls(book)


def _front_matter(page: BookPage) -> Iterator[PageFinding]:
    # Front matter that was parsed has no fault.
    fault = None if page.document.front_matter else front_matter_fault(page.text)
    if fault:
        text = page.lines[fault.line - 1] if fault.line <= len(page.lines) else ""
        yield PageFinding(FindingKind.BROKEN_FRONT_MATTER, page.path, fault.line, fault.message, text)


def _unclosed_fences(page: BookPage) -> Iterator[PageFinding]:
    for token in page.tokens:
        if token.type == "fence" and not _is_closed(page, token):
            message = "The fence that opens here is never closed, so what follows is shown as code."
            opening = page.lines[page.line_of(token) - 1].strip()
            yield PageFinding(FindingKind.UNCLOSED_FENCE, page.path, page.line_of(token), message, opening)


def _is_closed(page: BookPage, token: Token) -> bool:
    lines = page.source_of(token).split("\n")
    closing = re.compile(f"{re.escape(token.markup)}{re.escape(token.markup[0])}*[ \t]*")
    return len(lines) > 1 and bool(closing.fullmatch(lines[-1].lstrip(_CONTAINER_MARKS)))


def _emptiness(page: BookPage) -> Iterator[PageFinding]:
    shows_component = any(token.type == "markup" and not is_statement(page, token) for token in page.tokens)
    if not page.document.blocks and not shows_component:
        yield PageFinding(
            FindingKind.EMPTY_PAGE, page.path, None, "There is nothing on the page to read.", page.path
        )


def _missing_partials(page: BookPage, folders: Folders) -> Iterator[PageFinding]:
    for partial in partials(page, folders):
        if partial.path and not os.path.exists(partial.path):
            message = f"There is no file {partial.written} to import."
            yield PageFinding(FindingKind.MISSING_PARTIAL, page.path, partial.line, message, partial.written)


def _duplicate_ids(page: BookPage) -> Iterator[PageFinding]:
    first_lines = dict[str, int]()
    for name, line in _custom_ids(page):
        first = first_lines.setdefault(name, line)
        if first != line:
            message = f"The id #{name} is given on line {first} already; links lead there."
            yield PageFinding(FindingKind.DUPLICATE_ID, page.path, line, message, name)


def _custom_ids(page: BookPage) -> Iterator[tuple[str, int]]:
    """The ids of headings and of HTML tags; only the site knows what a component does with its `id`."""
    ids = [
        (block.custom_id, page.line_at(block.span.start))
        for block in page.document.headings
        if block.custom_id
    ]
    ids += [
        (tag.attributes["id"], tag.line)
        for tag in tags(page)
        if "id" in tag.attributes and tag.name.islower()
    ]
    yield from sorted(ids, key=lambda entry: entry[1])


def _same_urls(book: CheckedBook) -> Iterator[PageFinding]:
    by_url = defaultdict[str, list[str]](list)
    for path, place in book.places.items():
        by_url[place.url.rstrip("/")].append(path)
    for first, *others in by_url.values():
        for other in others:
            url = book.places[other].url
            yield PageFinding(FindingKind.SAME_URL, other, None, f"{first} has the same address, {url}.", url)
