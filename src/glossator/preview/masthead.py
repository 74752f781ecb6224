"""What a book calls itself, and the language it is in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from glossator.ingest.check.folders import Folders
from glossator.ingest.read import book_name
from glossator.ingest.site import Site, SiteKind
from glossator.ingest.site.config_file import read_text, read_toml, read_yaml
from glossator.ingest.site.docusaurus.config import find_config as find_docusaurus
from glossator.ingest.site.docusaurus.javascript import exported_value
from glossator.ingest.site.foreign import mapping_of, text_of
from glossator.ingest.site.mdbook.config import CONFIG_NAME
from glossator.ingest.site.mkdocs import find_config as find_mkdocs
from glossator.ingest.site.title import spoken_name

_FROM_THE_RIGHT = {"ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"}


@dataclass(frozen=True, slots=True)
class Masthead:
    title: str
    language: str
    """As browsers name it: `en`, `ur`."""

    @property
    def direction(self) -> str:
        return "rtl" if self.language.split("-")[0].lower() in _FROM_THE_RIGHT else "ltr"


def masthead(path: Path, site: Site, folders: Folders) -> Masthead:
    """As the site's configuration has it; else called after its folder."""
    said = _READERS[site.kind](folders.site) if folders.site else (None, None)
    title, language = said
    return Masthead(title or spoken_name(book_name(path)), language or "en")


Said = tuple[str | None, str | None]


def _docusaurus(folder: Path) -> Said:
    path = find_docusaurus(folder)
    fields = mapping_of(exported_value(read_text(path))) if path else mapping_of(None)
    return text_of(fields.get("title")), text_of(mapping_of(fields.get("i18n")).get("defaultLocale"))


def _mdbook(folder: Path) -> Said:
    book = mapping_of(read_toml(folder / CONFIG_NAME).get("book"))
    return text_of(book.get("title")), text_of(book.get("language"))


def _mkdocs(folder: Path) -> Said:
    path = find_mkdocs(folder)
    fields = mapping_of(read_yaml(path)) if path else mapping_of(None)
    return text_of(fields.get("site_name")), text_of(mapping_of(fields.get("theme")).get("language"))


def _plain(folder: Path) -> Said:
    return None, None


_READERS: Mapping[SiteKind, Callable[[Path], Said]] = {
    SiteKind.DOCUSAURUS: _docusaurus,
    SiteKind.MDBOOK: _mdbook,
    SiteKind.MKDOCS: _mkdocs,
    SiteKind.PLAIN: _plain,
}
