"""The text of a PDF as Markdown, page by page, with headings from its outline; needs the extra `pdf`."""

from __future__ import annotations

import hashlib
import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from glossator.errors import PageUnreadable
from glossator.extras import has_extra
from glossator.ingest.discover import PageFile
from glossator.ingest.sites.site import readable_name
from glossator.ingest.write_markdown import escaped, line_start

if TYPE_CHECKING:
    from pypdf import PdfReader

SUFFIX = ".pdf"
_LARGEST_FILE = 200_000_000
_MOST_PAGES = 5000
_DEEPEST = 5
"""How many levels of the outline are read as headings; the title of the book is the level above them."""
_MOST_ENTRIES = 20_000
_MOST_ON_A_PAGE = 100
_FEWEST_PAGES = 3
"""A line at the edge of at least so many pages may be a running title, such as the name of the book."""
_BROKEN = (
    ArithmeticError, AssertionError, AttributeError, KeyError, IndexError, NotImplementedError, OSError,
    RecursionError, TypeError, ValueError,
)  # fmt: skip
"""What the library raises for files that are no valid PDF, besides errors of its own."""
_BULLET = re.compile(r"[•‣▪●◦–*-]\s+")
_ITEM = re.compile(rf"{_BULLET.pattern}|\d{{1,3}}[.)]\s")
_HYPHEN = re.compile(r"(?<=[^\W\d_])-\n(?=[a-zà-ÿ])")
"""A hyphen between the halves of a word."""
_DIGITS = re.compile(r"\d+")
_NO_WORDS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Entry:
    """A heading of the outline."""

    title: str
    level: int


@dataclass(frozen=True, slots=True)
class Pdf:
    title: str
    pages: Sequence[Sequence[str]]
    """The lines of each page."""
    outline: Mapping[int, Sequence[Entry]]
    """The headings on each page, counted from 0."""


def pdf_page(root: Path, path: str) -> PageFile:
    """Raises PageUnreadable with the reason, worded to follow the name of the page."""
    if not has_extra("pdf"):
        raise PageUnreadable("needs the extra 'pdf': pip install 'glossator[pdf]'")
    try:
        if (root / path).stat().st_size > _LARGEST_FILE:
            raise PageUnreadable(f"is larger than {_LARGEST_FILE // 1_000_000} MB")
        raw = (root / path).read_bytes()
    except OSError as error:
        raise PageUnreadable(f"cannot be opened ({error.strerror})") from error
    pdf = _read(raw, readable_name(Path(path).stem))
    return PageFile(path, markdown_of(pdf), hashlib.sha256(raw).hexdigest())


def _read(raw: bytes, name: str) -> Pdf:
    from io import BytesIO

    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    # It would write a line to standard error for each of a file's many small faults.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(BytesIO(raw))
        if reader.is_encrypted and not reader.decrypt(""):
            raise PageUnreadable("is encrypted")
        if len(reader.pages) > _MOST_PAGES:
            raise PageUnreadable(f"has more than {_MOST_PAGES} pages")
        texts = [page.extract_text() for page in reader.pages]
        title = str((reader.metadata.title if reader.metadata else None) or "")
        outline = _outline(reader)
    except (PyPdfError, *_BROKEN) as error:
        raise PageUnreadable(f"is no PDF that can be read ({type(error).__name__})") from error
    if not any(text.strip() for text in texts):
        raise PageUnreadable("has no text: its pages are pictures")
    pages = [[" ".join(line.split()) for line in text.splitlines()] for text in texts]
    return Pdf(" ".join(title.split()) or name, _without_running_lines(pages), outline)


def _outline(reader: PdfReader) -> dict[int, list[Entry]]:
    """Reads the bookmarks; entries that lead nowhere are left out."""
    found = dict[int, list[Entry]]()
    waiting: list[tuple[object, int]] = [(entry, 1) for entry in reversed(reader.outline)]
    for _ in range(_MOST_ENTRIES):
        if not waiting:
            break
        entry, level = waiting.pop()
        if isinstance(entry, list):
            waiting += [(inner, level + 1) for inner in reversed(entry)]  # pyright: ignore
            continue
        number = reader.get_destination_page_number(entry)  # pyright: ignore
        title = " ".join(str(getattr(entry, "title", "") or "").split())
        if number is not None and number >= 0 and title and len(found.get(number, ())) < _MOST_ON_A_PAGE:
            found.setdefault(number, []).append(Entry(title, min(level, _DEEPEST)))
    return found


