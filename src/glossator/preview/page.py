"""A whole page of the site: the article, and the book around it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from glossator.preview.edition import Edition
from glossator.preview.outline import Entry
from glossator.preview.widget import WidgetTag

_SHORT = 40
"""Pages of a book whose contents are shown unfolded."""


def page(edition: Edition, entry: Entry, widget: WidgetTag) -> str:
    before, after = edition.outline.around(entry)
    return _render(
        "page.html",
        edition,
        widget,
        current=entry,
        title=entry.title,
        here=entry.address,
        article=edition.article(entry),
        chapter_address=edition.outline.chapter_of(entry).entries[0].address,
        before=before,
        after=after,
    )


def message_page(edition: Edition, widget: WidgetTag, title: str, message: str) -> str:
    """A page that is none of the book's, with its contents beside it."""
    return _render(
        "missing.html",
        edition,
        widget,
        current=None,
        title=title,
        message=message,
        here="",
        article=None,
        first=edition.outline.first,
    )


def _render(name: str, edition: Edition, widget: WidgetTag, **shown: object) -> str:
    outline = edition.outline
    return (
        _templates()
        .get_template(name)
        .render(
            masthead=edition.masthead,
            chapters=outline.chapters,
            is_short=len(outline) <= _SHORT,
            has_relative_urls=edition.has_relative_urls,
            widget=widget,
            **shown,
        )
    )


@cache
def _templates() -> Environment:
    loader = FileSystemLoader(Path(__file__).parent / "templates")
    return Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
