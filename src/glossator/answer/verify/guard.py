"""Numbers and identifiers of a claim, which the evidence must have letter for letter.

A reader of a few million weights takes 15 for 16 now and then, and `max_retries` for `min_retries`; a
comparison never does.
"""

from __future__ import annotations

import re

_NUMBER = re.compile(r"(?<![\w.])\d[\d,\u00a0\u2009\u202f]*(?:\.\d+)?")
_GROUPING = re.compile(r"[,\u00a0\u2009\u202f]")
_IDENTIFIER = re.compile(
    r"\b[A-Za-z]\w*_\w+(?:::\w+|\.[a-z]\w+)*"  # snake_case
    r"|\b[A-Za-z]\w*+(?:::\w++|\.[a-z]\w++)++"  # a::b, file.ext
    r"|(?<![\w/])/\w+(?:/\w+)*"  # /a/path
    r"|\b[a-z]+[A-Z]\w*"  # camelCase
    r"|(?<!\S)--?[a-z][\w-]+"  # --a-flag
    r"|\b\w++\(\)"
)

_MIXED = re.compile(r"\b(?:[A-Za-z]++\d|\d++[A-Za-z])[A-Za-z\d]*+\b")
"""ros2, 4GB, 7b8dc86."""


def is_missing(claim: str, evidence: str) -> bool:
    """Whether the claim has a number or an identifier that the evidence does not have."""
    known = numbers(evidence)
    if any(number not in known for number in numbers(claim)):
        return True
    small = evidence.lower()
    if any(name.lower().rstrip("()") not in small for name in _IDENTIFIER.findall(claim)):
        return True
    # "4GB" is "4 GB".
    joined = "".join(small.split())
    return any(word.lower() not in joined for word in _MIXED.findall(claim))


def numbers(text: str) -> frozenset[float]:
    found = (_GROUPING.sub("", match[0]) for match in _NUMBER.finditer(text))
    return frozenset(float(number) for number in found if number.strip("."))