def _without_running_lines(pages: Sequence[Sequence[str]]) -> list[list[str]]:
    """Drops the first and last lines that pages share, whatever number stands in them."""
    edges = Counter(key for lines in pages for key in {_running(line) for line in _edges(lines)})
    running = {key for key, count in edges.items() if _is_running(key, count, len(pages))}
    return [_trimmed(list(lines), running) for lines in pages]


def _edges(lines: Sequence[str]) -> Sequence[str]:
    shown = [line for line in lines if line]
    return [shown[0], shown[-1]] if shown else []


def _is_running(key: str, count: int, pages: int) -> bool:
    """The name of a chapter with the number of the page is on fewer pages than that of the book."""
    has_number = key.startswith("0") or key.endswith("0")
    return count >= _FEWEST_PAGES and (2 * count > pages or has_number)


def _running(line: str) -> str:
    return _DIGITS.sub("0", line)


def _trimmed(lines: list[str], running: set[str]) -> list[str]:
    while lines and (not lines[0] or _running(lines[0]) in running):
        del lines[0]
    while lines and (not lines[-1] or _running(lines[-1]) in running):
        del lines[-1]
    return lines


# Markdown.


def markdown_of(pdf: Pdf) -> str:
    blocks, level = [_heading(1, pdf.title, 0)], 1
    for number, lines in enumerate(pdf.pages):
        for entry, part in _parts(lines, pdf.outline.get(number, ())):
            if entry:
                level = entry.level + 1
                blocks.append(_heading(level, entry.title, number))
            elif part and number > 0:
                blocks.append(_heading(min(level + 1, 6), f"Page {number + 1}", number))
            blocks += paragraphs(part)
    return "".join(f"{block}\n\n" for block in blocks)


def _heading(level: int, title: str, number: int) -> str:
    """Readers of PDF open `#page=3` at the third page."""
    return f"{'#' * level} {escaped(title)} {{#page={number + 1}}}"


def _parts(lines: Sequence[str], entries: Sequence[Entry]) -> Iterator[tuple[Entry | None, Sequence[str]]]:
    """The lines before the first heading of the page, and those below each, without the heading itself."""
    position, entry = 0, None
    for following in entries:
        begin, end = _line_of(following, lines, position)
        if entry or begin > position:
            yield entry, lines[position:begin]
        entry, position = following, end
    if entry or position < len(lines):
        yield entry, lines[position:]


def _line_of(entry: Entry, lines: Sequence[str], position: int) -> tuple[int, int]:
    """The lines that show the title, which may be two; where none does, the place before the rest."""
    title = _words(entry.title)
    for number in range(position, len(lines)):
        for end in (number + 1, number + 2):
            shown = _words(" ".join(lines[number:end]))
            if shown and (shown == title or (shown.endswith(title) and shown[: -len(title)].isdigit())):
                return number, end
    return position, position


def _words(text: str) -> str:
    return _NO_WORDS.sub("", text.lower())


def paragraphs(lines: Sequence[str]) -> list[str]:
    """Lines joined to paragraphs: a blank line, an item of a list and a short last line end one."""
    width = sorted(map(len, lines))[len(lines) * 3 // 4] if lines else 0
    found = [list[str]()]
    for line in lines:
        if not line or _ITEM.match(line) or (found[-1] and _is_last(found[-1][-1], width)):
            found.append([])
        if line:
            found[-1].append(line)
    return [_written(part) for part in found if part]


def _is_last(line: str, width: int) -> bool:
    """Whether it ends early, behind a sentence."""
    return len(line) < 0.7 * width and line.endswith((".", "!", "?", ":", "”", "。"))


def _written(lines: Sequence[str]) -> str:
    text = _HYPHEN.sub("", "\n".join(lines)).replace("\n", " ")
    bullet = _BULLET.match(text)
    return f"- {escaped(text[bullet.end() :])}" if bullet else line_start(escaped(text))
