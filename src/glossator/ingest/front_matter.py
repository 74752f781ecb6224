"""The fields at the head of a page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

import yaml

# In C where the library has it, which is ten times as fast.
_LOADER: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)


def front_matter(source: str) -> Mapping[str, object]:
    """Empty where there is none, or where it is broken: the generator complains, the page is still read."""
    match = FRONT_MATTER.match(source)
    try:
        loaded: object = yaml.load(match[1], _LOADER) if match else None  # noqa: S506 (a safe one)
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    fields = cast("dict[object, object]", loaded) if isinstance(loaded, dict) else {}
    return {str(key): value for key, value in fields.items()}


def body_start(source: str) -> int:
    match = FRONT_MATTER.match(source)
    return match.end() if match else 0
