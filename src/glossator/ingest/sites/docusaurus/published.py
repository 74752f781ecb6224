"""A Docusaurus site: addresses, anchors and reading order of its docs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from glossator.errors import SettingsError
from glossator.ingest.sites.configured_site import ConfiguredSite
from glossator.ingest.sites.docusaurus.config import DocusaurusConfig
from glossator.ingest.sites.docusaurus.doc import Doc
from glossator.ingest.sites.docusaurus.docs_set import DocsSet, docs_set
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

    @property
    def kind(self) -> SiteKind:
        return SiteKind.DOCUSAURUS

    @property
    def home(self) -> str:
        return self.config.origin and self.config.origin.rstrip("/") + self.base.path

    @property
    def language(self) -> str:
        return self.config.default_locale

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
    return Docusaurus(root, base, config, route_base, docs)


def _locale_of(root: Path, config: DocusaurusConfig) -> str:
    """The language of a folder inside the translations; otherwise the default."""
    translations = (config.folder / config.translations).resolve()
    inside = root.relative_to(translations).parts if root.is_relative_to(translations) else ()
    return inside[0] if inside else config.default_locale


def _slugged_text(heading: Heading) -> str:
    directives = [Span(*match.span()) for match in _DIRECTIVE.finditer(heading.text)]
    code = Spans(heading.code)
    return remove_spans(heading.text, [span for span in directives if not code.touch(span)])
