"""The small files a site is configured with."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from glossator.errors import BookError
from glossator.ingest.site.foreign import mapping_of

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Tagged:
    """A value with a tag that only the generator itself can follow, such as `!!python/name:`."""

    tag: str
    value: object


def read_text(path: Path) -> str:
    with _config_errors(path):
        return path.read_text(encoding="utf-8-sig")


def read_yaml(path: Path) -> object:
    """YAML, or JSON, which is YAML too."""
    text = read_text(path)
    with _config_errors(path):
        return yaml.load(text, _TolerantLoader)  # noqa: S506 (it is a SafeLoader)


def read_toml(path: Path) -> Mapping[str, object]:
    text = read_text(path)
    with _config_errors(path):
        return tomllib.loads(text)


def front_matter_of(text: str) -> tuple[Mapping[str, object], str]:
    """The fields at the head of a page, and the page without them; no fields when they are not YAML."""
    match = _FRONT_MATTER.match(text)
    if not match:
        return {}, text
    body = text[match.end() :]
    try:
        return mapping_of(yaml.load(match[1], _TolerantLoader)), body  # noqa: S506 (it is a SafeLoader)
    except yaml.YAMLError:
        return {}, body


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
