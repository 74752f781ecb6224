"""What the documents of a Sphinx site say about each other: titles, labels and toctrees.

They are scanned line by line before any page is read whole, because a page shows the titles of others.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from glossator.ingest.sites.config_file import matches_any

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1++\s*+")
_RST_LABEL = re.compile(r"\.\. _(`?)([^`:\n]++)\1:\s*+")
_MYST_LABEL = re.compile(r"\(([^()\n]++)\)=\s*+")
_MYST_HEADING = re.compile(r"#{1,6}\s++(\S[^\n]*+)")
_TOCTREE = re.compile(r"(?P<space>\s*+)(?:\.\. toctree::|[`:]{3,}+\{toctree\})\s*+")
_CLOSES = re.compile(r"\s*+[`:]{3,}+\s*+")
_OPTION = re.compile(r"\s*+:(?P<name>[\w-]++):\s*+(?P<value>[^\n]*+)")
_ENTRY = re.compile(r"(?P<title>[^<\n]*+)<(?P<name>[^<>\n]++)>")
_TITLED = re.compile(r"(?P<title>[^<]*+)<(?P<target>[^<>]*+)>", re.DOTALL)
_ROLE = re.compile(r":[\w.+:-]++:(?=`)")
_MARKUP = re.compile(r"[`*]")


@dataclass(frozen=True, slots=True)
class Toctree:
    caption: str | None
    entries: tuple[str, ...]
    """As written, without titles."""
    has_patterns: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    title: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    """The title of the section that each label marks."""
    toctrees: tuple[Toctree, ...] = ()


@dataclass(frozen=True, slots=True)
class References:
    """The titles that a page in `folder` shows in place of references without a text."""

    documents: Mapping[str, Document] = field(default_factory=dict[str, Document])
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    folder: str = ""

    def shown(self, role: str, text: str) -> str:
        """What readers see of a role."""
        titled = _TITLED.fullmatch(text.strip())
        if titled and titled["title"].strip():
            return " ".join(titled["title"].split())
        target = titled["target"] if titled else text
        match role.split(":")[-1]:
            case "doc":
                return self.title_of(target) or posixpath.basename(target)
            case "ref" | "numref" | "any":
                return self.section_of(target) or target
            case "abbr":
                return text.split(" (")[0]
            case _:
                return target.rsplit(".", 1)[-1] if target.startswith("~") else target.removeprefix("!")

    def title_of(self, name: str) -> str | None:
        document = self.documents.get(resolved(name, self.folder))
        return document.title if document else None

    def section_of(self, label: str) -> str | None:
        return self.labels.get(" ".join(label.lower().split()))


def resolved(name: str, folder: str) -> str:
    """The name of a document, from the source folder."""
    path = name.lstrip("/") if name.startswith("/") else posixpath.join(folder, name)
    return posixpath.normpath(path)


def scan(text: str, *, is_rst: bool) -> Document:
    lines = [line.rstrip("\r") for line in text.split("\n")]
    headings = _rst_headings(lines) if is_rst else _myst_headings(lines)
    title, labels = None, dict[str, str]()
    for heading, names in headings:
        title = title or heading
        labels |= {" ".join(name.lower().split()): heading for name in names}
    return Document(title, labels, tuple(_toctrees(lines)))


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
    """Without roles and marks, as readers see it."""
    return " ".join(_MARKUP.sub("", _ROLE.sub("", title)).split())


def _toctrees(lines: Sequence[str]) -> Iterator[Toctree]:
    for number, line in enumerate(lines):
        if opening := _TOCTREE.fullmatch(line):
            yield _toctree(lines[number + 1 :], len(opening["space"]), is_fence=".." not in line)


def _toctree(lines: Sequence[str], indent: int, *, is_fence: bool) -> Toctree:
    options, entries = dict[str, str](), list[str]()
    for line in lines:
        if not line.strip():
            continue
        is_over = _CLOSES.fullmatch(line) if is_fence else len(line) - len(line.lstrip()) <= indent
        if is_over:
            break
        option = _OPTION.fullmatch(line)
        if option:
            options[option["name"]] = option["value"].strip()
        else:
            entry = _ENTRY.fullmatch(line.strip())
            entries.append(entry["name"].strip() if entry else line.strip())
    ordered = entries[::-1] if "reversed" in options else entries
    return Toctree(options.get("caption") or None, tuple(ordered), "glob" in options)


def reading_order(documents: Mapping[str, Document], root: str) -> dict[str, str]:
    """Each document that a toctree leads to, in order, with its chapter; the root comes first.

    A chapter is the caption of a toctree of the root, or the title of the root's entry.
    """
    chapters = dict[str, str]()
    listed = {name for origin, document in documents.items() for name in _names(document, origin, documents)}
    for top in (root, *sorted(set(documents) - listed - {root})):
        if top in documents and top not in chapters:
            chapters[top] = documents[top].title or top
            _follow(top, "" if top == root else chapters[top], documents, chapters)
    return chapters


def _follow(top: str, chapter: str, documents: Mapping[str, Document], chapters: dict[str, str]) -> None:
    """Depth first, without recursion: a toctree may be as deep as the book is long."""
    waiting = [(name, chapter or caption or "") for caption, name in _entries(top, documents)][::-1]
    while waiting:
        name, chapter_above = waiting.pop()
        if name in chapters:
            continue
        chapters[name] = chapter_above or documents[name].title or name
        inner = [(below, chapters[name]) for _, below in _entries(name, documents)]
        waiting += inner[::-1]


def _entries(origin: str, documents: Mapping[str, Document]) -> Iterator[tuple[str | None, str]]:
    for toctree in documents[origin].toctrees:
        part = Document(toctrees=(toctree,))
        yield from ((toctree.caption, name) for name in _names(part, origin, documents))


def _names(document: Document, origin: str, documents: Mapping[str, Document]) -> Iterator[str]:
    folder = posixpath.dirname(origin)
    for toctree in document.toctrees:
        for entry in toctree.entries:
            name = resolved(
                posixpath.splitext(entry)[0] if entry.endswith((".rst", ".md")) else entry, folder
            )
            if name in documents:
                yield name
            elif toctree.has_patterns and ("*" in entry or "?" in entry):
                yield from sorted(one for one in documents if matches_any(one, [name]) and one != origin)
