"""The last step before HTML leaves us: an allow-list over all of a page, whoever wrote it.

The parser behind it also closes what is open and drops what closes nothing, so that the tags an author
spread over a page are always whole.
"""

from __future__ import annotations

from collections.abc import Callable

import nh3

Address = Callable[[str, bool], str]
"""Where a link of the page leads, and whether a picture is meant."""

_MATH = {
    *("math", "menclose", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom"),
    *("mroot", "mrow", "ms", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd"),
    *("mtext", "mtr", "munder", "munderover"),
}
_TAGS = frozenset(nh3.ALLOWED_TAGS | _MATH | {"audio", "section", "source", "video"} - {"nav"})
_MATH_ATTRIBUTES = {
    *("accent", "accentunder", "columnalign", "columnlines", "depth", "displaystyle", "fence", "form"),
    *("height", "linethickness", "lspace", "mathvariant", "maxsize", "minsize", "movablelimits", "notation"),
    *("rowlines", "rspace", "scriptlevel", "separator", "stretchy", "voffset", "width"),
}
_ATTRIBUTES = {
    **nh3.ALLOWED_ATTRIBUTES,
    **dict.fromkeys(_MATH, _MATH_ATTRIBUTES),
    "*": {"class", "dir", "id", "lang", "title"},
    "a": {"aria-label", "href", "name"},
    "audio": {"controls", "src"},
    "details": {"name", "open"},
    "div": {"align", "tabindex"},
    "img": {"alt", "height", "src", "width"},
    "math": {"display"},
    "ol": {"reversed", "start", "type"},
    "p": {"align"},
    "pre": {"tabindex"},
    "section": {"aria-label"},
    "source": {"src", "type"},
    "video": {"controls", "height", "loop", "muted", "poster", "src", "width"},
}
_WITHOUT_CONTENT = {"iframe", "noscript", "object", "script", "style", "svg", "template", "title"}
_SCHEMES = {"http", "https", "mailto", "tel"}
_LINKS = {"href", "poster", "src"}


def clean(html: str, address: Address) -> str:
    def rewritten(tag: str, attribute: str, value: str) -> str | None:
        if attribute not in _LINKS:
            return value
        return address(value, tag != "a")

    return nh3.clean(
        html,
        tags=set(_TAGS),
        clean_content_tags=_WITHOUT_CONTENT,
        attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()},
        attribute_filter=rewritten,
        url_schemes=_SCHEMES,
        link_rel="noopener",
    )
