"""Acronyms and terms that the book uses again and again, and nowhere explains."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from glossator.ingest.check.findings import Finding, FindingKind
from glossator.ingest.check.pages import BookPage
from glossator.ingest.check.terms.acronyms import acronyms
from glossator.ingest.check.terms.emphasis import emphasized_terms
from glossator.ingest.check.terms.explain import is_explained_by
from glossator.ingest.check.terms.occurrence import Occurrence
from glossator.ingest.check.terms.prose import Role, prose
from glossator.ingest.check.terms.words import is_english

_PAGES = 2
_USES = 4
"""So many make a term a word of the book."""


def unexplained(pages: Sequence[BookPage]) -> list[Finding]:
    """The most used first; nothing for a book whose language we cannot tell explanations in."""
    written = [part for page in pages for part in prose(page)]
    if not is_english(written):
        return []
    by_term = defaultdict[str, list[Occurrence]](list)
    for occurrence in (*acronyms(written), *emphasized_terms(written)):
        by_term[occurrence.term].append(occurrence)
    missing = [found for found in map(_uses, by_term.values()) if found]
    missing.sort(key=lambda uses: (-len(uses), uses[0].term))
    return [_finding(uses) for uses in missing]


def _uses(occurrences: Sequence[Occurrence]) -> list[Occurrence]:
    """Where the term is used; empty when it is explained somewhere, or hardly used."""
    if any(map(is_explained_by, occurrences)):
        return []
    uses = [occurrence for occurrence in occurrences if occurrence.prose.role is not Role.HEADING]
    is_used = len(uses) >= _USES or len({use.prose.page for use in uses}) >= _PAGES
    return uses if is_used else []


def _finding(uses: Sequence[Occurrence]) -> Finding:
    first = uses[0]
    shown = first.term if first.term[:1].isupper() else first.text.lower()
    pages = len({use.prose.page for use in uses})
    where = f"on {pages} pages" if pages > 1 else "on this page"
    message = f"“{shown}” is used {len(uses)} times {where} and never explained."
    line = first.prose.line_at(first.span.start)
    return Finding(FindingKind.UNEXPLAINED_TERM, first.prose.page, line, message, shown)
