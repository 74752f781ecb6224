"""Prints an answer's Markdown on a terminal while it arrives: prose wrapped, lists, tables and code drawn.

An answer comes in whole pieces: a sentence, a table or a block of code. A piece that goes on where the last
one ended begins without a line break.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING

import click
from markdown_it import MarkdownIt
from markdown_it.token import Token

from glossator.cli.show import terminal_width
from glossator.text.markdown import warm_up

if TYPE_CHECKING:
    from rich.console import RenderableType

_MARGIN = "  "
"""The indentation of code and tables."""
_PROSE, _TABLE = 0, -1
"""Kinds of lines; those of code have the number of their block."""
_FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<language>[\w+#.-]*)")
_TABLE_ROW = re.compile(r"[ \t]*\|")
_TABLE_RULE = re.compile(r"[ \t]*\|[ \t:|]*-[ \t:|-]*")
_LEAST_COLUMN = 4
"""Characters; a table with more columns than fit is left as it is."""
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_HEADING = re.compile(r"#{1,6}[ \t]+(?P<title>\S.*)")
_LIST_ITEM = re.compile(r"(?P<indent>[ \t]*)(?P<marker>[-*+]|\d{1,9}[.)])[ \t]+")
_MARKS_AT_END = re.compile(r"(?P<gap>\s*)(?P<marks>\[\d{1,3}\](?: ?\[\d{1,3}\])*)$")
_MAX_MARKS = 80
"""Characters at the end of a sentence that may be its citation marks; so the search is over soon."""
_WORD_OR_BLANKS = re.compile(r"\S+|\s+")


def markdown(text: str) -> str:
    """A whole text, drawn when stdout is a terminal."""
    written = list[str]()
    printer = printer_for_stdout(written.append)
    printer.write(text)
    printer.finish()
    return "".join(written).rstrip("\n")


def printer_for_stdout(write: Callable[[str], None]) -> MarkdownPrinter | PlainPrinter:
    """Draws the Markdown on a terminal; a program gets it as it is."""
    return MarkdownPrinter(write) if sys.stdout.isatty() else PlainPrinter(write)


class MarkdownPrinter:
    """Prints the pieces of an answer; `finish` prints what was held back.

    The citation mark of a sentence is held back until the next piece is known, because sentences and list
    items in a row that cite the same places share the mark after the last of them.
    """

    def __init__(self, write: Callable[[str], None], width: int | None = None) -> None:
        self._write = write
        self._width = width or terminal_width()
        self._column = 0
        self._indent = ""
        self._held_marks = ""

    def write(self, piece: str) -> None:
        for is_block, text in _parts(piece):
            if is_block:
                self._print_block(text.split("\n"))
            elif text.isspace():
                self._print_marks()
                self._put(text)
            else:
                self._print_sentence(text)

    def finish(self) -> None:
        self._print_marks()
        self._put("\n")

    def _print_sentence(self, text: str) -> None:
        text, tail = text.rstrip(), text[len(text.rstrip()) :]
        end = _MARKS_AT_END.search(text, max(0, len(text) - _MAX_MARKS))
        sentence, marks = (text[: end.start()], end["marks"]) if end else (text, "")
        if not sentence:
            self._put(f"\n{_MARGIN}{click.style(marks, dim=True)}{tail}")
            return
        if marks != self._held_marks or not _goes_on(sentence):
            self._print_marks()
        self._print_prose(sentence)
        self._held_marks = marks
        if tail:
            self._print_marks()
            self._put(tail)

    def _print_marks(self) -> None:
        marks, self._held_marks = self._held_marks, ""
        if marks:
            self._put(self._gap_before(marks) + click.style(marks, dim=True))

    def _print_prose(self, text: str) -> None:
        for number, line in enumerate(text.split("\n")):
            if number:
                self._put("\n")
            self._print_line(line, begins=number > 0 or self._column == 0)

    def _print_line(self, line: str, *, begins: bool) -> None:
        if begins:
            self._indent = ""
            if item := _LIST_ITEM.match(line):
                marker = "•" if item["marker"] in "-*+" else item["marker"]
                self._indent = item["indent"] + " " * (len(marker) + 1)
                self._put(f"{item['indent']}{marker} ")
                line = line[item.end() :]
            elif heading := _HEADING.match(line):
                line = f"**{heading['title'].strip('*# ')}**"
        for word_or_blanks, following in pairwise([*_WORD_OR_BLANKS.findall(_styled(line)), ""]):
            self._put(self._gap_before(following) if word_or_blanks.isspace() else word_or_blanks)

    def _gap_before(self, word: str) -> str:
        """A blank, or a line break where the next word does not fit."""
        if self._column == 0:
            return ""
        fits = self._column + 1 + _visible_length(word) <= self._width
        return " " if fits else f"\n{self._indent}"

    def _print_block(self, lines: Sequence[str]) -> None:
        self._print_marks()
        opening = _FENCE.match(lines[0])
        margin = _MARGIN + (opening["indent"] if opening else "")
        drawn = _code(lines) if opening else _table(lines, self._width - len(margin))
        self._put("\n".join(f"{margin}{line}".rstrip() for line in drawn))

    def _put(self, text: str) -> None:
        self._write(text)
        line = text.rpartition("\n")[2]
        self._column = _visible_length(line) + (0 if "\n" in text else self._column)


class PlainPrinter:
    """Prints the Markdown as it is, for a program or a file."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self.write = write

    def finish(self) -> None:
        self.write("\n")


