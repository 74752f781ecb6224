"""The pages of one docs plugin in one language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from glossator.ingest.sites.config_file import mapping_of, matches_any, read_page, read_yaml, text_of
from glossator.ingest.sites.docusaurus.categories import Categories, SidebarPosition, categories_of
from glossator.ingest.sites.docusaurus.config import DocsPlugin, DocusaurusConfig
from glossator.ingest.sites.docusaurus.doc import Doc
from glossator.ingest.sites.docusaurus.sidebars import is_wrapped, locate
from glossator.ingest.sites.site import AFTER_ALL


@dataclass(frozen=True, slots=True)
class DocsSet:
    plugin: DocsPlugin
    folder: Path = field(repr=False)
    translated: Path = field(repr=False)
    """Pages here replace those at the same path in `folder`; it need not exist."""
    categories: Categories
    labels: Mapping[str, str]
    """Translated labels of categories."""
    is_wrapped: bool
    """Whether one outermost category contains the whole book, so that it is no chapter."""

    def path_of(self, file: Path) -> str | None:
        """The path of a page in the docs; None for a file outside of them."""
        for root in (self.folder, self.translated):
            if file.is_relative_to(root):
                return file.relative_to(root).as_posix()
        return None

    def publishes(self, file: Path) -> bool:
        path = self.path_of(file)
        if path is None or any(part.startswith(".") for part in path.split("/")):
            return False
        if not matches_any(path, self.plugin.include) or matches_any(path, self.plugin.exclude):
            return False
        return file == self._shown(path) and (self.folder / path).is_file() and not _is_draft(file)

    def doc(self, path: str, front_matter: Mapping[str, object]) -> Doc:
        return Doc.of(path, front_matter, parses_numbers=self.plugin.parses_numbers)

    def locate(self, doc: Doc) -> SidebarPosition:
        position = locate(self.plugin.sidebars, doc, self.categories)
        if not position:
            return SidebarPosition((AFTER_ALL, "", 0.0, doc.path), ())
        labels = tuple(self.labels.get(label, label) for label in position.labels)
        return SidebarPosition(position.order, labels[1:] if self.is_wrapped else labels)

    def _shown(self, path: str) -> Path:
        translated = self.translated / path
        return translated if translated.is_file() else self.folder / path


def docs_set(config: DocusaurusConfig, plugin: DocsPlugin, locale: str) -> DocsSet:
    folder = (config.folder / plugin.folder).resolve()
    suffix = "" if plugin.name == "default" else f"-{plugin.name}"
    messages = config.folder / config.translations / locale / f"docusaurus-plugin-content-docs{suffix}"
    translated = (messages / "current").resolve()
    categories = categories_of((translated, folder), parses_numbers=plugin.parses_numbers)
    labels = _labels(messages / "current.json")
    wrapped = is_wrapped(plugin.sidebars, categories)
    return DocsSet(plugin, folder, translated, categories, labels, wrapped)


def _labels(messages: Path) -> Mapping[str, str]:
    """From entries such as `"sidebar.book.category.Motion": {"message": "Bewegung"}`."""
    if not messages.is_file():
        return {}
    labels = dict[str, str]()
    for key, entry in mapping_of(read_yaml(messages)).items():
        _, is_category, label = key.partition(".category.")
        message = text_of(mapping_of(entry).get("message"))
        if is_category and message:
            labels[label] = message
    return labels


def _is_draft(file: Path) -> bool:
    front_matter, _ = read_page(file)
    return front_matter.get("draft") is True
