"""Where the tokens of a text may stand when the model's own tokenizer is out of reach.

Made for sizes only. Commercial tokenizers make about a token of four English letters and of every
letter of another script, so these parts are rather too many than too few.
"""

from __future__ import annotations

import re

from glossator.model import Span

_PART = re.compile(r"[A-Za-z]{1,4}|[0-9]{1,3}|[^\sA-Za-z0-9]")


def word_parts(text: str) -> list[Span]:
    return [Span._make(match.span()) for match in _PART.finditer(text)]
