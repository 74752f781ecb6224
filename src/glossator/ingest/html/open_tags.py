"""Count the tags of a page that are open at once, before it is parsed.

For some tags every parser of HTML looks at all that are open, so that a page of nothing but tags that are
never closed takes the square of its length: 40 kB took a second.
"""

from __future__ import annotations

import re
from collections import Counter

from glossator.text.spans import remove_spans, spans_between

MOST_OPEN = 200
"""Pages have about 30."""
_TAG = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][^\s/>]*+)(?P<rest>[^<>]*+)")
_RAW = tuple(
    (re.compile(opens, re.IGNORECASE), re.compile(closes, re.IGNORECASE))
    for opens, closes in (("<!--", "-->"), ("<script", "</script"), ("<style", "</style"))
)
"""What has no tags in it, whatever it looks like."""
_NEVER_OPEN = {
    "area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html", "img",
    "input", "li", "link", "meta", "optgroup", "option", "p", "param", "rp", "rt", "source", "tbody", "td",
    "tfoot", "th", "thead", "tr", "track", "wbr",
}  # fmt: skip
"""Elements without an end tag, or that close each other."""
_SLASH = re.compile(r"(?:\A|[\s\"'])/\Z")
"""At the end of a tag; behind a value without quotes it is a part of that."""
_FOREIGN = ("svg", "math")
_HTML_IN_FOREIGN = ("foreignobject", "desc", "title", "annotation-xml")


def most_open_tags(text: str) -> int:
    """An estimate, in time that is in proportion to the text."""
    shown = text
    for opens, closes in _RAW:
        shown = remove_spans(shown, spans_between(shown, opens, closes), blank=" ")
    tags, count, most = Counter[str](), 0, 0
    for tag in _TAG.finditer(shown):
        name = tag["name"].lower()
        if name in _NEVER_OPEN or (tag["close"] and not tags[name]) or _closes_itself(tag, tags):
            continue
        step = -1 if tag["close"] else 1
        tags[name] += step
        count += step
        most = max(most, count)
    return most


def _closes_itself(tag: re.Match[str], tags: Counter[str]) -> bool:
    """`<path/>` does so in a drawing, and nowhere else."""
    if not _SLASH.search(tag["rest"]):
        return False
    return any(tags[name] for name in _FOREIGN) and not any(tags[name] for name in _HTML_IN_FOREIGN)
