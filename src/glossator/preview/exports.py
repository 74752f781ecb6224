"""The plain values and components that a page of MDX defines for itself, put in where it uses them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from glossator.ingest.check.pages import BookPage
from glossator.ingest.check.tags import is_statement

_END = r"[ \t]*+;?[ \t]*+$"
_VALUE = re.compile(
    r"^export\s+const\s+([A-Za-z_$][\w$]*)\s*=\s*(?:(-?\d[\d.]*)|'([^'\n\\]*)'|\"([^\"\n\\]*)\")"
    rf"{_END}",
    re.MULTILINE,
)
_COMPONENT = re.compile(rf"^export\s+const\s+([A-Z]\w*)\s*=\s*\(\)\s*=>\s*(<.*>){_END}", re.MULTILINE)
_USED = re.compile(r"\{\s*([A-Za-z_$][\w$]*)\s*\}")


@dataclass(frozen=True, slots=True)
class Exports:
    values: Mapping[str, str]
    """Numbers and texts."""
    components: Mapping[str, str]
    """Tags on one line, by the name of the component in small letters; what they hold is still JSX."""

    @classmethod
    def of(cls, page: BookPage) -> Exports:
        sources = [page.source_of(token) for token in page.tokens if is_statement(page, token)]
        statements = "\n".join(sources)
        values = {name: "".join(value) for name, *value in _VALUE.findall(statements)}
        filled = cls(values, {})
        components = {
            name.lower(): filled.fill(tags, escaped=True) for name, tags in _COMPONENT.findall(statements)
        }
        return cls(values, components)

    def fill(self, text: str, *, escaped: bool = False) -> str:
        """The text with the values in the place of their names; what is not known here stays as it is."""

        def value(used: re.Match[str]) -> str:
            known = self.values.get(used[1])
            return used[0] if known is None else escape(known) if escaped else known

        return _USED.sub(value, text) if self.values else text
