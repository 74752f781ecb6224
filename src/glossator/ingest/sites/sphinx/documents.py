"""What the documents of a Sphinx site say about each other: titles, labels and toctrees.

They are scanned line by line before any page is read whole, because a page shows the titles of others.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from glossator.ingest.front_matter import body_start, front_matter
from glossator.ingest.sites.config_file import items_of, mapping_of, matches_any, text_of
from glossator.ingest.sites.configured_site import top_folder

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1++\s*+")
_RST_LABEL = re.compile(r"\.\. _(`?)([^`:\n]++)\1:\s*+")
_MYST_LABEL = re.compile(r"\(([^()\n]++)\)=\s*+")
_MYST_HEADING = re.compile(r"#{1,6}\s++(\S[^\n]*+)")
_TOCTREE = re.compile(r"(?P<space>\s*+)(?:\.\. toctree::|[`:]{3,}+\{toctree\})\s*+")
_CLOSES = re.compile(r"\s*+[`:]{3,}+\s*+")
_OPTION = re.compile(r"\s*+:(?P<name>[\w-]++):\s*+(?P<value>[^\n]*+)")
_ENTRY = re.compile(r"(?P<title>[^<\n]*+)<(?P<name>[^<>\n]++)>")
_TITLED = re.compile(r"(?P<title>[^<]*+)<(?P<target>[^<>]*+)>", re.DOTALL)
_ROLE = re.compile(r"(?::[\w.+:-]++:|\{[\w.+:-]++\})(?=`)")
_MARKUP = re.compile(r"[`*]")


@dataclass(frozen=True, slots=True)
class Toctree:
    caption: str | None
    entries: tuple[str, ...]
    """The entries as they are written, without titles."""
    has_patterns: bool = False


@dataclass(frozen=True, slots=True)
class SphinxDocument:
    title: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    """The title of the section that each label marks."""
    toctrees: tuple[Toctree, ...] = ()


@dataclass(frozen=True, slots=True)
class TocFile:
    """A table of contents in a file of its own, which stands in place of the toctrees of the documents."""

    root: str
    """The document that the reading order begins with."""
    toctrees: Mapping[str, tuple[Toctree, ...]]
    """The tables of contents of the documents that have some; their entries begin with a slash."""

    def applied(
        self, documents: Mapping[str, SphinxDocument], *, only_listed: bool
    ) -> dict[str, SphinxDocument]:
        """The documents with these toctrees, and with `only_listed` no others than they name."""
        placed = {
            name: replace(document, toctrees=self.toctrees.get(name, ()))
            for name, document in documents.items()
        }
        listed = {*listed_in(placed), self.root} if only_listed else placed.keys()
        return {name: document for name, document in placed.items() if name in listed}


@dataclass(frozen=True, slots=True)
class References:
    """The titles that a page in `folder` shows in place of references without a text."""

    documents: Mapping[str, SphinxDocument] = field(default_factory=dict[str, SphinxDocument])
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    folder: str = ""

    def shown(self, role: str, text: str) -> str:
        """The text that readers see of a role."""
        titled = _TITLED.fullmatch(text.strip())
        if titled and titled["title"].strip():
            return " ".join(titled["title"].split())
        target = titled["target"] if titled else text
        match role.split(":")[-1]:
            case "doc":
                return self.title_of(document_of(target)) or posixpath.basename(target)
            case "ref" | "numref" | "any":
                return self.section_of(target) or target
            case "abbr":
                return text.split(" (")[0]
            case _:
                return target.rsplit(".", 1)[-1] if target.startswith("~") else target.removeprefix("!")

    def titled(self, target: str) -> str | None:
        """The title that a link without a text shows: `#label`, `label`, `page.md` or `page.md#label`."""
        path, _, label = target.partition("#")
        section = self.section_of(label or path)
        return section or (self.title_of(document_of(path)) if path else None)

    def title_of(self, name: str) -> str | None:
        document = self.documents.get(resolved(name, self.folder))
        return document.title if document else None

    def section_of(self, label: str) -> str | None:
        return self.labels.get(_normalized(label))


def resolved(name: str, folder: str) -> str:
    """The name of a document, from the source folder."""
    path = name.lstrip("/") if name.startswith("/") else posixpath.join(folder, name)
    return posixpath.normpath(path)


def document_of(entry: str) -> str:
    """The document that an entry of a toctree names, with or without a suffix."""
    return posixpath.splitext(entry)[0] if entry.endswith((".rst", ".md", ".ipynb")) else entry


def scan(text: str, suffix: str) -> SphinxDocument:
    if suffix == ".ipynb":
        text = _markdown_of_notebook(text)
    is_markdown = suffix in (".md", ".ipynb")
    head = body_start(text) if is_markdown and text.startswith("---") else 0
    fields = front_matter(text[:head])
    lines = [line.rstrip("\r") for line in text[head:].split("\n")]
    title, labels = text_of(fields.get("title")), dict[str, str]()
    for heading, names in _myst_headings(lines) if is_markdown else _rst_headings(lines):
        title = title or heading
        labels |= {_normalized(name): heading for name in names}
    if title and (label := text_of(fields.get("label"))):
        labels[_normalized(label)] = title
    return SphinxDocument(title, labels, tuple(_toctrees(lines)))


def _normalized(label: str) -> str:
    return " ".join(label.lower().split())


def _markdown_of_notebook(text: str) -> str:
    """Empty for a file that is no notebook; `notebook_page` reports it."""
    try:
        notebook = mapping_of(json.loads(text))
    except (ValueError, RecursionError):
        return ""
    cells = (mapping_of(cell) for cell in items_of(notebook.get("cells")))
    sources = (cell.get("source") for cell in cells if cell.get("cell_type") == "markdown")
    return "\n\n".join("".join(map(str, items_of(source) or [source])) for source in sources)


def _rst_headings(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Titles with the labels before them."""
    names = list[str]()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        label = _RST_LABEL.fullmatch(line)
        if label:
            names.append(label[2])
        elif not line.strip() or _ADORNMENT.fullmatch(line):
            continue
        elif _ADORNMENT.fullmatch(following) and len(following.rstrip()) >= min(len(line.strip()), 4):
            yield _plain(line), names
            names = []
        else:
            names = []


