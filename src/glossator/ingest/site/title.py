"""What a page is called, by what its author wrote or by the name of its file."""

from __future__ import annotations

from glossator.ingest.site.foreign import text_of
from glossator.ingest.site.site import PageFacts


def written_title(page: PageFacts) -> str | None:
    """The title in the front matter, or the first heading of the first level."""
    headings = (heading.text for heading in page.headings if heading.level == 1 and heading.text)
    return text_of(page.front_matter.get("title")) or next(headings, None)


def spoken_name(name: str) -> str:
    """`getting-started` becomes `Getting started`; a name with capitals keeps its own."""
    words = name.replace("-", " ").replace("_", " ")
    return words.capitalize() if words == words.lower() else words
