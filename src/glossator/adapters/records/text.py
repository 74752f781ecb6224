"""What text a database can keep: PostgreSQL no NUL, neither of them half a character."""

from __future__ import annotations

_UNKNOWN = "\N{REPLACEMENT CHARACTER}"
_LONGEST_NAME = 255


def storable(text: str) -> str:
    return text.replace("\0", _UNKNOWN).encode("utf-8", "replace").decode("utf-8")


def can_be_name(text: str) -> bool:
    """Whether anything can be kept under it; what cannot is unknown."""
    return 0 < len(text) <= _LONGEST_NAME and storable(text) == text
