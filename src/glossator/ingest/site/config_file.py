"""The small files a site is configured with."""

from __future__ import annotations

import tomllib
from collections.abc import Generator, Mapping
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
