"""The sections nearest to a question that was refused; never an answer."""

from __future__ import annotations

from collections.abc import Sequence

from glossator.model import Hit, Suggestion

_MOST = 3
_LEAST_COSINE = 0.3
"""Below it a section is not even near. By likeness: nothing here answers, so all similarities are low."""


def suggest(hits: Sequence[Hit]) -> tuple[Suggestion, ...]:
    near = [hit for hit in hits if (hit.scores.dense or 0.0) >= _LEAST_COSINE]
    sections = {hit.passage.url: _suggestion(hit) for hit in near}
    return tuple(sections.values())[:_MOST]


def _suggestion(hit: Hit) -> Suggestion:
    path = [hit.chunk.page_title, *hit.passage.section.path[-1:]]
    return Suggestion(" > ".join(path), hit.passage.url, hit.chunk.chunk_id)
