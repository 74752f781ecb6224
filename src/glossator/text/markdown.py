"""A sentence's Markdown source, as it can be shown in an answer, and as its words alone.

What is shown keeps words, code, emphasis and formulas. Links become their text; images, tags, footnote
marks and the marks of quotes and lists are gone, and a wrapped line runs on.
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
from glossator.text.spans import Spans, code_spans, spans_between, without

_OPENING_MARKS = re.compile(
    r"\s*(?:>[ \t]?)*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?"
    r"(?:\[!\w+\]\s*(?:>[ \t]?)*)?(?:\[\^[^\]]+\]:[ \t]*)?"
)
_LINE_START = re.compile(r"\r?\n[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+)?")
_LINE_END = " \t\\"
_ADMONITION = re.compile(r"^[^\S\n]*+:{3,}.*$", re.MULTILINE)
_COMMENT_OPENS, _COMMENT_CLOSES = re.compile(r"\{/\*"), re.compile(r"\*/\}")
_ATTRIBUTES = re.compile(r"\{:?\s*[#.][^{}]*\}")

_HAS_MARKS = re.compile(r"[\[<\\&$`*_~]")
_SIMPLE = re.compile(
    r"(?:[^\[<\\&$`*_~]++|(?<=\w)_(?=\w)|(?<=\s)[*~](?=\s)"
    r"|`[^`]++`(?!`)|(?<![*\w])(\*\*?)(?![\s*])[^\[<\\&$`*_~]++(?<!\s)\1(?![*\w]))*+"
)
"""Code, emphasis in pairs, and no other marks: stays as it is."""
_MEANS_SOMETHING = re.compile(r"[\\`*\[\]<]|(?<!\w)_|_(?!\w)")
_TAGS = {"br": " ", "sup": "^"}
"""Tags whose loss would change what is said: a power would become a longer number."""
_REFERENCE = re.compile(r"\[([^\[\]]+)\](?:\[[^\[\]]*\])")
_CODE_IN_BRACKETS = re.compile(r"(?<![\w\]])\[(`[^`]+`)\](?![\[(])")


def clean(source: str) -> str:
    """Markdown with the same words in the same order, fit to stand in a paragraph of an answer."""
    text = _unwrapped(source)
    if _HAS_MARKS.search(text) and not _SIMPLE.fullmatch(text):
        text = "".join(_shown(_tokens(_without_references(text))))
        text = escaped_marks(text)
    return " ".join(text.split())


def plain(source: str) -> str:
    """The words without any markup."""
    text = _unwrapped(source)
    if _HAS_MARKS.search(text):
        text = "".join(_said(_tokens(_without_references(text))))
    return " ".join(text.split())


def escaped(words: str) -> str:
    """Markdown in which these words stand as they are."""
    return _MEANS_SOMETHING.sub(r"\\\g<0>", " ".join(words.split()))


def _unwrapped(source: str) -> str:
    """Without what stands at the beginnings of lines."""
    if ":::" in source:
        source = _ADMONITION.sub("", source)
    if "{" in source:
        source = without(source, spans_between(source, _COMMENT_OPENS, _COMMENT_CLOSES))
        source = _ATTRIBUTES.sub("", source)
    opening = _OPENING_MARKS.match(source)
    *wrapped, last = _LINE_START.split(source[opening.end() if opening else 0 :])
    return " ".join([*(line.rstrip(_LINE_END) for line in wrapped), last]).strip()


def _without_references(text: str) -> str:
    """`[words][label]` is a link whose address stands elsewhere on the page."""
    return _CODE_IN_BRACKETS.sub(r"\1", _REFERENCE.sub(r"\1", text))


def _tokens(text: str) -> Sequence[Token]:
    return _markdown().parseInline(text, {})[0].children or ()


@cache
def _markdown() -> MarkdownIt:
    """Marks that open or close nothing, and escaped characters, stay tokens of their own."""
    md = MarkdownIt("commonmark", {"maxNesting": 20}).enable("strikethrough")
    md.use(dollarmath_plugin, allow_digits=False)
    md.use(footnotes)
    md.disable(["text_join", "fragments_join"])
    return warmed(md)


_WARMING = Lock()


def warmed(md: MarkdownIt) -> MarkdownIt:
    """Every parser before its first text, one at a time, because threads share what is made then.

    It puts its rules together; and the library that reads addresses (mdurl) hands out its tables to a second
    thread while the first still fills them, which fails with IndexError.
    """
    with _WARMING:
        md.parse("A [page](/) and <https://x.example/>.")
    return md


def _shown(tokens: Sequence[Token]) -> Iterator[str]:
    lost = _lost(tokens)
    for place, token in enumerate(tokens):
        match token.type:
            case "text":
                yield "" if place in lost else token.content
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
    """What an opening tag says; most say nothing."""
    return "" if source.startswith("</") else _TAGS.get(source.strip("<>/ ").lower(), "")


def _fenced(token: Token) -> str:
    """A code span whose text begins or ends with a backtick needs a blank there."""
    pad = " " if token.content.startswith("`") or token.content.endswith("`") else ""
    return f"{token.markup}{pad}{token.content}{pad}{token.markup}"


def _said(tokens: Sequence[Token]) -> Iterator[str]:
    lost = _lost(tokens)
    for place, token in enumerate(tokens):
        match token.type:
            case "text":
                yield "" if place in lost else token.content
            case "text_special" | "code_inline" | "math_inline" | "math_inline_double":
                yield token.content
            case "softbreak" | "hardbreak":
                yield " "
            case "html_inline":
                yield _tag(token.content)
            case _:
                continue


def _lost(tokens: Sequence[Token]) -> set[int]:
    """Marks at a word's edge, which lost their partner; one between blanks or inside a word is meant."""
    lost = set[int]()
    for mark, run in groupby(range(len(tokens)), key=lambda place: tokens[place].content):
        places = list(run) if mark in ("*", "_", "~") else []
        if places:
            before, after = _character(tokens, places[0] - 1, -1), _character(tokens, places[-1] + 1, 0)
            is_meant = before.isspace() == after.isspace() and before.isalnum() == after.isalnum()
            lost.update(() if is_meant else places)
    return lost


