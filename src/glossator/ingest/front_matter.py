"""The YAML front matter of a page."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from itertools import accumulate
from typing import Any, cast

import yaml

# The C loader, where PyYAML was built with it, is ten times as fast.
_LOADER: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML = re.compile(r"\A\+\+\+[ \t]*\r?\n(.*?)(?:^|\r?\n)\+\+\+[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
"""Front matter in TOML, as Hugo writes it."""
_BRACKET = re.compile(r"[\[\]{}]")
_DEEPEST = 100
_DEEP_LINE = re.compile(rf"(?:[-?:][ \t]++){{{_DEEPEST}}}")


def front_matter(source: str) -> Mapping[str, object]:
    """The fields of a page; empty where it has none, or where they are invalid: the page is still read."""
    if toml := _TOML.match(source):
        return _toml(toml[1])
    match = FRONT_MATTER.match(source)
    try:
        check_depth(match[1] if match else "")
        loaded: object = yaml.load(match[1], _LOADER) if match else None  # noqa: S506 (a safe one)
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    fields = cast("dict[object, object]", loaded) if isinstance(loaded, dict) else {}
    return {str(key): value for key, value in fields.items()}


def _toml(text: str) -> Mapping[str, object]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def check_depth(text: str) -> None:
    """Raises YAMLError for deep nesting, because PyYAML recurses without a limit and crashes the process."""
    steps = (1 if bracket[0] in "[{" else -1 for bracket in _BRACKET.finditer(text))
    if max(accumulate(steps), default=0) > _DEEPEST or _DEEP_LINE.search(text):
        raise yaml.YAMLError(f"it is nested more than {_DEEPEST} times")


def body_start(source: str) -> int:
    match = FRONT_MATTER.match(source) or _TOML.match(source)
    return match.end() if match else 0
