"""The places that an answer cites, as a list below it: any chat client shows that."""

from __future__ import annotations

from glossator.model import Answer, Citation
from glossator.text.inline import escaped

_HEADING = "\n\n**Sources**\n\n"


def sources_of(answer: Answer) -> str:
    """Nothing where nothing is cited."""
    lines = [f"{one.n}. [{escaped(_title(one))}]({_address(one)})" for one in answer.citations]
    return _HEADING + "\n".join(lines) if lines else ""


def without_sources(text: str) -> str:
    """What was answered before comes back with its list, of which nobody spoke."""
    said, heading, below = text.rstrip().rpartition(_HEADING)
    is_ours = heading and all(map(_is_source, below.split("\n")))
    return said if is_ours else text


def _title(citation: Citation) -> str:
    names = dict.fromkeys((citation.chapter, citation.section or citation.page_title))
    return " › ".join(name for name in names if name) or citation.page


def _address(citation: Citation) -> str:
    """So that it ends where the link does."""
    return citation.url.replace("(", "%28").replace(")", "%29").replace(" ", "%20")


def _is_source(line: str) -> bool:
    return line[:1].isdigit() and "](" in line and line.endswith(")")
