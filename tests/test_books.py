"""Several books in one home, as an operator has them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.operator import Operator
from support.qdrant_server import qdrant_server

BAKERY = "# Nodes\n\nA node is a bakery in the harbour.\n"


@pytest.fixture
def newcomer(tmp_path: Path) -> Operator:
    """With two books in folders and none in the index."""
    (tmp_path / "harbour").mkdir()
    (tmp_path / "harbour" / "nodes.md").write_text(BAKERY)
    return Operator(tmp_path)


@pytest.fixture
def operator(newcomer: Operator) -> Operator:
    newcomer.does("ingest", "book")
    return newcomer


def names(operator: Operator, **environment: str) -> list[str]:
    return [
        book["name"] for book in json.loads(operator.does("books", "list", "--json", **environment))["books"]
    ]


def test_a_named_book_is_kept_apart_from_the_default_one(operator: Operator):
    operator.does("ingest", "harbour", "--book", "harbour")
    assert "bakery" in operator.does("search", "What is a node?", "--book", "harbour")
    assert "bakery" not in operator.does("search", "What is a node?")
    assert "bakery" in operator.does("ask", "What is a node?", "--book", "harbour")
    assert "bakery" in operator.does("export", GLOSSATOR_BOOK="harbour")
    assert "Pages       1 in" in operator.does("info", "--book", "harbour")
    assert "Pages       4 in" in operator.does("info", "--book", "default", GLOSSATOR_BOOK="harbour")
    assert (operator.home / "books" / "harbour" / "CURRENT").exists()
    assert (operator.home / "CURRENT").exists()
    listed = operator.does("books", "list").splitlines()
    assert [line.split()[0] for line in listed] == ["default", "harbour"]
    assert "“Harbour”  1 page  generation 1" in listed[1]


def test_every_language_of_a_docusaurus_site_becomes_a_book(newcomer: Operator):
    site = newcomer.folder / "site"
    translated = site / "i18n" / "de" / "docusaurus-plugin-content-docs" / "current"
    (site / "docs").mkdir(parents=True)
    translated.mkdir(parents=True)
    (site / "docusaurus.config.js").write_text(
        "export default {title: 'Bakery', i18n: {defaultLocale: 'en', locales: ['de', 'en']},"
        " presets: [['classic', {}]]};\n"
    )
    (site / "docs" / "nodes.md").write_text(BAKERY)
    (translated / "nodes.md").write_text(
        "# Knoten\n\nEin Knoten ist ein Brot der Bäckerei mit drei Strängen.\n"
    )
    assert 'data-book="guide de=guide-de"' in newcomer.does(
        "ingest", "site", "--locale", "all", "--book", "guide"
    )
    assert names(newcomer) == ["guide", "guide-de"]
    assert "/de/docs/nodes" in newcomer.does("ask", "Was ist ein Knoten?", "--book", "guide-de")
    assert "Bäckerei" not in newcomer.does("export", "--book", "guide")
    assert "lists no languages" in newcomer.is_refused("ingest", "book", "--locale", "all")


def test_a_named_book_goes_back_alone(operator: Operator):
    operator.does("ingest", "harbour", "--book", "harbour")
    (operator.folder / "harbour" / "nodes.md").write_text(BAKERY.replace("bakery", "brewery"))
    operator.does("ingest", "harbour", "--book", "harbour")
    assert "Generation 1 of “Harbour”" in operator.does("rollback", "--book", "harbour")
    assert "bakery" in operator.does("search", "What is a node?", "--book", "harbour")
    assert "no earlier generation" in operator.is_refused("rollback")


@pytest.mark.parametrize("name", ["a b", "../up", "a" * 65, "ä", "a.b", "a_b"])
def test_a_name_that_cannot_be_one_is_refused(newcomer: Operator, name: str):
    refusal = "glossator: A book's name has 1 to 64 letters, digits and - only.\n"
    assert newcomer.is_refused("ingest", "harbour", "--book", name) == refusal
    assert newcomer.is_refused("books", "rename", "harbour", name) == refusal


@pytest.mark.parametrize(
    "command", [("ask", "Why?"), ("search", "x"), ("info",), ("export",), ("exam",), ("rollback",)]
)
def test_a_book_that_does_not_exist_is_refused_by_name(newcomer: Operator, command: tuple[str, ...]):
    assert "There is no book harbour" in newcomer.is_refused(*command, "--book", "harbour")


def test_a_book_is_removed_only_when_that_is_meant(operator: Operator):
    operator.does("ingest", "harbour", "--book", "harbour")
    assert "add --yes" in operator.is_refused("books", "remove", "harbour")
    operator.does("books", "remove", "harbour", "--yes")
    assert not (operator.home / "books" / "harbour").exists()
    assert "There is no book harbour" in operator.is_refused("books", "remove", "harbour", "--yes")
    assert names(operator) == ["default"]
    operator.does("books", "remove", "default", "--yes")
    assert names(operator) == []
    assert "Generation 1 is ready: 4 pages" in operator.does("ingest", "book")


def test_a_renamed_book_has_its_index_under_the_new_name(operator: Operator):
    operator.does("ingest", "harbour", "--book", "harbour")
    operator.does("ingest", "harbour", "--book", "port")
    assert "There is a book port already" in operator.is_refused("books", "rename", "harbour", "port")
    assert "default book has no name" in operator.is_refused("books", "rename", "default", "guide")
    assert "There is no book quay" in operator.is_refused("books", "rename", "quay", "guide")
    operator.does("books", "rename", "harbour", "quay")
    assert names(operator) == ["default", "port", "quay"]
    assert "bakery" in operator.does("search", "What is a node?", "--book", "quay")
    assert "Nothing changed: generation 1" in operator.does("ingest", "harbour", "--book", "quay")


def test_a_backup_says_which_books_it_leaves_out(operator: Operator):
    operator.does("ingest", "harbour", "--book", "harbour")
    assert "Not in it: the books harbour." in operator.does("backup", "all.tar.gz")


@pytest.fixture
def qdrant_url(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "qdrant").mkdir()
    with qdrant_server(tmp_path / "qdrant") as url:
        yield url


@pytest.mark.qdrant
def test_books_on_a_qdrant_server_have_collections_of_their_own(operator: Operator, qdrant_url: str):
    server = {"GLOSSATOR_QDRANT_URL": qdrant_url}
    operator.does("ingest", "book", **server)
    # The second name could be taken for a generation of the first.
    for name in ("harbour", "harbour-1"):
        operator.does("ingest", "harbour", "--book", name, **server)
    assert names(operator, **server) == ["default", "harbour", "harbour-1"]
    assert "bakery" in operator.does("search", "What is a node?", "--book", "harbour", **server)
    assert "bakery" not in operator.does("search", "What is a node?", **server)
    assert "cannot be renamed" in operator.is_refused("books", "rename", "harbour", "quay", **server)
    operator.does("books", "remove", "harbour", "--yes", **server)
    assert names(operator, **server) == ["default", "harbour-1"]
    assert "bakery" in operator.does("search", "What is a node?", "--book", "harbour-1", **server)