def _character(tokens: Sequence[Token], place: int, which: int) -> str:
    """The first or the last of a token's; what stands beside the whole text is blank."""
    content = tokens[place].content if 0 <= place < len(tokens) else " "
    return content[which] if content else "x"


# Footnotes of Markdown, for every parser of ours.

_LONGEST_LABEL = 200
"""Characters. The plugin itself looks for the end of a label through all that follows, from every `[^`."""


def footnotes(md: MarkdownIt) -> None:
    """`[^label]` is a mark wherever its note stands, and notes stay where they are."""
    md.use(footnote_plugin, inline=False, move_to_end=False, always_match_refs=True)
    md.inline.ruler.at("footnote_ref", _mark)


def _mark(state: StateInline, silent: bool) -> bool:
    if not state.src.startswith("[^", state.pos):
        return False
    has_end = state.src.find("]", state.pos, state.pos + _LONGEST_LABEL) >= 0
    return has_end and footnote_ref(state, silent, always_match=True)


# Citation marks: `[n]` outside of code and formulas, where the same brackets are the book's own.
#
# `a[0]` in a piece of code is an index, and `\[1\]` in words are brackets that somebody has written.

_MARK = re.compile(r"(?<![ \t])[ \t]*+(?<!\\)\[(?P<n>\d{1,3})\]")
_FORMULA = re.compile(r"\$\$[^$]++\$\$|(?<![\\$\w])\$(?![\s$])[^$\n]++(?<!\s)\$(?!\w)")
_WRITTEN = re.compile(r"(?<!\\)\[(\d+)\]")


def marks(text: str) -> Iterator[re.Match[str]]:
    """Each with the blanks before it; its number is the group `n`."""
    verbatim = _verbatim(text)
    return (mark for mark in _MARK.finditer(text) if not verbatim.touch(Span(*mark.span())))


def without_marks(text: str) -> str:
    return without(text, (Span(*mark.span()) for mark in marks(text)))


def escaped_marks(text: str) -> str:
    """With a backslash before brackets that would be taken for a mark."""
    verbatim = _verbatim(text)

    def shown(match: re.Match[str]) -> str:
        return match[0] if verbatim.touch(Span(*match.span())) else rf"\[{match[1]}\]"

    return _WRITTEN.sub(shown, text)


def _verbatim(text: str) -> Spans:
    code = list(code_spans(text)) if "`" in text or "~" in text else []
    formulas = [Span(*match.span()) for match in _FORMULA.finditer(text)] if "$" in text else []
    return Spans([*code, *formulas])
