"""The fields at the head of a page: where they end, and what is wrong with them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml

_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_NEVER_CLOSED = re.compile(r"\A---[ \t]*\r?\n[A-Za-z_][\w-]*:(?:[ \t].*)?\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fault:
    line: int
    message: str


def body_start(source: str) -> int:
    match = _FRONT_MATTER.match(source)
    return match.end() if match else 0


def front_matter_fault(source: str) -> Fault | None:
    match = _FRONT_MATTER.match(source)
    if match is None:
        opened = _NEVER_CLOSED.match(source)
        return Fault(1, "The front matter is opened by `---` and never closed.") if opened else None
    try:
        fields: object = yaml.safe_load(match[1])
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return Fault(mark.line + 2 if mark else 1, f"The front matter is not YAML: {error.problem}.")
    except yaml.YAMLError:
        return Fault(1, "The front matter is not YAML: it has a character that YAML does not allow.")
    is_wrong = fields is not None and not isinstance(fields, dict)
    return (
        Fault(1, "The front matter has no fields: it is not a list of `name: value`.") if is_wrong else None
    )
