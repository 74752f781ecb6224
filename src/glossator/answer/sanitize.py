"""Removes from a writer's Markdown what could lead a reader or a browser away from the book.

Images and invisible characters are always removed; links, HTML and addresses unless they are in the evidence.
A Markdown parser decides what the text would render to. The text is only ever shortened, repeatedly, until
the parser finds nothing forbidden.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token

from glossator.text.markdown import warm_up
from glossator.text.spans import code_spans

_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Control characters, joiners, direction marks, fillers, tags: invisible, so they can hide text."""
_HIDDEN_CHARACTER = re.compile(f"[{_HIDDEN}]")
_SUSPECT = re.compile(rf"[<\[&\\@{_HIDDEN}]|:\S|\w\.[A-Za-z]{{2,}}")

_TAIL = ".,;:!?'\"”’)]}>*_~|"
"""Punctuation after an address that is not part of it."""
_ADDRESS = re.compile(
    r"(?:https?|ftp):[^\s<>\"`\[\]]+|www\.[^\s<>\"`\[\]]+"
    r"|(?<!\w)(?:"
    r"[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s<>\"`\[\]]+"
    r"|(?:javascript|vbscript|livescript|mailto|tel|sms|file|blob):[^\s<>\"`\[\]]+"
    r"|data:[a-z]+/[^\s<>\"`\[\]]+"
    r"|[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}"
    r"|(?:[\w-]{1,63}\.){1,8}(?:com|org|net|info|biz|io|dev|xyz|ru|cn|tk)(?!\w)"
    r"(?:[/?#:][^\s<>\"`\[\]]*)?"
    r")",
    re.IGNORECASE,
)
_DESTINATION = (
    r"[ \t\n]*+(?:<(?P<pointed>[^<>\n]*+)>|(?P<bare>[^\s()\\]*+(?:(?:\\.|\([^\s()]*+\))[^\s()\\]*+)*+))"
)
_TITLE = r"(?:[ \t\n]++(?:\"[^\"]*+\"|'[^']*+'|\([^()]*+\)))?+[ \t\n]*+"
_LINK = re.compile(
    rf"(?<!\\)(?P<image>!?)\[(?P<text>(?:[^\[\]\\]++|\\.|\[[^\[\]]*+\])*+)\]\({_DESTINATION}{_TITLE}\)",
    re.DOTALL,
)
_TARGET = re.compile(r"(?<!\\)\]\([ \t\n]*+<?(?P<bare>[^\s()<>]++)(?P<pointed>)[^()\n]*+\)?")
"""The end of a link, even of one that began in the sentence before."""
_DEFINITION = re.compile(rf"(?m:^[ \t>]*+\[[^\[\]\n]++\]:{_DESTINATION}(?:[ \t]++[^\n]*+)?$)")
_REFERENCE = re.compile(r"!?\[(?P<text>(?!\d*+\])[^\[\]]++)\]\[[^\[\]]*+\]")
_TAG = re.compile(r"<(?:!--.*?(?:-->|\Z)|[!?/A-Za-z][^<>]*>)", re.DOTALL)
_OPEN_TAG = re.compile(r"<[!?/A-Za-z][^<>\s]{0,40}")
_SAFE_TAG = re.compile(r"</?(?:br|kbd|sub|sup|b|i|em|strong|code|mark|small|u|s)\s*/?>")
_LESS_THAN = re.compile(r"&(?:lt|LT|\#0*60|\#[xX]0*3[cC]);?(?=[!?/A-Za-z&\\])")
_UNSAFE_SCHEME = re.compile(r"\s*(?:javascript|vbscript|livescript|data|file|blob):", re.IGNORECASE)
_MARKS = str.maketrans("", "", "<>[]&\\`")
_ROUNDS = 6
"""Each round may uncover what the one before had hidden."""


def sanitize(markdown: str, allowed: Sequence[str]) -> str:
    """`allowed` are the texts of the evidence; a removed link keeps its text."""
    if not _SUSPECT.search(markdown):
        return markdown
    sources = _AllowedSources(tuple(allowed))
    text = _without_hidden(markdown)
    for cut in (_cut,) * _ROUNDS + (_cut_all_marks,) * _ROUNDS:
        if _is_clean(text, sources):
            return text
        text = _without_hidden(cut(text, sources))
    # Text that is still not clean was made to hide something.
    return text if _is_clean(text, sources) else ""


@dataclass(frozen=True, slots=True)
class _AllowedSources:
    """The texts of the evidence, and what they allow."""

    texts: tuple[str, ...]

    def has_address(self, address: str) -> bool:
        return any(address.rstrip(_TAIL) in _addresses(source) for source in self.texts)

    def may_link(self, destination: str) -> bool:
        return not _UNSAFE_SCHEME.match(destination) and self.has_address(destination)

    def has_tag(self, tag: str) -> bool:
        return bool(_SAFE_TAG.fullmatch(tag)) and self.has_words(tag)

    def has_words(self, words: str) -> bool:
        return any(words in source for source in self.texts)


@lru_cache(maxsize=64)
def _addresses(source: str) -> frozenset[str]:
    """Whole addresses: that of a page does not allow its site, nor a longer one with the same beginning."""
    environment: dict[str, Any] = {}
    tokens = list(_walk(_markdown().parse(source, environment)))
    destinations = [str(address) for token in tokens for address in _destinations(token)]
    references = [str(reference["href"]) for reference in environment.get("references", {}).values()]
    bare = [
        match[0]
        for text in (source, *(token.content for token in tokens))
        for match in _ADDRESS.finditer(text)
    ]
    return frozenset(address.rstrip(_TAIL) for address in (*destinations, *references, *bare))


