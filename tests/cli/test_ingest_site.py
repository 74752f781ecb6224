"""`glossator ingest https://…`: a published site becomes a book whose citations lead to it."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from glossator import Book
from glossator.errors import BookWouldShrink, SettingsError
from glossator.settings import Settings
from glossator.wiring.books import remove_book
from support.crawled_site import Reply, Site, redirect, served
from support.glossator_command import run_command

PRIVATE = {"crawl_private": True, "crawl_delay": 0}


@pytest.fixture
def site() -> Iterator[Site]:
    with served() as site:
        for name in ("nodes", "topics", "services"):
            body = f"<nav>Menu</nav><main><h1 id=top>{name.title()}</h1><p>What a robot does with {name}.</p></main>"
            site.put(f"/docs/{name}/", f"<title>{name} | Robots</title>{body}")
        site.list("/docs/nodes/", "/docs/topics/", "/docs/services/")
        yield site


def run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_command(folder, *words, **environment)


def test_a_site_is_ingested_and_its_pages_have_their_real_addresses(site: Site, tmp_path: Path):
    environment = {"GLOSSATOR_CRAWL_PRIVATE": "true", "GLOSSATOR_CRAWL_DELAY": "0"}
    site.list("/docs/nodes/", "/docs/topics/", "/docs/services/", "/gone")
    done = run(tmp_path, "ingest", f"{site.address}/sitemap.xml", "--json", **environment)
    report = json.loads(done.stdout)
    assert done.returncode == 2, done.stderr
    assert report["pages"] == 3
    assert report["skipped"] == [
        {"page": f"{site.address}/gone", "reason": "is not there: its server answers 404"}
    ]
    found = json.loads(run(tmp_path, "search", "What does a robot do with topics?", "--json").stdout)
    assert found["hits"][0]["url"] == f"{site.address}/docs/topics/#top"
    assert (tmp_path / ".glossator" / "web").is_dir()


def test_a_site_in_a_private_network_is_refused_with_one_line(site: Site, tmp_path: Path):
    done = run(tmp_path, "ingest", f"{site.address}/sitemap.xml")
    assert done.returncode == 1
    assert done.stderr == (
        "glossator: The robots.txt of 127.0.0.1 cannot be fetched: 127.0.0.1 has the address 127.0.0.1, "
        "which is not public (GLOSSATOR_CRAWL_PRIVATE=true allows it).\n"
    )
    assert site.requests == []


def ingested(site: Site, home: Path, path: str = "/sitemap.xml", **options: object) -> Book:
    return Book.ingest(f"{site.address}{path}", home, **PRIVATE, **options)  # type: ignore[arg-type]


def test_a_site_that_lost_pages_does_not_replace_the_book_silently(site: Site, tmp_path: Path):
    with ingested(site, tmp_path) as book:
        assert book.report
        assert (book.report.pages, book.report.skipped) == (3, ())
    site.list("/docs/nodes/")
    with pytest.raises(BookWouldShrink, match="remove 2 of the 3 pages of “Robots”"):
        ingested(site, tmp_path)
    with Book(tmp_path) as book:
        assert book.search("topics")
    with ingested(site, tmp_path, replace=True) as book:
        assert book.report
        assert book.report.pages == 1


def test_a_second_ingest_of_an_unchanged_site_changes_nothing(site: Site, tmp_path: Path):
    ingested(site, tmp_path).close()
    with ingested(site, tmp_path) as book:
        assert book.report
        assert book.report.changed is False


def test_a_page_that_fails_for_now_stays_in_the_book(site: Site, tmp_path: Path):
    ingested(site, tmp_path).close()
    site.put("/docs/topics/", Reply(status=500))
    with ingested(site, tmp_path) as book:
        assert book.report
        assert book.report.pages == 3
        assert [page.page for page in book.report.skipped] == [f"{site.address}/docs/topics/"]


def test_a_page_that_leads_to_a_private_address_is_not_in_the_book(site: Site, tmp_path: Path):
    site.list("/docs/nodes/", "/docs/topics/", "/docs/services/", "/inside")
    site.put("/inside", redirect("http://10.0.0.1/secret"))
    with ingested(site, tmp_path) as book:
        assert book.report
        assert "which is on another host, 10.0.0.1" in book.report.skipped[0].reason


def test_options_that_say_where_the_pages_are_do_not_fit_a_site(site: Site, tmp_path: Path):
    with pytest.raises(SettingsError, match="only --title can be set"):
        ingested(site, tmp_path, base_url="https://x.example/")


def test_fetched_pages_go_with_their_book(site: Site, tmp_path: Path):
    ingested(site, tmp_path, book="robots").close()
    assert (tmp_path / "books" / "robots" / "web").is_dir()
    asyncio.run(remove_book(Settings(home=tmp_path, book="robots")))
    assert not (tmp_path / "books" / "robots").exists()
