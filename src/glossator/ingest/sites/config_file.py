"""Read a site's configuration files, take typed values out of them, and match path patterns."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, cast

import yaml

from glossator.errors import BookError
from glossator.ingest.front_matter import body_start, check_depth, front_matter


@dataclass(frozen=True, slots=True)
class Tagged:
    """A value with a YAML tag that only the generator can resolve, such as `!!python/name:`."""

    tag: str
    value: object


def read_text(path: Path) -> str:
    with _config_errors(path):
        return path.read_text(encoding="utf-8-sig")


def read_yaml(path: Path) -> object:
    """YAML, or JSON, which YAML includes except for tabs."""
    text = read_text(path)
    if path.suffix == ".json":
        text = text.replace("\t", " ")
    with _config_errors(path):
        check_depth(text)
        return yaml.load(text, _TolerantLoader)  # noqa: S506 (it is a SafeLoader)


def read_toml(path: Path) -> Mapping[str, object]:
    text = read_text(path)
    with _config_errors(path):
        return tomllib.loads(text)


def read_page(path: Path) -> tuple[Mapping[str, object], str]:
    """The front matter and the body of a page; both empty for a page that cannot be opened.

    `discover.read_page` reports such a page, so this does not.
    """
    try:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return {}, ""
    return front_matter(text), text[body_start(text) :]


@contextmanager
def _config_errors(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise BookError(f"{path} cannot be opened ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise BookError(f"{path} is not UTF-8 (byte {error.start}).") from error
    except tomllib.TOMLDecodeError as error:
        raise BookError(f"{path} is not TOML: {error}.") from error
    except yaml.YAMLError as error:
        raise BookError(f"{path} is not YAML: {' '.join(str(error).split())}.") from error


class _TolerantLoader(yaml.SafeLoader):
    """Reads any unknown tag as `Tagged`; nothing is imported or called."""


def _tagged(loader: _TolerantLoader, tag: str, node: yaml.Node) -> Tagged:
    match node:
        case yaml.ScalarNode():
            return Tagged(tag, loader.construct_scalar(node))
        case yaml.SequenceNode():
            return Tagged(tag, loader.construct_sequence(node, deep=True))
        case yaml.MappingNode():
            return Tagged(tag, loader.construct_mapping(node, deep=True))
        case _:
            return Tagged(tag, None)


# The type stubs do not declare the type of the constructor.
for _prefix in ("!", "tag:yaml.org,2002:python/"):
    cast("Any", _TolerantLoader).add_multi_constructor(_prefix, _tagged)


# Values from configuration files and front matter; None or empty for a value of another type.


def text_of(value: object) -> str | None:
    """A string or a number as text; None for an empty string."""
    if isinstance(value, str):
        return value or None
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def number_of(value: object) -> float | None:
    """None for `.inf` and `.nan` too, which order nothing and cannot be stored."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if isfinite(number) else None


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
    """A list of strings; None for anything else."""
    if not isinstance(value, list):
        return None
    items = cast("list[object]", value)
    texts = tuple(item for item in items if isinstance(item, str))
    return texts if len(texts) == len(items) else None


# Path patterns as generators write them: `**/drafts/**`, `*.{md,mdx}`, `/templates/`.

_PART = re.compile(r"\*\*/|/\*\*$|\*\*|\*|\?|\{[^{}]*\}|.", re.DOTALL)


def matches_any(path: str, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns matches the whole path."""
    return any(_matches(_parts(pattern), path) for pattern in patterns)


def is_ignored(path: str, lines: Iterable[str]) -> bool:
    """Whether the last line that matches the path excludes it, as in a .gitignore."""
    ignored = False
    for line in (line.strip() for line in lines):
        if not line or line.startswith("#"):
            continue
        if _matches(_ignored_parts(line.removeprefix("!")), path):
            ignored = not line.startswith("!")
    return ignored


def _ignored_parts(line: str) -> list[str]:
    above = [] if "/" in line.rstrip("/") else ["**/"]
    below = ["/", "**"] if line.endswith("/") else ["/**"]
    return [*above, *_parts(line.strip("/")), *below]


def _parts(pattern: str) -> list[str]:
    return [part[0] for part in _PART.finditer(pattern)]


def _matches(parts: Sequence[str], path: str) -> bool:
    return len(path) in _ends(parts, path, {0})


def _ends(parts: Sequence[str], path: str, starts: set[int]) -> set[int]:
    """The positions where a match of the parts may end when it begins at one of `starts`.

    All starts are advanced together. A regular expression with many stars would backtrack through all
    combinations of them.
    """
    for part in parts:
        starts = _after(part, path, starts) if starts else starts
    return starts


def _after(part: str, path: str, starts: set[int]) -> set[int]:
    match part:
        case "**/":
            return starts | {start + 1 for start in range(min(starts), len(path)) if path[start] == "/"}
        case "/**":
            slashes = [start for start in starts if path.startswith("/", start)]
            return starts | set(range(min(slashes) + 1, len(path) + 1) if slashes else ())
        case "**":
            return set(range(min(starts), len(path) + 1))
        case "*":
            return _within_folder(path, starts)
        case "?":
            return {start + 1 for start in starts if path[start : start + 1] not in ("", "/")}
        case _ if len(part) > 1:
            choices = map(_parts, part[1:-1].split(","))
            return {end for choice in choices for end in _ends(choice, path, starts)}
        case _:
            return {start + 1 for start in starts if path.startswith(part, start)}


def _within_folder(path: str, starts: set[int]) -> set[int]:
    """The positions, and all that follow them up to a slash."""
    reached = set[int]()
    for position in starts:
        while position not in reached:
            reached.add(position)
            position += path[position : position + 1] not in ("", "/")
    return reached
