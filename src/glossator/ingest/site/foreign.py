"""Values out of configuration files and front matter, taken only when they are what they should be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast


def text_of(value: object) -> str | None:
    """A word or a number, as text; an empty one counts as none."""
    if isinstance(value, str):
        return value or None
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def number_of(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def flag_of(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def mapping_of(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        return {}
    fields = cast("dict[object, object]", value)
    return {str(key): field for key, field in fields.items()}


def items_of(value: object) -> Sequence[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def texts_of(value: object) -> tuple[str, ...] | None:
    """A list of words; None when it is no list or has anything else in it."""
    if not isinstance(value, list):
        return None
    items = cast("list[object]", value)
    texts = tuple(item for item in items if isinstance(item, str))
    return texts if len(texts) == len(items) else None
