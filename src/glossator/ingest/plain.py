"""The words of inline Markdown and of raw HTML, without their marks and tags."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from markdown_it.token import Token

from glossator.text.spans import spans_between, without

_COMMENT_OPENS, _COMMENT_CLOSES = re.compile("<!--"), re.compile("-->")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_BLANKS = re.compile(r"[ \t]+")


def plain(tokens: Sequence[Token] | None) -> str:
    """Link texts, image descriptions and code among them."""
    return "".join(text for _, text in plain_parts(tokens))


def plain_parts(tokens: Sequence[Token] | None, line_break: str = " ") -> Iterator[tuple[str, str]]:
    """Pieces of the text, each with the type of what it comes from."""
    for token in tokens or ():
        match token.type:
            case "text" | "code_inline" | "text_special":
                yield token.type, token.content
            case "softbreak" | "hardbreak":
                yield token.type, line_break
            case "math_inline" | "math_inline_double":
                yield token.type, f"${token.content}$"
            case "image":
                yield from plain_parts(token.children, line_break)
            case _:
                continue


def plain_html(source: str) -> str:
    """What a browser would show of raw HTML, roughly: the text between its tags."""
    shown = without(source, spans_between(source, _COMMENT_OPENS, _COMMENT_CLOSES), blank=" ")
    return html.unescape(_BLANKS.sub(" ", _TAG.sub(" ", shown))).strip()
