"""The sample book, as Docusaurus builds it."""

from __future__ import annotations

import shutil
from pathlib import Path

from get_docusaurus import SAMPLE, get_book

from glossator.ingest.sites import Site, site_of
from support.asked_site import AskedSite

SERVER_IN_CONFIG, KEY_IN_CONFIG = "https://glossator.example", "pk_of-the-test"


class DocusaurusBook:
    def read(self, url: str) -> tuple[Path, Site]:
        return SAMPLE, site_of(SAMPLE, base_url=url)

    def build(self, site: AskedSite) -> None:
        """A copy of what was built before, with what nobody knew then."""
        shutil.copytree(get_book(), site.folder)
        for page in site.folder.rglob("*.html"):
            text = page.read_text("utf-8")
            assert SERVER_IN_CONFIG in text, f"{page} has no widget"
            text = text.replace(SERVER_IN_CONFIG, site.server).replace(KEY_IN_CONFIG, site.key)
            page.write_text(text, "utf-8")