def _parts(piece: str) -> Iterator[tuple[bool, str]]:
    """Splits a piece into prose, whole tables and whole blocks of code.

    Prose has the line breaks between itself and a block.
    """
    groups = [
        (kind, "\n".join(line for _, line in group)) for kind, group in groupby(_kinds(piece), itemgetter(0))
    ]
    for number, (kind, text) in enumerate(groups):
        if kind != _PROSE:
            yield True, text
            continue
        before = "\n" if number else ""
        after = "\n" if number < len(groups) - 1 else ""
        yield False, f"{before}{text}{after}"


def _kinds(piece: str) -> Iterator[tuple[int, str]]:
    """The lines, each with the number of its block of code, or whether it is of a table or of prose."""
    fence, blocks = "", 0
    for line in piece.split("\n"):
        if fence:
            yield blocks, line
            fence = "" if line.strip() == fence else fence
        elif opening := _FENCE.match(line):
            fence, blocks = opening["fence"], blocks + 1
            yield blocks, line
        else:
            yield (_TABLE if _TABLE_ROW.match(line) else _PROSE), line


def _goes_on(sentence: str) -> bool:
    """Whether a sentence belongs to the same paragraph or list as the one before it."""
    return not sentence.startswith("\n\n") or bool(_LIST_ITEM.match(sentence.lstrip("\n")))


def _code(lines: Sequence[str]) -> list[str]:
    from rich.syntax import Syntax

    opening = _FENCE.match(lines[0])
    assert opening, "a block of code begins with its fence"
    closes = len(lines) > 1 and lines[-1].strip() == opening["fence"]
    body = textwrap.dedent("\n".join(lines[1:-1] if closes else lines[1:]))
    syntax = Syntax(body, opening["language"] or "text", theme="ansi_dark", background_color="default")
    # Long lines stay whole, so that they can be copied.
    return _drawn(syntax.highlight(body), width=10_000)


def _table(lines: Sequence[str], width: int) -> list[str]:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    rows = [_cells(line) for line in lines]
    if len(rows) < 2 or not _TABLE_RULE.fullmatch(lines[1]) or len(rows[0]) > width // _LEAST_COLUMN:
        return list(lines)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for title in rows[0]:
        table.add_column(Text.from_ansi(_styled(title)), overflow="fold")
    for row in rows[2:]:
        table.add_row(*(Text.from_ansi(_styled(cell)) for cell in row[: len(rows[0])]))
    return _drawn(table, width)


def _cells(line: str) -> list[str]:
    cells = _CELL_BORDER.split(line.strip().removeprefix("|").removesuffix("|"))
    return [cell.strip().replace("\\|", "|") for cell in cells]


def _drawn(renderable: RenderableType, width: int) -> list[str]:
    # Importing rich takes longer than a short answer needs to be printed.
    from rich.console import Console

    console = Console(width=width, force_terminal=True, highlight=False)
    with console.capture() as capture:
        console.print(renderable)
    return [line.rstrip() for line in capture.get().rstrip("\n").split("\n")]


def _styled(text: str) -> str:
    """Replaces the marks of links, emphasis and code by terminal styles."""
    return "".join(_styled_runs(_inline().parseInline(text, {})[0].children or ()))


def _styled_runs(tokens: Sequence[Token]) -> Iterator[str]:
    style, address = _PLAIN, ""
    for token in tokens:
        match token.type:
            case "code_inline":
                yield click.style(token.content, fg="cyan")
            case "strong_open" | "strong_close":
                style = replace(style, bold=token.nesting == 1 or None)
            case "em_open" | "em_close":
                style = replace(style, italic=token.nesting == 1 or None)
            case "link_open":
                style, address = replace(style, underline=True), str(token.attrs["href"])
            case "link_close":
                style = replace(style, underline=None)
                # Pages of the book are listed below the answer; a terminal cannot follow their paths.
                yield f" ({address})" if "://" in address else ""
            case "softbreak" | "hardbreak":
                yield "\n"
            case _:
                is_styled = token.content.strip() and style != _PLAIN
                yield click.style(token.content, **asdict(style)) if is_styled else token.content


@dataclass(frozen=True, slots=True)
class _Style:
    """A style of text, as `click.style` takes it; None leaves it as it is."""

    bold: bool | None = None
    italic: bool | None = None
    underline: bool | None = None


_PLAIN = _Style()


@cache
def _inline() -> MarkdownIt:
    """HTML is text here, and so is the address of an image."""
    return warm_up(MarkdownIt("commonmark", {"html": False, "maxNesting": 20}).disable("image"))


def _visible_length(text: str) -> int:
    return len(click.unstyle(text))
