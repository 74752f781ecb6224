"""The result of a check, and the faults of front matter."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

import yaml

from glossator.ingest.front_matter import FRONT_MATTER, check_depth


class FindingKind(StrEnum):
    """The kinds in the order in which an author would fix them."""

    UNREADABLE_PAGE = "unreadable-page"
    BROKEN_FRONT_MATTER = "broken-front-matter"
    UNCLOSED_FENCE = "unclosed-fence"
    EMPTY_PAGE = "empty-page"
    MISSING_PARTIAL = "missing-partial"
    SAME_URL = "same-url"
    DUPLICATE_ID = "duplicate-id"
    BROKEN_LINK = "broken-link"
    MISSING_ANCHOR = "missing-anchor"
    MISSING_FILE = "missing-file"
    NEVER_RETRIEVED = "never-retrieved"
    UNEXPLAINED_TERM = "unexplained-term"


@dataclass(frozen=True, slots=True)
class PageFinding:
    kind: FindingKind
    page: str
    line: int | None
    """Counted from 1; None for a finding about the whole page."""
    message: str
    """One sentence for the author."""
    text: str
    """The faulty text, as in the page."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    pages: int
    links: int
    """How many links were followed."""
    asked: bool
    """Whether the index was searched for the pages."""
    findings: tuple[PageFinding, ...]
    """Sorted by kind, then in reading order, except for terms, which begin with the most used."""


_NEVER_CLOSED = re.compile(r"\A---[ \t]*\r?\n[A-Za-z_][\w-]*:(?:[ \t].*)?\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of front matter."""

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
