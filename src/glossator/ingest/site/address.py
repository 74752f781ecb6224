"""Where a page stands on the web, from the base of its site and its path in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from glossator.errors import SettingsError

_AS_IN_AN_ADDRESS_BAR = "/%!$&'()*+,;=:@~"


@dataclass(frozen=True, slots=True)
class Base:
    """What every address of a site begins with."""

    origin: str
    """`https://x.example`, or empty for addresses on the same host."""
    path: str
    """`/` or `/book/`; empty for addresses relative to the folder."""

    @classmethod
    def of(cls, base_url: str) -> Base:
        parts = urlsplit(base_url)
        is_whole = parts.scheme in ("http", "https") and parts.netloc
        is_path = base_url.startswith("/") and not parts.netloc
        if not (is_whole or is_path) or parts.query or parts.fragment:
            raise SettingsError(
                f"{base_url!r} is no base url: it looks like https://x.example/book/ or /book/."
            )
        origin = f"{parts.scheme}://{parts.netloc}" if is_whole else ""
        return cls(origin, joined("/", parts.path, "/"))

    def within(self, *parts: str) -> Base:
        return Base(self.origin, joined(self.path, *parts, "/"))

    def address(self, path: str) -> str:
        """Of a path that already begins with the base's own."""
        return self.origin + quote(path, safe=_AS_IN_AN_ADDRESS_BAR)

    def address_in(self, path: str) -> str:
        """Of a path inside the base."""
        return self.address(self.path + path)


def base_of(base_url: str | None, of_site: str, route_base: str | None = None) -> Base:
    """The base an operator asked for, or the one of the site, which need not begin with a slash."""
    base = Base.of(base_url or (of_site if "://" in of_site else joined("/", of_site)))
    return base.within(route_base) if route_base else base


def joined(*parts: str) -> str:
    """The parts with one slash between them."""
    return re.sub(r"/{2,}", "/", "/".join(parts))
