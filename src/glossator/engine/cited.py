"""Which sections answers rest on, and which they never did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from glossator.answer.ask_itself import Place
from glossator.model.desk import CitedSection, CitedSections

_MOST = 20


def cited_sections(
    counted: Sequence[CitedSection], places: Sequence[Place], since: datetime
) -> CitedSections:
    """`places` are those of the book as it is today."""
    by_address = dict[tuple[str, str], CitedSection]()
    for one in (*map(_never_cited, places), *counted):
        known = by_address.setdefault((one.page, one.url), replace(one, count=0))
        # Under today's title, also where it had another one when it was cited.
        by_address[one.page, one.url] = replace(known, count=known.count + one.count)
    most = sorted((one for one in by_address.values() if one.count), key=lambda one: -one.count)
    never = [one for one in by_address.values() if not one.count]
    return CitedSections(since, most[:_MOST], never, sections=len(places))


def _never_cited(place: Place) -> CitedSection:
    return CitedSection(place.title, place.page, place.url, count=0)
