"""The book for language models, and who may read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from glossator.adapters.index.embedded_index import EmbeddedIndex
from glossator.errors import IndexUnavailable
from glossator.export import chunks_of
from glossator.model import KeyKind
from support.answer_book import PAGES
from support.proof_keys import add_keys

ADDRESSES = ("/llms.txt", "/llms-full.txt")


def test_llms_txt_names_every_page_with_its_address(client: TestClient):
    reply = client.get("/llms.txt")

    assert reply.headers["content-type"] == "text/markdown; charset=utf-8"
    title, _, rest = reply.text.partition("\n\n")
    assert title.startswith("# ")
    assert rest.startswith("> 3 pages in 2 chapters, in reading order.\n")
    links = [line for line in rest.splitlines() if line.startswith("- [")]
    assert [link.partition("](")[0] for link in links] == [
        "- [Nodes",
        "- [Topics",
        "- [Batteries",
        "- [The whole text",
    ]


def test_llms_full_txt_has_the_text_of_every_page_once_and_in_order(client: TestClient):
    text = client.get("/llms-full.txt").text

    position = 0
    for page in PAGES.values():
        heading, _, body = page.strip().partition("\n\n")
        assert text.count(body) == 1
        position = text.index(f"\n{heading}\n\nSource: ", position)
        position = text.index(body, position)
    assert text.count("\n# ") == len(PAGES)


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_server_with_keys_gives_the_book_to_those_who_may_read(
    address: str, make_client: Callable[..., TestClient], tmp_path: Path
):
    secret, publishable = add_keys(
        f"sqlite:///{tmp_path / 'records.sqlite'}", KeyKind.SECRET, KeyKind.PUBLISHABLE
    )
    locked = make_client()
    origin = {"origin": "https://book.example"}

    assert locked.get(address).status_code == 401
    assert locked.get(address, headers={"x-api-key": publishable, **origin}).status_code == 403
    assert locked.get(address, headers={"x-api-key": secret}).status_code == 200
    assert locked.get(address).headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_public_book_needs_no_key(address: str, make_client: Callable[..., TestClient], tmp_path: Path):
    add_keys(f"sqlite:///{tmp_path / 'records.sqlite'}", KeyKind.SECRET)
    public = make_client(public_book=True)

    assert public.get(address).status_code == 200
    assert public.get("/v1/chapters").status_code == 401


def test_where_the_pages_are_served_everybody_may_read_the_text_too(
    make_client: Callable[..., TestClient], tmp_path: Path
):
    add_keys(f"sqlite:///{tmp_path / 'records.sqlite'}", KeyKind.SECRET)
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "index.md").write_text("# Start\n\nHere begins the book.\n")

    assert make_client(preview=pages).get("/llms-full.txt").status_code == 200


@pytest.mark.parametrize("settings", [{}, {"public_book": True}])
def test_an_open_server_gives_the_book_to_its_own_machine_only(
    settings: dict[str, bool], make_client: Callable[..., TestClient]
):
    opened = make_client(**settings)

    assert opened.get("/llms-full.txt", headers={"host": "rebound.example"}).status_code == 403


def test_without_a_book_it_says_so(make_client: Callable[..., TestClient], tmp_path: Path):
    empty = make_client(home=tmp_path / "empty")

    assert empty.get("/llms-full.txt").status_code == 503
    assert "No book has been ingested" in empty.get("/llms.txt").json()["detail"]


def test_pages_of_two_generations_are_never_mixed(home: Path):
    index = EmbeddedIndex(home)
    manifest = index.manifest()
    chunks = list(chunks_of(index, manifest))
    assert len(chunks) == manifest.chunks
    assert [chunk.page for chunk in chunks] == sorted(PAGES)

    with pytest.raises(IndexUnavailable, match="read it again"):
        next(chunks_of(index, replace(manifest, generation=manifest.generation + 1)))
    index.close()
