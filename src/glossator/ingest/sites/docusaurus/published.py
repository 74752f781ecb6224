"""A Docusaurus site: addresses, anchors and reading order of its docs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from glossator.errors import SettingsError
from glossator.ingest.sites.config_file import mapping_of, matches_any, read_page, read_yaml, text_of
from glossator.ingest.sites.configured_site import ConfiguredSite
from glossator.ingest.sites.docusaurus.config import DocsPlugin, DocusaurusConfig
from glossator.ingest.sites.docusaurus.docs import Categories, Doc, SidebarPosition, categories_of
from glossator.ingest.sites.docusaurus.sidebars import is_wrapped, locate
from glossator.ingest.sites.site import (
    AFTER_ALL,
    Directive,
    Heading,
    PageFacts,
    PagePlace,
    SiteKind,
    Slugger,
    base_of,
    declared_title,
    join_path,
)
from glossator.model import Span
from glossator.text.spans import Spans, remove_spans

_DIRECTIVE = re.compile(r"(?<!:):[A-Za-z][A-Za-z0-9_-]*+(?<![-_])(?!:)")
"""`:name` in running text; Docusaurus displays it but leaves it out of the anchor."""


@dataclass(frozen=True, slots=True)
class Docusaurus(ConfiguredSite[DocusaurusConfig]):
    route_base: str | None
    docs: tuple[DocsSet, ...]
    locale: str = field(repr=False)
    """The language of the pages that are read. The address says it too, so no fingerprint needs it."""

    @property
    def kind(self) -> SiteKind:
        return SiteKind.DOCUSAURUS

    @property
    def home(self) -> str:
        return self.config.origin and self.config.origin.rstrip("/") + self.base.path

    @property
    def language(self) -> str:
        return self.locale

    @property
    def content_roots(self) -> tuple[Path, ...]:
        return tuple(
            folder for docs in self.docs for folder in (docs.folder, docs.translated) if folder.is_dir()
        )

    def is_page(self, path: str) -> bool:
        return any(docs.publishes(self.root / path) for docs in self.docs)

    def place(self, page: PageFacts) -> PagePlace:
        title = declared_title(page)
        for number, docs in enumerate(self.docs):
            path = docs.path_of(self.root / page.path)
            if path is not None:
                doc = docs.doc(path, page.front_matter)
                position = docs.locate(doc)
                shown = title or doc.base_id
                order = (float(number), "", *position.order)
                return PagePlace(shown, self._url(docs, doc), (*position.labels, shown)[0], order)
        shown = title or Path(page.path).stem
        return PagePlace(shown, self.base.address_in(page.path), shown, (AFTER_ALL, page.path))

    def anchors(self, headings: Sequence[Heading]) -> list[str]:
        slugger = Slugger()
        return [self._anchor(heading, slugger) for heading in headings]

    def directives(self, text: str, folder: Path) -> Iterator[Directive]:
        return iter(())

    def _url(self, docs: DocsSet, doc: Doc) -> str:
        route = docs.plugin.route if self.route_base is None else self.route_base
        path = join_path(self.base.path, route, docs.plugin.version, doc.route)
        if self.config.trailing_slash is None or path in ("/", self.base.path):
            return self.base.address(path)
        return self.base.address(path.removesuffix("/") + ("/" if self.config.trailing_slash else ""))

    def _anchor(self, heading: Heading, slugger: Slugger) -> str:
        anchor = heading.custom_id or slugger.slug(_slugged_text(heading), keep_case=self.config.keeps_case)
        # The theme renders the title of a page without its id, so a link to it leads to the page.
        return "" if heading.level == 1 else anchor


def docusaurus(
    root: Path, config: DocusaurusConfig, *, base_url: str | None, route_base: str | None, locale: str | None
) -> Docusaurus:
    language = locale or _locale_of(root, config)
    docs = tuple(docs_set(config, plugin, language) for plugin in config.docs)
    outside = [
        part.translated for part in docs if part.translated.is_dir() and root.is_relative_to(part.folder)
    ]
    if locale and outside:
        raise SettingsError(f"The pages in {locale!r} are not in {root}: give the folder of the whole site.")
    base = base_of(base_url, config.base_path)
    if language != config.default_locale:
        base = base.within(language)
    return Docusaurus(root, base, config, route_base, docs, language)


def _locale_of(root: Path, config: DocusaurusConfig) -> str:
    """The language of a folder inside the translations; otherwise the default."""
    translations = (config.folder / config.translations).resolve()
    inside = root.relative_to(translations).parts if root.is_relative_to(translations) else ()
    return inside[0] if inside else config.default_locale


def _slugged_text(heading: Heading) -> str:
    directives = [Span(*match.span()) for match in _DIRECTIVE.finditer(heading.text)]
    code = Spans(heading.code)
    return remove_spans(heading.text, [span for span in directives if not code.touch(span)])


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
    """Reads entries such as `"sidebar.book.category.Motion": {"message": "Bewegung"}`."""
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