def _myst_headings(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    names, fence = list[str](), ""
    for line in lines:
        mark = line.lstrip()[:3]
        if mark in ("```", "~~~") and mark == (fence or mark):
            fence = "" if fence else mark
        elif fence or not line.strip():
            continue
        elif label := _MYST_LABEL.fullmatch(line):
            names.append(label[1])
        else:
            if heading := _MYST_HEADING.fullmatch(line):
                yield _plain(heading[1]), names
            names = []


def _plain(title: str) -> str:
    """The text without roles and marks, as readers see it."""
    return " ".join(_MARKUP.sub("", _ROLE.sub("", title)).split())


def _toctrees(lines: Sequence[str]) -> Iterator[Toctree]:
    first = 0
    while first < len(lines):
        opening = _TOCTREE.fullmatch(lines[first])
        first += 1
        if opening:
            is_fence, indent = ".." not in lines[first - 1], len(opening["space"])
            after = first
            while after < len(lines) and not _is_after(lines[after], indent, is_fence=is_fence):
                after += 1
            yield _toctree(lines[first:after])
            first = after


def _is_after(line: str, indent: int, *, is_fence: bool) -> bool:
    if is_fence:
        return _CLOSES.fullmatch(line) is not None
    return bool(line.strip()) and len(line) - len(line.lstrip()) <= indent


def _toctree(lines: Sequence[str]) -> Toctree:
    options, entries = dict[str, str](), list[str]()
    for line in filter(str.strip, lines):
        option = _OPTION.fullmatch(line)
        if option:
            options[option["name"]] = option["value"].strip()
        else:
            entry = _ENTRY.fullmatch(line.strip())
            entries.append(entry["name"].strip() if entry else line.strip())
    ordered = entries[::-1] if "reversed" in options else entries
    return Toctree(options.get("caption") or None, tuple(ordered), "glob" in options)


def reading_order(documents: Mapping[str, SphinxDocument], root: str) -> dict[str, str]:
    """Each document that a toctree leads to, in order, with its chapter; the root comes first.

    A chapter is the caption of a toctree of the root, or the title of the root's entry; for a document in no
    toctree, its folder.
    """
    chapters = dict[str, str]()
    for top in (root, *sorted(set(documents) - listed_in(documents) - {root})):
        if top in documents and top not in chapters:
            folder = "" if documents[top].toctrees else top_folder(top)
            chapters[top] = folder or documents[top].title or top
            _follow(top, "" if top == root else chapters[top], documents, chapters)
    return chapters


def listed_in(documents: Mapping[str, SphinxDocument]) -> set[str]:
    """The documents that a toctree leads to."""
    return {name for origin, document in documents.items() for name in _names(document, origin, documents)}


def _follow(
    top: str, chapter: str, documents: Mapping[str, SphinxDocument], chapters: dict[str, str]
) -> None:
    """Depth first, without recursion: a toctree may be as deep as the book is long."""
    waiting = [(name, chapter or caption or "") for caption, name in _entries(top, documents)][::-1]
    while waiting:
        name, chapter_above = waiting.pop()
        if name in chapters:
            continue
        chapters[name] = chapter_above or documents[name].title or name
        inner = [(below, chapters[name]) for _, below in _entries(name, documents)]
        waiting += inner[::-1]


def _entries(origin: str, documents: Mapping[str, SphinxDocument]) -> Iterator[tuple[str | None, str]]:
    for toctree in documents[origin].toctrees:
        part = SphinxDocument(toctrees=(toctree,))
        yield from ((toctree.caption, name) for name in _names(part, origin, documents))


def _names(document: SphinxDocument, origin: str, documents: Mapping[str, SphinxDocument]) -> Iterator[str]:
    folder = posixpath.dirname(origin)
    for toctree in document.toctrees:
        for entry in toctree.entries:
            name = resolved(document_of(entry), folder)
            if name in documents:
                yield name
            elif toctree.has_patterns and ("*" in entry or "?" in entry):
                yield from sorted(one for one in documents if matches_any(one, [name]) and one != origin)
