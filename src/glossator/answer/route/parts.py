"""The questions inside a question: `what starts it, and how often does it run?` asks twice."""

from __future__ import annotations

import re
from itertools import pairwise

_MOST = 3
"""A reader who asks more at once gets what is found for all of it together."""
_ASKS = r"(?:what|which|who|whom|whose|where|when|why|how)\b"
_ASKS_WHETHER = (
    r"(?:is|are|was|does|do|did|can|could|should|must|may|will|would|has|have)"
    r" (?:i|you|we|it|that|this|there|they|the|an?|one|my)\b"
)
_ANY = f"(?:{_ASKS}|{_ASKS_WHETHER})"
_BOUNDARY = re.compile(
    rf"(?:[?!.;,:]|\sand|\sbut|\s[-–—])\s(?:(?:and|but|or|also|then) )?(?={_ANY})", re.IGNORECASE
)
_QUESTION = re.compile(rf"\W*{_ANY}", re.IGNORECASE)
_BESIDE = re.compile(r"^\W*(?:and|but|or)\s|[\s,;:.–—-]*(?:\b(?:and|but|or)\b)?\W*$", re.IGNORECASE)


def questions_in(text: str) -> list[str]:
    """Each as it is asked, behind what was said before the first; the whole text where it asks one thing."""
    cuts = [0, *(found.end() for found in _BOUNDARY.finditer(text)), len(text)]
    pieces = [text[start:end] for start, end in pairwise(cuts)]
    said = next((place for place, piece in enumerate(pieces) if _is_question(piece)), 0)
    context, asked = "".join(pieces[:said]), pieces[said:]
    if not 1 < len(asked) <= _MOST or any(len(piece.split()) < 2 for piece in asked):
        return [text]
    return [f"{context}{_BESIDE.sub('', piece)}?" for piece in asked]


def _is_question(piece: str) -> bool:
    return bool(_QUESTION.match(piece)) or piece.rstrip().endswith("?")
