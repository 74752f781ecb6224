"""Code as a figure, its words told apart by classes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import islice

from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_by_name
from pygments.util import ClassNotFound

_LANGUAGE = re.compile(r"\{?\s*\.?([\w+#-]+)(?=[\s,{}:]|$)")
_TITLE = re.compile(r"\btitle=(?:\"([^\"]*)\"|'([^']*)')")
_MARKED = re.compile(r"\{([\d,\s-]+)\}|\bhl_lines=[\"']([\d\s-]+)[\"']")
_DIAGRAM = "mermaid"
_MOST_MARKED = 10_000
_LONGEST_COLOURED = 10_000
"""Characters; some languages take the square of the length, and what is longer is no example to read."""


@dataclass(frozen=True, slots=True)
class Info:
    """What stands behind the marks that open a fence, as Docusaurus, MkDocs and mdBook write it."""

    language: str
    title: str
    marked: tuple[int, ...]
    """Lines that stand out."""

    @classmethod
    def of(cls, written: str) -> Info:
        language, title = _LANGUAGE.match(written), _TITLE.search(written)
        marked = _MARKED.search(written)
        return cls(
            language=language[1].lower() if language else "",
            title=(title[1] or title[2] or "") if title else "",
            marked=tuple(islice(_lines(marked[1] or marked[2]), _MOST_MARKED)) if marked else (),
        )


def code_figure(code: str, info: Info) -> str:
    caption = info.title or ("Diagram, in Mermaid" if info.language == _DIAGRAM else "")
    language = info.language if len(code) <= _LONGEST_COLOURED else ""
    words = highlight(code, _lexer(language), HtmlFormatter[str](nowrap=True, hl_lines=info.marked))
    shown = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    kind = f' class="language-{escape(info.language)}"' if info.language else ""
    return f'<figure class="code">{shown}<pre tabindex="0"><code{kind}>{words}</code></pre></figure>\n'


def _lexer(language: str) -> Lexer:
    try:
        return find_lexer_class_by_name(language)(stripnl=False)
    except ClassNotFound:
        return find_lexer_class_by_name("text")(stripnl=False)


def _lines(written: str) -> Iterator[int]:
    """`1,4-6` are four of them."""
    for first, last in re.findall(r"(\d{1,6})(?:-(\d{1,6}))?", written):
        yield from range(int(first), min(int(last or first), int(first) + _MOST_MARKED) + 1)
