"""What is wrong with the fields at the head of a page."""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml

from glossator.ingest.front_matter import FRONT_MATTER, check_depth

_NEVER_CLOSED = re.compile(r"\A---[ \t]*\r?\n[A-Za-z_][\w-]*:(?:[ \t].*)?\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fault:
    line: int
    message: str


def front_matter_fault(source: str) -> Fault | None:
    match = FRONT_MATTER.match(source)
    if match is None:
        opened = _NEVER_CLOSED.match(source)
        return Fault(1, "The front matter is opened by `---` and never closed.") if opened else None
    try:
        check_depth(match[1])
        fields: object = yaml.safe_load(match[1])
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return Fault(mark.line + 2 if mark else 1, f"The front matter is not YAML: {error.problem}.")
    except yaml.reader.ReaderError:
        return Fault(1, "The front matter is not YAML: it has a character that YAML does not allow.")
    except yaml.YAMLError as error:
        return Fault(1, f"The front matter is not YAML: {error}.")
    except ValueError as error:
        return Fault(1, f"The front matter has a value that cannot be: {error}.")
    is_wrong = fields is not None and not isinstance(fields, dict)
    return (
        Fault(1, "The front matter has no fields: it is not a list of `name: value`.") if is_wrong else None
    )
