"""The headings of a page, each with the anchor that the index records for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from glossator.ingest.check.pages import BookPage
from glossator.ingest.site import Site


@dataclass(frozen=True, slots=True)
class Section:
    level: int
    title: str
    anchor: str
    """Empty where the page itself is the address."""


def sections_of(page: BookPage, site: Site) -> Mapping[int, Section]:
    """By the line they stand on, as the parser's tokens count it."""
    return {
        page.line_at(block.span.start) - page.first_line: Section(
            block.level, " ".join(block.reading.split()), anchor
        )
        for block, anchor in zip(page.document.headings, site.anchors(page.headings), strict=True)
    }
