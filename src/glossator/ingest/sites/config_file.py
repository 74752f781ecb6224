"""The small files a site is configured with."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from glossator.errors import BookError
from glossator.ingest.front_matter import body_start, check_depth, front_matter


@dataclass(frozen=True, slots=True)
class Tagged:
    """A value with a tag that only the generator itself can follow, such as `!!python/name:`."""

    tag: str
    value: object


def read_text(path: Path) -> str:
    with _config_errors(path):
        return path.read_text(encoding="utf-8-sig")


def read_yaml(path: Path) -> object:
    """YAML, or JSON, which is YAML too but for its tabs."""
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
    """The front matter of a page and what follows; nothing of a page that cannot be read.

    Whoever reads the page itself says what is wrong with it.
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
    """Reads any tag as a value with a name; nothing is imported, called or looked up."""


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


# The stubs leave the constructor's type open.
for _prefix in ("!", "tag:yaml.org,2002:python/"):
    cast("Any", _TolerantLoader).add_multi_constructor(_prefix, _tagged)


# Values out of configuration files and front matter, taken only when they are what they should be.


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


# Patterns of paths, as generators write them: `**/drafts/**`, `*.{md,mdx}`, `/templates/`.

_PART = re.compile(r"\*\*/|/\*\*$|\*\*|\*|\?|\{[^{}]*\}|.", re.DOTALL)


def matches_any(path: str, patterns: Iterable[str]) -> bool:
    """Whether a whole path is what one of the patterns describes."""
    return any(_describe(_parts(pattern), path) for pattern in patterns)


def is_ignored(path: str, lines: Iterable[str]) -> bool:
    """Whether the last line that speaks of the path leaves it out, as in a .gitignore."""
    ignored = False
    for line in (line.strip() for line in lines):
        if not line or line.startswith("#"):
            continue
        if _describe(_ignored_parts(line.removeprefix("!")), path):
            ignored = not line.startswith("!")
    return ignored


def _ignored_parts(line: str) -> list[str]:
    above = [] if "/" in line.rstrip("/") else ["**/"]
    below = ["/", "**"] if line.endswith("/") else ["/**"]
    return [*above, *_parts(line.strip("/")), *below]


def _parts(pattern: str) -> list[str]:
    return [part[0] for part in _PART.finditer(pattern)]


def _describe(parts: Sequence[str], path: str) -> bool:
    return len(path) in _ends(parts, path, {0})


def _ends(parts: Sequence[str], path: str, places: set[int]) -> set[int]:
    """Where the parts may end when they begin at one of the places.

    All places at once: an expression with many stars would try them one after the other, and each again
    for every place of the one before.
    """
    for part in parts:
        places = _after(part, path, places) if places else places
    return places


def _after(part: str, path: str, places: set[int]) -> set[int]:
    match part:
        case "**/":
            return places | {place + 1 for place in range(min(places), len(path)) if path[place] == "/"}
        case "/**":
            slashes = [place for place in places if path.startswith("/", place)]
            return places | set(range(min(slashes) + 1, len(path) + 1) if slashes else ())
        case "**":
            return set(range(min(places), len(path) + 1))
        case "*":
            return _within_folder(path, places)
        case "?":
            return {place + 1 for place in places if path[place : place + 1] not in ("", "/")}
        case _ if len(part) > 1:
            choices = map(_parts, part[1:-1].split(","))
            return {end for choice in choices for end in _ends(choice, path, places)}
        case _:
            return {place + 1 for place in places if path.startswith(part, place)}


def _within_folder(path: str, places: set[int]) -> set[int]:
    """The places, and all that follow up to a slash."""
    reached = set[int]()
    for place in places:
        while place not in reached:
            reached.add(place)
            place += path[place : place + 1] not in ("", "/")
    return reached
