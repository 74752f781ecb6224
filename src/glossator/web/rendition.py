"""An answer for contracts that show a text, a number and a list of sources of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from glossator.model import Answer, Citation, Claim, Outcome

LONGEST_TEXT = 10_000
_CUT = " …"
_MARK_ENDS = re.compile(r"\d+\]\s*")


def text_of(answer: Answer, places: Mapping[int, int]) -> str:
    """Each citation's mark is its place in that list, where it has one; the caution stands at the end."""
    told = "".join(_remarked(claim, places) for claim in answer.claims) if answer.claims else answer.text
    caution = f"\n\n{answer.disclaimer}" if answer.disclaimer else ""
    most = LONGEST_TEXT - len(caution)
    return (told if len(told) <= most else told[: most - len(_CUT)].rstrip() + _CUT) + caution


def score_of(answer: Answer) -> float:
    """What is read off the table of contents is certain; of a greeting there is nothing to be sure of."""
    if answer.confidence is not None:
        return min(max(answer.confidence.score, 0.0), 1.0)
    return 1.0 if answer.outcome is Outcome.ANSWERED else 0.0


def link_of(citation: Citation) -> str:
    """The page and its anchor, without the words that a browser is to look for."""
    return citation.url.split(":~:", 1)[0].removesuffix("#")


def is_of_selection(citation: Citation) -> bool:
    """Whether it stands in what the reader sent, which is no page of the book."""
    return not citation.page


def _remarked(claim: Claim, places: Mapping[int, int]) -> str:
    words = claim.text
    for _ in claim.citations:
        words, bracket, mark = words.rpartition("[")
        if not bracket or not _MARK_ENDS.fullmatch(mark):
            return claim.text
    if not claim.citations:
        return claim.text
    known = dict.fromkeys(places[n] for n in claim.citations if n in places)
    told = words.rstrip()
    return told + _marked(words[len(told) :], tuple(known))


def _marked(space: str, places: Sequence[int]) -> str:
    return space + "".join(f"[{place}]" for place in places) if places else ""
