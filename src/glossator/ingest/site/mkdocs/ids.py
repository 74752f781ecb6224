"""Anchors as Python-Markdown's table of contents makes them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from glossator.ingest.site.config_file import Tagged
from glossator.ingest.site.foreign import mapping_of, text_of
from glossator.ingest.site.site import Heading

_COUNTED = re.compile(r"(.*)_([0-9]{1,1000})", re.DOTALL)
_LONGEST = 2000
"""Characters; to put the accents of a longer text in order takes its square, and no heading is so long."""


@dataclass(frozen=True, slots=True)
class Slug:
    """How a heading becomes an id: the default, its Unicode form, or the one of PyMdown."""

    separator: str = "-"
    is_unicode: bool = False
    is_pymdown: bool = False
    case: str = "none"

    def of(self, text: str) -> str:
        if self.is_pymdown:
            return self._pymdown(text)
        text = text[:_LONGEST]
        words = (
            text
            if self.is_unicode
            else unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
        )
        plain = re.sub(r"[^\w\s-]", "", words).strip().lower()
        return re.sub(rf"[{re.escape(self.separator)}\s]+", self.separator, plain)

    def _pymdown(self, text: str) -> str:
        plain = unicodedata.normalize("NFC", text[:_LONGEST]).strip()
        match self.case:
            case "lower":
                plain = plain.lower()
            case "lower-ascii":
                plain = re.sub("[A-Z]", lambda letter: letter[0].lower(), plain)
            case "fold":
                plain = plain.casefold()
            case _:
                pass
        return re.sub(r"[^\w\- ]", "", plain).replace(" ", self.separator)


def slug_of(options: Mapping[str, object]) -> Slug:
    """From the options of the `toc` extension; a function nobody knows here counts as the default."""
    separator = text_of(options.get("separator")) or "-"
    slugify = options.get("slugify")
    if not isinstance(slugify, Tagged):
        return Slug(separator)
    keywords = mapping_of(mapping_of(slugify.value).get("kwds"))
    return Slug(
        separator,
        is_unicode="slugify_unicode" in slugify.tag,
        is_pymdown="pymdownx.slugs" in slugify.tag,
        case=text_of(keywords.get("case")) or ("lower" if "uslugify" in slugify.tag else "none"),
    )


def anchors_of(headings: Sequence[Heading], slug: Slug, *, reads_custom_ids: bool) -> list[str]:
    custom_ids = (heading.custom_id for heading in headings if heading.custom_id)
    used = {name: name for name in custom_ids} if reads_custom_ids else dict[str, str]()
    anchors = list[str]()
    for heading in headings:
        if heading.custom_id and reads_custom_ids:
            anchors.append(heading.custom_id)
        else:
            anchors.append(_unique(slug.of(_shown(heading)), used))
    return anchors


def _shown(heading: Heading) -> str:
    """With single spaces; without the extension that reads it, a custom id is words like any other."""
    text = f"{heading.text} {{#{heading.custom_id}}}" if heading.custom_id else heading.text
    return " ".join(text.split())


def _unique(wanted: str, used: dict[str, str]) -> str:
    """`used` knows what each id was counted up to, so that the next need not be looked for from 1 on."""
    unique = used.get(wanted, wanted)
    while unique in used or not unique:
        counted = _COUNTED.fullmatch(unique)
        unique = f"{counted[1]}_{int(counted[2]) + 1}" if counted else f"{unique}_1"
    used[wanted] = used[unique] = unique
    return unique
