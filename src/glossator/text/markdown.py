"""Clean the Markdown of a sentence for an answer, reduce it to plain text, and find citation marks.

Cleaned Markdown keeps text, code, emphasis and formulas. Links become their text; images, tags, footnote
marks and the marks of quotes and lists are removed, and wrapped lines are joined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from threading import Lock

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.footnote.index import footnote_ref

from glossator.model import Span
from glossator.text.containers import container_line
from glossator.text.spans import Spans, code_spans, remove_spans, spans_between

_OPENING_MARKS = re.compile(
    r"\s*(?:>[ \t]?)*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?"
    r"(?:\[!\w+\]\s*(?:>[ \t]?)*)?(?:\[\^[^\]]+\]:[ \t]*)?"
)
_LINE_START = re.compile(r"\r?\n[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+)?")
_LINE_END = " \t\\"
OMITTED = "…"
"""Stands where an answer leaves out items of a list or lines of code."""
_COMMENT_OPENS, _COMMENT_CLOSES = re.compile(r"\{/\*"), re.compile(r"\*/\}")
_ATTRIBUTES = re.compile(r"\{:?\s*[#.][^{}]*\}")

ICON = r":(?:fontawesome|material|octicons|simple)-[a-z0-9-]++:(?:\{[^{}\n]*+\})?[ \t]?"
"""An icon, as Material for MkDocs writes it."""
_ICON = re.compile(ICON)

_HAS_MARKS = re.compile(r"[\[<\\&$`*_~{]")
_SIMPLE = re.compile(
    r"(?:[^\[<\\&$`*_~{]++|(?<=\w)_(?=\w)|(?<=\s)[*~](?=\s)"
    r"|`[^`]++`(?!`)|(?<![*\w])(\*\*?)(?![\s*])[^\[<\\&$`*_~{]++(?<!\s)\1(?![*\w]))*+"
)
"""Text with only code and paired emphasis, which needs no cleaning."""
_SYNTAX = re.compile(r"[\\`*\[\]<]|(?<!\w)_|_(?!\w)")
_TAGS = {"br": " ", "sup": "^"}
"""Tags that need a replacement, because without one a power would become a longer number."""
_REFERENCE = re.compile(r"\[([^\[\]]+)\](?:\[[^\[\]]*\])")
_FENCE_INFO = re.compile(r"^[ \t>]*(?:`{3,}+|~{3,}+)(.*)$", re.MULTILINE)
_CODE_TITLE = re.compile(r"""\b(?:title|filename|caption)=(["'])(.+?)\1|\[([^\[\]]+)\][ \t]*$""")
"""The title of code, as Docusaurus, MkDocs, Hugo and VitePress write it."""
_CODE_IN_BRACKETS = re.compile(r"(?<![\w\]])\[(`[^`]+`)\](?![\[(])")


def clean(source: str) -> str:
    """Markdown with the same words in the same order, for a paragraph of an answer."""
    text = _unwrapped(source)
    if _HAS_MARKS.search(text) and not _SIMPLE.fullmatch(text):
        text = "".join(_shown(_tokens(_without_references(text))))
        text = escape_citation_marks(text)
    return " ".join(text.split())


def plain(source: str) -> str:
    """The text without any markup."""
    text = _unwrapped(source)
    if _HAS_MARKS.search(text):
        text = "".join(_text(_tokens(_without_references(text))))
    return " ".join(text.split())


def escape(text: str) -> str:
    """Markdown that displays exactly this text."""
    return _SYNTAX.sub(r"\\\g<0>", " ".join(text.split()))


def code_title(info: str) -> str:
    """What a page shows above code, mostly the name of its file; `info` stands behind the opening fence."""
    title = _CODE_TITLE.search(info)
    return title[2] or title[3] if title else ""


def code_titles(source: str) -> Iterator[str]:
    return filter(None, (code_title(fence[1]) for fence in _FENCE_INFO.finditer(source)))


def _unwrapped(source: str) -> str:
    """Makes one line, without the marks at the beginnings of the source lines."""
    if ":::" in source:
        lines = source.split("\n")
        source = "\n".join(line for line in lines if not container_line(line.lstrip()))
    if ":" in source:
        source = remove_spans(source, _outside_code(source, _ICON))
    if "{" in source:
        source = remove_spans(source, spans_between(source, _COMMENT_OPENS, _COMMENT_CLOSES))
        source = remove_spans(source, _outside_code(source, _ATTRIBUTES))
    opening = _OPENING_MARKS.match(source)
    *wrapped, last = _LINE_START.split(source[opening.end() if opening else 0 :])
    return " ".join([*(line.rstrip(_LINE_END) for line in wrapped), last]).strip()


def _outside_code(source: str, pattern: re.Pattern[str]) -> Iterator[Span]:
    """`{ .. }` in code is code."""
    spans = [Span(*match.span()) for match in pattern.finditer(source)]
    code = Spans(code_spans(source)) if spans else Spans([])
    return (span for span in spans if not code.touch(span))


def _without_references(text: str) -> str:
    """`[text][label]` becomes its text: the address of the link is elsewhere on the page."""
    return _CODE_IN_BRACKETS.sub(r"\1", _REFERENCE.sub(r"\1", text))


def _tokens(text: str) -> Sequence[Token]:
    return _markdown().parseInline(text, {})[0].children or ()


@cache
def _markdown() -> MarkdownIt:
    """Keeps unpaired marks and escaped characters as separate tokens."""
    md = MarkdownIt("commonmark", {"maxNesting": 20}).enable("strikethrough")
    md.use(dollarmath_plugin, allow_digits=False)
    md.use(footnotes)
    md.use(templates)
    md.disable(["text_join", "fragments_join"])
    return warm_up(md)


_WARM_UP = Lock()


def warm_up(md: MarkdownIt) -> MarkdownIt:
    """Run a new parser once, one parser at a time, before threads share it.

    The first run compiles the rules, and fills tables of mdurl, the library that reads addresses. A second
    thread that reads these tables meanwhile fails with IndexError.
    """
    with _WARM_UP:
        md.parse("A [page](/) and <https://x.example/>.")
    return md


def _shown(tokens: Sequence[Token]) -> Iterator[str]:
    unpaired = _unpaired_marks(tokens)
    for index, token in enumerate(tokens):
        match token.type:
            case "text":
                yield "" if index in unpaired else token.content
            case "template":
                yield token.content
            case "code_inline":
                yield _fenced(token)
            case "math_inline" | "math_inline_double":
                yield f"{token.markup}{token.content}{token.markup}"
            case "softbreak" | "hardbreak":
                yield " "
            case "html_inline":
                yield _tag(token.content)
            case "link_open" | "link_close" | "image" | "footnote_ref":
                continue
            case _:
                yield token.markup


def _tag(source: str) -> str:
    """The replacement of a tag; empty for most."""
    return "" if source.startswith("</") else _TAGS.get(source.strip("<>/ ").lower(), "")


def _fenced(token: Token) -> str:
    """A code span whose text begins or ends with a backtick needs a blank there."""
    pad = " " if token.content.startswith("`") or token.content.endswith("`") else ""
    return f"{token.markup}{pad}{token.content}{pad}{token.markup}"


def _text(tokens: Sequence[Token]) -> Iterator[str]:
    unpaired = _unpaired_marks(tokens)
    for index, token in enumerate(tokens):
        match token.type:
            case "text":
                yield "" if index in unpaired else token.content
            case "text_special" | "code_inline" | "math_inline" | "math_inline_double" | "template":
                yield token.content
            case "softbreak" | "hardbreak":
                yield " "
            case "html_inline":
                yield _tag(token.content)
            case _:
                continue


def _unpaired_marks(tokens: Sequence[Token]) -> set[int]:
    """Unpaired marks at the edge of a word. A mark between blanks or inside a word is meant literally."""
    unpaired = set[int]()
    for mark, run in groupby(range(len(tokens)), key=lambda index: tokens[index].content):
        indexes = list(run) if mark in ("*", "_", "~") else []
        if indexes:
            before, after = _character(tokens, indexes[0] - 1, -1), _character(tokens, indexes[-1] + 1, 0)
            is_literal = before.isspace() == after.isspace() and before.isalnum() == after.isalnum()
            unpaired.update(() if is_literal else indexes)
    return unpaired


def _character(tokens: Sequence[Token], index: int, position: int) -> str:
    """The first or the last character of a token; a blank beyond the ends of the text."""
    content = tokens[index].content if 0 <= index < len(tokens) else " "
    return content[position] if content else "x"


# Footnotes

_LONGEST_LABEL = 200
"""Characters. Without a limit, the plugin would search the whole rest of the text after every `[^`."""


def footnotes(md: MarkdownIt) -> None:
    """`[^label]` is a mark even without its note in the text, and notes stay where they are."""
    md.use(footnote_plugin, inline=False, move_to_end=False, always_match_refs=True)
    md.inline.ruler.at("footnote_ref", _mark)


def _mark(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith("[^", state.pos):
        return False
    has_end = state.src.find("]", state.pos, state.pos + _LONGEST_LABEL) >= 0
    return has_end and footnote_ref(state, silent, always_match=True)


# Tags of templates

_SHOWN = r"(?:\b(?:text|title|label|summary|caption)|\btab\s+name)=\""
TEMPLATE = (
    rf"\{{(?:\{{[<%]|%)(?:(?!{_SHOWN})[^{{}}])*+"
    rf"(?:{_SHOWN}(?P<template>[^{{}}\"]*+)\"[^{{}}]*+)?(?<=[%>])\}}\}}?"
)
"""`{{< tag >}}` and `{{% tag %}}` of Hugo, `{% tag %}` of Jekyll and GitBook. The page displays the group."""
_TEMPLATE = re.compile(TEMPLATE)


def shown_by_templates(line: str) -> str | None:
    """What the tags of a line display; None if the line has something else beside them."""
    if "{" not in line or _TEMPLATE.sub("", line).strip():
        return None
    return " ".join(filter(None, (tag["template"] for tag in _TEMPLATE.finditer(line)))).strip()


def templates(md: MarkdownIt) -> None:
    """Tags of templates are `template` tokens; their content is what the page displays."""
    md.inline.ruler.before("escape", "template", _template)


def _template(state: StateInline, silent: bool) -> bool:
    match = _TEMPLATE.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "{" else None
    if not match:
        return False
    if not silent:
        state.push("template", "", 0).content = match["template"] or ""
    state.pos = match.end()
    return True


# Citation marks: `[n]` outside of code and formulas. `a[0]` in code is an index, `\[1\]` literal brackets.

_MARK = re.compile(r"(?<![ \t])[ \t]*+(?<!\\)\[(?P<n>\d{1,3})\]")
_FORMULA = re.compile(r"\$\$[^$]++\$\$|(?<![\\$\w])\$(?![\s$])[^$\n]++(?<!\s)\$(?!\w)")
_WRITTEN = re.compile(r"(?<!\\)\[(\d+)\]")


def citation_marks(text: str) -> Iterator[re.Match[str]]:
    """Each match includes the blanks before the mark; its number is the group `n`."""
    verbatim = _verbatim(text)
    return (mark for mark in _MARK.finditer(text) if not verbatim.touch(Span(*mark.span())))


def strip_citation_marks(text: str) -> str:
    return remove_spans(text, (Span(*mark.span()) for mark in citation_marks(text)))


def escape_citation_marks(text: str) -> str:
    """Puts backslashes before brackets that would be read as a citation mark."""
    verbatim = _verbatim(text)

    def escaped_mark(match: re.Match[str]) -> str:
        return match[0] if verbatim.touch(Span(*match.span())) else rf"\[{match[1]}\]"

    return _WRITTEN.sub(escaped_mark, text)


def _verbatim(text: str) -> Spans:
    code = list(code_spans(text)) if "`" in text or "~" in text else []
    formulas = [Span(*match.span()) for match in _FORMULA.finditer(text)] if "$" in text else []
    return Spans([*code, *formulas])