@cache
def _markdown() -> MarkdownIt:
    """Keeps every destination unchanged, even dangerous ones, so that they can be checked."""
    md = MarkdownIt("commonmark", {"maxNesting": 60}).enable(["table", "strikethrough"])
    md.validateLink = lambda url: True
    md.normalizeLink = lambda url: url
    return warm_up(md)


def _walk(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _walk(token.children or ())


def _destinations(token: Token) -> Iterator[str | int | float]:
    yield from (token.attrs[name] for name in ("href", "src") if name in token.attrs)


def _is_clean(text: str, sources: _AllowedSources) -> bool:
    environment: dict[str, Any] = {}
    tokens = list(_walk(_markdown().parse(text, environment)))
    references = [str(reference["href"]) for reference in environment.get("references", {}).values()]
    destinations = [str(address) for token in tokens for address in _destinations(token)]
    return (
        all(map(sources.may_link, [*references, *destinations]))
        and all(_is_safe_token(token, sources) for token in tokens)
        and all(sources.has_address(match[0]) for match in _ADDRESS.finditer(text))
        and all(
            _may_end_link(match, sources)
            for part, is_code in _parts(text)
            if not is_code
            for match in _TARGET.finditer(part)
        )
    )


def _may_end_link(match: re.Match[str], sources: _AllowedSources) -> bool:
    return sources.may_link(_destination(match)) or sources.has_words(match[0])


def _is_safe_token(token: Token, sources: _AllowedSources) -> bool:
    match token.type:
        case "html_block" | "html_inline":
            return all(sources.has_tag(tag) for tag in _TAG.findall(token.content) or [token.content])
        case "text":
            has_tags = all(sources.has_words(tag) for tag in _OPEN_TAG.findall(token.content))
            return has_tags and _has_addresses(token.content, sources)
        case "image":
            # A browser loads images without asking.
            return False
        case "code_inline" | "code_block" | "fence":
            return _has_addresses(token.content, sources)
        case _:
            return True


def _has_addresses(text: str, sources: _AllowedSources) -> bool:
    return all(sources.has_address(match[0]) for match in _ADDRESS.finditer(text))


def _cut(text: str, sources: _AllowedSources) -> str:
    """Cuts what is recognised; if that changes nothing, cuts the marks of all links and tags."""
    cut = "".join(
        _cut_code(part, sources) if is_code else _cut_prose(part, sources) for part, is_code in _parts(text)
    )
    return cut if len(cut) < len(text) else _cut_all_marks(text, sources)


def _cut_all_marks(text: str, sources: _AllowedSources) -> str:
    bare = _ADDRESS.sub("", text.translate(_MARKS))
    return bare if len(bare) < len(text) else ""


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    """The text in order, each part with a flag for code."""
    end = 0
    for code in code_spans(text):
        yield text[end : code.start], False
        yield text[code.start : code.end], True
        end = code.end
    yield text[end:], False


def _cut_prose(part: str, sources: _AllowedSources) -> str:
    defined = _DEFINITION.sub(lambda match: match[0] if sources.may_link(_destination(match)) else "", part)
    part = part if defined == part else _REFERENCE.sub(lambda match: match["text"], defined)
    linked = _LINK.sub(lambda match: _cut_link(match, sources), part)
    if linked == part:
        linked = _TARGET.sub(lambda match: match[0] if _may_end_link(match, sources) else "]", part)
    part = linked
    part = _TAG.sub(lambda match: match[0] if sources.has_tag(match[0]) else "", part)
    part = _OPEN_TAG.sub(lambda match: match[0] if sources.has_words(match[0]) else match[0][1:], part)
    return _cut_code(_LESS_THAN.sub("", part), sources)


def _cut_link(match: re.Match[str], sources: _AllowedSources) -> str:
    if match["image"]:
        return ""
    return match[0] if sources.may_link(_destination(match)) else match["text"]


def _destination(match: re.Match[str]) -> str:
    return unescapeAll(match["pointed"] or match["bare"] or "")


def _cut_code(part: str, sources: _AllowedSources) -> str:
    return _ADDRESS.sub(lambda match: _cut_address(match[0], sources), part)


def _cut_address(address: str, sources: _AllowedSources) -> str:
    return address if sources.has_address(address) else address[len(address.rstrip(_TAIL)) :]


def _without_hidden(text: str) -> str:
    return _HIDDEN_CHARACTER.sub(_visible_or_empty, text)


def _visible_or_empty(match: re.Match[str]) -> str:
    character, text = match[0], match.string
    before = text[match.start() - 1] if match.start() else " "
    after = text[match.end()] if match.end() < len(text) else " "
    if character in "\x0b\x0c\x85\u2028\u2029":
        return " "
    if character in "\u200c\u200d" and _is_joining_letter(before) and _is_joining_letter(after):
        return character
    if character in "\u200d\ufe0f" and _ends_in_emoji(text[max(0, match.start() - 2) : match.start()]):
        return character
    if character in "\u200e\u200f\u061c" and (_is_right_to_left(before) or _is_right_to_left(after)):
        return character
    return ""


def _is_joining_letter(character: str) -> bool:
    """A letter of a script in which neighbours change each other's shape, so that joiners matter."""
    return character >= "\u0590" and unicodedata.category(character)[0] in "LM"


def _ends_in_emoji(text: str) -> bool:
    last = text.removesuffix("\ufe0f")[-1:]
    return bool(last) and (unicodedata.category(last) in ("So", "Sk") or last in "0123456789#*")


def _is_right_to_left(character: str) -> bool:
    return unicodedata.bidirectional(character) in ("R", "AL", "AN")
