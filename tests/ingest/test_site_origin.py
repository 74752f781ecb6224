"""Where a site is published: kept once for the book, while addresses of pages stay as the site makes them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from glossator.adapters.index.generations import StoredManifest, read_manifest
from glossator.ingest.cache import key_of
from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import site_of
from glossator.ingest.sites.site import origin_of
from glossator.model import IngestReport, Manifest
from glossator.testing import MemoryCache, MemoryIndexStore, SilentProgress, WordEmbedder

DOCUSAURUS = "module.exports = {url: 'https://x.example', baseUrl: '/b/'}"
STARLIGHT = "export default {site: 'https://x.example', base: '/b', integrations: [starlight({title: 'T'})]}"


class Author:
    """Somebody with one page, the configuration of its site, and an empty index."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = MemoryIndexStore()
        self.cache = MemoryCache()

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def ingest(self, base_url: str | None = None) -> IngestReport:
        tools = IngestTools(WordEmbedder(), self.store, self.cache, SilentProgress(), "english")
        return ingest(self.folder, site_of(self.folder, base_url=base_url), tools)

    def manifest(self) -> Manifest:
        manifest = self.store.current()
        assert manifest
        return manifest

    def forget_origin(self) -> None:
        """Leaves the index as it was made before origins were a part of it."""
        manifest = self.manifest()
        keys = sorted(page.split_key for page in manifest.pages)
        content_hash = key_of("book", self.folder.name, "english", *keys)
        assert self.store.serving
        self.store.serving.manifest = replace(manifest, site_origin="", content_hash=content_hash)


@pytest.fixture
def author(tmp_path: Path) -> Author:
    return Author(tmp_path)


@pytest.mark.parametrize(
    ("config", "text", "page", "address"),
    [
        ("docusaurus.config.js", DOCUSAURUS, "docs/nodes.md", "/b/docs/nodes"),
        ("mkdocs.yml", "site_name: T\nsite_url: https://x.example/b/\n", "docs/nodes.md", "/b/nodes/"),
        ("hugo.toml", 'baseURL = "https://x.example/b/"', "content/nodes.md", "/b/nodes/"),
        ("_config.yml", "url: https://x.example\nbaseurl: /b\n", "nodes.md", "/b/nodes.html"),
        ("astro.config.mjs", STARLIGHT, "src/content/docs/nodes.md", "/b/nodes/"),
        (
            "conf.py",
            "project = 'T'\nhtml_baseurl = 'https://x.example/b/'\nextensions = ['myst_parser']\n",
            "nodes.md",
            "/b/nodes.html",
        ),
    ],
)
def test_the_book_knows_the_origin_and_its_pages_keep_their_relative_addresses(
    author: Author, config: str, text: str, page: str, address: str
) -> None:
    author.write(config, text)
    author.write(page, "# Nodes\n\nA node computes.\n")
    author.ingest()
    assert author.manifest().site_origin == "https://x.example"
    assert [record.url for record in author.manifest().pages] == [address]


@pytest.mark.parametrize(
    ("config", "text", "page"),
    [
        ("docusaurus.config.js", "module.exports = {baseUrl: '/b/'}", "docs/nodes.md"),
        ("book.toml", '[output.html]\nsite-url = "/b/"\n', "src/nodes.md"),
        ("hugo.toml", 'baseURL = "/b/"', "content/nodes.md"),
        (".gitbook.yaml", "root: ./\n", "nodes.md"),
        ("README.md", "# A folder\n", "nodes.md"),
    ],
)
def test_a_site_that_names_no_host_has_no_origin(author: Author, config: str, text: str, page: str) -> None:
    author.write(config, text)
    author.write(page, "# Nodes\n\nA node computes.\n")
    author.ingest()
    assert author.manifest().site_origin == ""


def test_a_whole_site_url_of_mdbook_is_part_of_every_address(author: Author) -> None:
    author.write("book.toml", '[output.html]\nsite-url = "https://x.example/b/"\n')
    author.write("src/nodes.md", "# Nodes\n\nA node computes.\n")
    author.ingest()
    assert [record.url for record in author.manifest().pages] == ["https://x.example/b/nodes.html"]


def test_an_index_from_before_sites_had_an_origin_gets_it_with_the_next_ingest(author: Author) -> None:
    author.write("docusaurus.config.js", DOCUSAURUS)
    author.write("docs/nodes.md", "# Nodes\n\nA node computes.\n")
    author.ingest()
    author.forget_origin()
    report = author.ingest()
    assert (report.changed, report.embedded) == (True, 0)
    assert author.manifest().site_origin == "https://x.example"
    assert not author.ingest().changed


def test_a_manifest_from_before_sites_had_an_origin_is_read_without_one(author: Author) -> None:
    author.write("docusaurus.config.js", DOCUSAURUS)
    author.write("docs/nodes.md", "# Nodes\n\nA node computes.\n")
    author.ingest()
    stored = StoredManifest(language="english", manifest=author.manifest()).model_dump(mode="json")
    del stored["manifest"]["site_origin"]
    assert read_manifest(json.dumps(stored), "a test").manifest.site_origin == ""


@pytest.mark.parametrize(
    "address", ["", "/b/", "x.example/b/", "//x.example/", "ftp://x.example/", "https:///b/", "https://[x/"]
)
def test_what_is_no_address_on_the_web_has_no_origin(address: str) -> None:
    assert origin_of(address) == ""
