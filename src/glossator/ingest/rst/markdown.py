"""The text of a reStructuredText page as Markdown, with the place of each of its blocks in the file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from docutils import nodes

from glossator.ingest.discover import PageFile
from glossator.ingest.includes import Resolver, repository_of
from glossator.ingest.rst.read import Files, doctree
from glossator.ingest.sites import Site
from glossator.ingest.sites.sphinx import References, Sphinx
from glossator.ingest.write_markdown import (
    escaped,
    fenced,
    inline_code,
    line_start,
    lines_of,
    prefixed,
    table,
)
from glossator.model import Origin, Span

_NEWLINE = re.compile(r"\r\n?|\n")


def rst_page(file: PageFile, root: Path, site: Site) -> PageFile:
    page = (root / file.path).resolve()
    resolver = Resolver(repository_of(page.parent, site.folder))
    references = site.references(file.path) if isinstance(site, Sphinx) else References()
    files = Files(page, site.content_roots[0], resolver.read)
    blocks = list(markdown_blocks(doctree(file.text, files, references)))
    text = "".join(f"{block.text}\n\n" for block in blocks)
    content_hash = hashlib.sha256(f"{file.content_hash}\0{text}".encode()).hexdigest()
    return replace(file, text=text, content_hash=content_hash, origins=tuple(_origins(blocks, file.text)))


def _origins(blocks: Sequence[LocatedBlock], source: str) -> Iterator[Origin]:
    """A block comes from its own line and those before the next block."""
    starts = [0, *(newline.end() for newline in _NEWLINE.finditer(source))]
    lines = list[int]()
    for block in blocks:
        line = min((block.line or 1) - 1, len(starts) - 1)
        lines.append(max(line, lines[-1] if lines else 0))
    position = 0
    for block, line, following in zip(blocks, lines, [*lines[1:], len(starts)], strict=False):
        start = starts[line]
        end = starts[following] if line < following < len(starts) else len(source)
        if following == line:
            end = starts[line + 1] if line + 1 < len(starts) else len(source)
        length = len(block.text) + 2
        words = source[start:end].rstrip()
        yield Origin(Span(position, position + length), Span(start, start + len(words)))
        position += length


@dataclass(frozen=True, slots=True)
class LocatedBlock:
    """A block of Markdown, and the line of the file where it begins."""

    text: str
    line: int | None


_ADMONITIONS = (
    nodes.admonition, nodes.attention, nodes.caution, nodes.danger, nodes.error, nodes.hint, nodes.important,
    nodes.note, nodes.tip, nodes.warning,
)  # fmt: skip
_HIDDEN = (
    nodes.comment, nodes.decoration, nodes.meta, nodes.pending, nodes.raw, nodes.substitution_definition,
    nodes.system_message, nodes.target,
)  # fmt: skip


def markdown_blocks(document: nodes.document) -> Iterator[LocatedBlock]:
    children = [child for child in document.children if not isinstance(child, _HIDDEN)]
    # A field list at the very top is about the page, such as `:orphan:`, and not shown.
    is_metadata = bool(children) and isinstance(children[0], nodes.field_list)
    yield from _placed(children[1:] if is_metadata else children, 0)


def _placed(children: Iterable[nodes.Node], level: int) -> Iterator[LocatedBlock]:
    for child in children:
        match child:
            case nodes.section():
                yield from _section(child, level + 1)
            case nodes.container() | nodes.compound() if len(child.children) > 1:
                # Tabs hold most of the code of some pages; each block of them has a place of its own.
                yield from _with_line(_placed(child.children, level), child.line)
            case _:
                text = _block(child)
                if text.strip():
                    yield LocatedBlock(text, child.line)


def _with_line(blocks: Iterator[LocatedBlock], line: int | None) -> Iterator[LocatedBlock]:
    for block in blocks:
        yield LocatedBlock(block.text, block.line or line)


def _section(section: nodes.section, level: int) -> Iterator[LocatedBlock]:
    for child in section.children:
        if isinstance(child, nodes.title):
            ids: Sequence[str] = section["ids"]
            # As Sphinx does it, an id such as `id1` gives way to that of a label.
            is_counted = len(ids) > 1 and ids[0].startswith("id")
            anchor = f" {{#{ids[1] if is_counted else ids[0]}}}" if ids else ""
            # The line of a title is that of its underline.
            yield LocatedBlock(f"{'#' * min(level, 6)} {_inline(child)}{anchor}", (child.line or 2) - 1)
        else:
            yield from _placed([child], level)


def _block(node: nodes.Node) -> str:  # noqa: C901 (one case a kind of node)
    match node:
        case nodes.paragraph() | nodes.attribution() | nodes.caption() | nodes.legend():
            return line_start(_inline(node))
        case nodes.literal_block() | nodes.doctest_block():
            return fenced(lines_of(node.astext()), _language(node))
        case nodes.math_block():
            return f"$$\n{node.astext().strip()}\n$$"
        case nodes.bullet_list() | nodes.enumerated_list():
            return _list(node)
        case nodes.definition_list() | nodes.field_list() | nodes.option_list():
            return "\n".join(map(_definition, node.children))
        case nodes.block_quote():
            return prefixed(_blocks(node), "> ", "> ")
        case nodes.line_block():
            return "\\\n".join(filter(None, (_block(line) for line in node.children)))
        case nodes.line():
            return line_start(_inline(node))
        case nodes.table():
            return _table(node)
        case nodes.image():
            return _image(node)
        case nodes.rubric() | nodes.title():
            return f"**{_inline(node)}**"
        case nodes.transition():
            return "***"
        case nodes.footnote() | nodes.citation():
            label, *body = node.children
            return f"[^{label.astext()}]: {_joined(body)}"
        case nodes.topic() if "contents" in node["classes"]:
            return ""
        case _ if isinstance(node, _ADMONITIONS):
            return _admonition(node)
        case _ if isinstance(node, _HIDDEN):
            return ""
        case nodes.Element():
            return _blocks(node) if not isinstance(node, nodes.TextElement) else line_start(_inline(node))
        case _:
            return ""


def _blocks(node: nodes.Element) -> str:
    return _joined(node.children)


def _joined(children: Iterable[nodes.Node]) -> str:
    return "\n\n".join(filter(None, map(_block, children)))


def _language(node: nodes.Element) -> str:
    language = node.get("language") or next((name for name in node["classes"] if name != "code"), "")
    return "" if language in ("none", "default") else str(language).split()[0] if language else ""


def _list(node: nodes.Element) -> str:
    start = int(node.get("start", 1))
    is_numbered = isinstance(node, nodes.enumerated_list)
    marks = (f"{start + number}. " if is_numbered else "- " for number in range(len(node.children)))
    return "\n".join(_item(mark, item) for mark, item in zip(marks, node.children, strict=True))


def _item(mark: str, item: nodes.Node) -> str:
    text = _blocks(item) if isinstance(item, nodes.Element) else ""
    return prefixed(text or " ", mark, " " * len(mark)).rstrip()


def _definition(item: nodes.Node) -> str:
    """A term, field or option with its description, as an item of a list."""
    children = item.children if isinstance(item, nodes.Element) else ()
    names = [child for child in children if not isinstance(child, _DESCRIPTIONS)]
    bodies = [child for child in children if isinstance(child, _DESCRIPTIONS)]
    shown = ", ".join(
        f"`{name.astext()}`" if isinstance(name, nodes.option_group) else f"**{_inline(name)}**"
        for name in names
        if isinstance(name, nodes.Element) and not isinstance(name, nodes.classifier)
    )
    body = _joined(bodies)
    return prefixed(f"{shown}: {body}" if body else shown, "- ", "  ")


_DESCRIPTIONS = (nodes.definition, nodes.field_body, nodes.description)


def _admonition(node: nodes.Element) -> str:
    title = next((child for child in node.children if isinstance(child, nodes.title)), None)
    body = _joined(child for child in node.children if child is not title)
    kind = "seealso" if "seealso" in node["classes"] else "note" if title is not None else node.tagname
    label = f"[{_inline(title)}]" if title is not None else ""
    return f":::{kind}{label}\n\n{body}\n\n:::"


def _image(node: nodes.Element) -> str:
    alt = str(node.get("alt") or "").strip()
    return f"![{escaped(alt)}]({str(node.get('uri', '')).replace(' ', '%20')})" if alt else ""


def _table(node: nodes.table) -> str:
    title = "".join(f"{_block(child)}\n\n" for child in node.children if isinstance(child, nodes.title))
    heads = [_row(row) for head in node.findall(nodes.thead) for row in head.children]
    rows = [_row(row) for body in node.findall(nodes.tbody) for row in body.children]
    head, *more = heads or [[]]
    return (title + table(head, [*more, *rows])).strip()


def _row(row: nodes.Node) -> list[str]:
    entries = row.children if isinstance(row, nodes.Element) else ()
    return [
        " ".join(_cell(entry)).replace("|", "\\|") for entry in entries if isinstance(entry, nodes.Element)
    ]


def _cell(entry: nodes.Element) -> Iterator[str]:
    """A cell of Markdown is one line, so code in it becomes inline code and a list a row of texts."""
    for child in entry.findall(_is_cell_text):
        if isinstance(child, nodes.literal_block):
            yield f"`{' '.join(child.astext().split())}`"
        elif isinstance(child, nodes.TextElement):
            yield _inline(child)


def _is_cell_text(node: nodes.Node) -> bool:
    return isinstance(node, (nodes.paragraph, nodes.literal_block, nodes.rubric, nodes.term))


# Inline text.


def _inline(node: nodes.Element) -> str:
    parts = [""]
    for child in node.children:
        if isinstance(child, _NOTE_MARKS):
            # In the source a blank must stand before the mark.
            parts[-1] = parts[-1].rstrip()
        parts.append(_inline_part(child))
    return " ".join("".join(parts).split())


_NOTE_MARKS = (nodes.footnote_reference, nodes.citation_reference)


def _inline_part(node: nodes.Node) -> str:  # noqa: C901 (one case a kind of node)
    match node:
        case nodes.Text():
            return escaped(node.astext())
        case nodes.literal():
            return inline_code(node.astext())
        case nodes.emphasis() | nodes.title_reference():
            return f"*{_inline(node)}*"
        case nodes.strong():
            return f"**{_inline(node)}**"
        case nodes.math():
            return f"${node.astext()}$"
        case nodes.reference() if node.get("refuri"):
            return f"[{_inline(node)}]({str(node['refuri']).replace(' ', '%20')})"
        case nodes.footnote_reference() | nodes.citation_reference():
            return f"[^{node.astext()}]"
        case nodes.image():
            return _image(node)
        case nodes.system_message() | nodes.raw() | nodes.comment() | nodes.substitution_definition():
            return ""
        case nodes.Element():
            return "".join(map(_inline_part, node.children))
        case _:
            return ""
