"""The fetched pages in a folder, as files of a built site, with what a second crawl needs to ask less."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as validated

_STATE = "pages.json"
_UNUSUAL = re.compile(r"[^\w.-]|\A[._]")
_LONGEST_NAME = 100


@validated(frozen=True)
class StoredPage:
    file: str
    """The path of the page's file below the folder of the pages."""
    url: str
    """The final address of the page, after redirects."""
    etag: str = ""
    modified: str = ""


_PAGES = TypeAdapter(dict[str, StoredPage])


@dataclass(slots=True)
class PageStore:
    """Pages are kept by the addresses that the sitemap lists."""

    folder: Path
    known: dict[str, StoredPage]
    """The pages of the last crawl."""
    current: dict[str, StoredPage] = field(default_factory=dict[str, StoredPage])
    _files: set[str] = field(default_factory=set[str])
    _urls: set[str] = field(default_factory=set[str])

    @classmethod
    def open(cls, folder: Path) -> PageStore:
        try:
            known = _PAGES.validate_json((folder / _STATE).read_bytes())
        except (OSError, ValidationError):
            known = {}
        pages = folder / "pages"
        whole = {address: page for address, page in known.items() if _is_whole(pages, page)}
        return cls(folder, whole, _files={page.file for page in whole.values()})

    @property
    def pages(self) -> Path:
        return self.folder / "pages"

    def has(self, url: str) -> bool:
        """Whether this crawl has the page already, from another address that leads to it."""
        return url in self._urls

    def keep(self, address: str) -> bool:
        """Go on with the copy of the last crawl, where there is one."""
        if address not in self.known:
            return False
        self.current[address] = self.known[address]
        self._urls.add(self.known[address].url)
        return True

    def add(self, address: str, url: str, text: str, etag: str, modified: str) -> None:
        file = self._file(address, url)
        path = self.pages / file
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{path.name}.partial")
        partial.write_text(text, encoding="utf-8", newline="")
        os.replace(partial, path)
        self.current[address] = StoredPage(file, url, etag, modified)
        self._files.add(file)
        self._urls.add(url)

    def _file(self, address: str, url: str) -> str:
        if address in self.known:
            return self.known[address].file
        file = file_name(url)
        return f"{file.removesuffix('.html')}-{_hash(address)}.html" if file in self._files else file

    def save(self, *, is_complete: bool) -> None:
        """After a complete crawl, the files of pages that are no more are removed."""
        state = self.current if is_complete else {**self.known, **self.current}
        self.folder.mkdir(parents=True, exist_ok=True)
        partial = self.folder / f"{_STATE}.partial"
        partial.write_bytes(_PAGES.dump_json(state, indent=1))
        os.replace(partial, self.folder / _STATE)
        kept = {page.file for page in state.values()}
        for file in self.pages.rglob("*") if is_complete else ():
            if file.is_file() and file.relative_to(self.pages).as_posix() not in kept:
                file.unlink()


def _is_whole(pages: Path, page: StoredPage) -> bool:
    file = (pages / page.file).resolve()
    return file.is_relative_to(pages.resolve()) and file.is_file()


def file_name(url: str) -> str:
    """The path of a page's file: `docs/nodes.html` for `/docs/nodes`, `docs/index.html` for `/docs/`."""
    parts = urlsplit(url)
    *folders, name = (unquote(part) for part in parts.path.removeprefix("/").split("/"))
    plain = name.removesuffix(".html").removesuffix(".htm") or "index"
    cleaned = [_clean(part) for part in (*folders, plain)]
    is_same = cleaned == [*folders, plain] and not parts.query and "" not in folders
    path = "/".join(filter(None, cleaned))
    return f"{path}.html" if is_same else f"{path}-{_hash(url)}.html"


def _clean(part: str) -> str:
    """A name that any disk takes, and that no page of the name `a.html` would be in the way of."""
    cleaned = _UNUSUAL.sub("-", part[:_LONGEST_NAME])
    return f"{cleaned}-" if cleaned.endswith((".html", ".htm")) or cleaned == "node_modules" else cleaned


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
