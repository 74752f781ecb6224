"""The text of a Jupyter notebook as Markdown: Markdown and code cells, and outputs that are short text."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import cast

from glossator.errors import PageUnreadable
from glossator.ingest.discover import PageFile
from glossator.ingest.front_matter import body_start
from glossator.ingest.sites.config_file import items_of, mapping_of, text_of
from glossator.ingest.write_markdown import fenced, lines_of
from glossator.model import Origin, Span

SUFFIX = ".ipynb"
_LONGEST_OUTPUT = 2000
"""Characters; a longer output is data that no reader asks about."""
_COLOURS = re.compile(r"\x1b\[[0-9;]*+[A-Za-z]")
_CELLS = re.compile(r'"cells"\s*+:\s*+\[')
_BLANKS = re.compile(r"[\s,]*+")

Cell = Mapping[str, object]


def notebook_page(file: PageFile, resolved: Callable[[str], str] | None = None) -> PageFile:
    """Raises PageUnreadable for a file that is no notebook.

    `resolved` is what the site makes of the Markdown of a cell, where it makes something of it.
    """
    notebook = _decoded(file.text)
    cells = [mapping_of(cell) for cell in items_of(notebook.get("cells"))]
    if not cells and "cells" not in notebook:
        raise PageUnreadable("is not a notebook of format 4: open it in Jupyter and save it")
    language = _language(notebook)
    parts, origins, length = list[str](), list[Origin](), 0
    for number, (cell, place) in enumerate(zip(cells, _places(file.text, cells), strict=True)):
        text = _shown(cell, language, is_first=number == 0)
        if resolved and cell.get("cell_type") == "markdown":
            text = resolved(text).strip("\n")
        if text:
            origins.append(Origin(Span(length, length + len(text) + 2), place))
            parts.append(f"{text}\n\n")
            length += len(text) + 2
    text = "".join(parts)
    content_hash = hashlib.sha256(f"{file.content_hash}\0{text}".encode()).hexdigest()
    return replace(
        file, text=text, content_hash=content_hash if resolved else file.content_hash, origins=tuple(origins)
    )


def _decoded(text: str) -> Mapping[str, object]:
    try:
        decoded: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PageUnreadable("is not a notebook: it is no valid JSON") from error
    return mapping_of(decoded)


def _language(notebook: Mapping[str, object]) -> str:
    metadata = mapping_of(notebook.get("metadata"))
    named = mapping_of(metadata.get("language_info")).get("name")
    return text_of(named) or text_of(mapping_of(metadata.get("kernelspec")).get("language")) or "python"


def _places(text: str, cells: Sequence[Cell]) -> Sequence[Span]:
    """The span of each cell in the file."""
    for match in islice(_CELLS.finditer(text), 3):
        places = list(_same_values(text, match.end(), cells))
        if len(places) == len(cells):
            return places
    return [Span(0, len(text))] * len(cells)


def _same_values(text: str, position: int, cells: Sequence[Cell]) -> Iterator[Span]:
    """The spans of the next values of an array, as long as they are those of the cells."""
    decoder = json.JSONDecoder()
    for cell in cells:
        blanks = _BLANKS.match(text, position)
        start = blanks.end() if blanks else position
        try:
            value, position = decoder.raw_decode(text, start)
        except ValueError:
            return
        if value != cell:
            return
        yield Span(start, position)


def _shown(cell: Cell, language: str, *, is_first: bool) -> str:
    source = _text(cell.get("source"))
    removed = _removed(cell)
    match cell.get("cell_type"):
        case _ if "cell" in removed:
            return ""
        case "markdown":
            return source.strip("\n")
        case "code" if source.strip():
            code = "" if "input" in removed else fenced(lines_of(source), language)
            outputs = () if "output" in removed else items_of(cell.get("outputs"))
            return "\n\n".join(filter(None, [code, *(_output(mapping_of(output)) for output in outputs)]))
        case "raw" if is_first and body_start(f"{source}\n"):
            return source
        case _:
            return ""


def _removed(cell: Cell) -> set[str]:
    """The parts that a tag such as `remove-input` of Jupyter Book takes from the page."""
    tags = map(str, items_of(mapping_of(cell.get("metadata")).get("tags")))
    return {tag[7:] for tag in tags if tag.startswith(("remove-", "remove_"))}


def _output(output: Mapping[str, object]) -> str:
    match output.get("output_type"):
        case "stream":
            text = _text(output.get("text"))
        case "execute_result" | "display_data":
            data = mapping_of(output.get("data"))
            # A picture or a table has a plain text too, which only describes it to a program.
            text = _text(data.get("text/plain")) if set(data) == {"text/plain"} else ""
        case _:
            text = ""
    plain = _COLOURS.sub("", text).strip("\n")
    return fenced(lines_of(plain), "text") if plain.strip() and len(plain) <= _LONGEST_OUTPUT else ""


def _text(value: object) -> str:
    """Text is one string or a list of lines."""
    if isinstance(value, str):
        return value
    return "".join(line for line in cast("list[object]", items_of(value)) if isinstance(line, str))
