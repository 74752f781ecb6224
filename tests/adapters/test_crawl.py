"""A published site is fetched politely, from its own host alone, within limits, and asked for less the next time."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from glossator.adapters.crawl import CrawledSite, CrawlLimits, crawl
from glossator.adapters.crawl.host import OwnHost
from glossator.adapters.crawl.sitemap import parse_sitemap
from glossator.adapters.crawl.store import file_name
from glossator.errors import CrawlFailed, PageUnreadable
from glossator.testing import SilentProgress
from support.crawled_site import Reply, Site, html, index, redirect, served, urlset

LIMITS = CrawlLimits(delay=0, may_be_private=True)


@pytest.fixture
def site() -> Iterator[Site]:
    with served() as site:
        yield site


class Visitor:
    def __init__(self, site: Site, folder: Path) -> None:
        self.site = site
        self.folder = folder
        self.waits: list[float] = []

    def crawl(self, path: str = "/sitemap.xml", limits: CrawlLimits = LIMITS) -> CrawledSite:
        return crawl(self.site.whole(path), self.folder, limits, SilentProgress(), self.waits.append)

    def texts(self, path: str = "/sitemap.xml", limits: CrawlLimits = LIMITS) -> dict[str, str]:
        """The text of each page that the crawl has, by its address without the host."""
        crawled = self.crawl(path, limits)
        return {
            url.removeprefix(self.site.address): (crawled.folder / file).read_text("utf-8")
            for file, url in crawled.addresses.items()
        }

    def reasons(self, limits: CrawlLimits = LIMITS) -> dict[str, str]:
        """Why pages were skipped."""
        skipped = self.crawl(limits=limits).skipped
        return {page.page.removeprefix(self.site.address): page.reason for page in skipped}


@pytest.fixture
def visitor(site: Site, tmp_path: Path) -> Visitor:
    return Visitor(site, tmp_path)


def good_pages(site: Site, *more: str) -> None:
    """Three pages that can be fetched, and others that the sitemap lists too."""
    for name in "abc":
        site.put(f"/{name}", f"<p>{name}")
    site.list("/a", "/b", "/c", *more)


def test_the_pages_of_a_sitemap_are_fetched_with_their_addresses(site: Site, visitor: Visitor):
    good_pages(site)
    assert visitor.texts() == {"/a": "<p>a", "/b": "<p>b", "/c": "<p>c"}
    assert site.paths == ["/robots.txt", "/sitemap.xml", "/a", "/b", "/c"]
    assert site.headers_of("/a")["User-Agent"].startswith("Glossator/")
    assert site.headers_of("/a")["Host"] == site.address.removeprefix("http://")


def test_the_sitemap_of_a_site_is_found_through_robots_txt(site: Site, visitor: Visitor):
    site.put("/robots.txt", f"Sitemap: https://cdn.example/x.xml\nSitemap: {site.address}/maps/all.xml")
    site.list("/docs/a", "/blog/b", path="/maps/all.xml")
    site.put("/docs/a", "<p>a")
    assert visitor.texts("/docs/") == {"/docs/a": "<p>a"}


def test_or_in_its_usual_place(site: Site, visitor: Visitor):
    good_pages(site)
    assert len(visitor.texts("/")) == 3
    with pytest.raises(CrawlFailed, match="list no page below /docs/"):
        visitor.crawl("/docs/")


def test_a_site_without_a_sitemap_is_named(site: Site, visitor: Visitor):
    with pytest.raises(CrawlFailed, match=r"has no sitemap, neither in its robots.txt nor at .*/sitemap.xml"):
        visitor.crawl("/")


def test_indexes_of_sitemaps_and_compressed_ones_are_read(site: Site, visitor: Visitor):
    site.put("/sitemap.xml", index(site.whole("/one.xml"), site.whole("/two.xml.gz")))
    site.list("/a", path="/one.xml")
    site.put("/two.xml.gz", Reply(gzip.compress(urlset(site.whole("/b")).encode())))
    site.put("/a", "<p>a")
    site.put(
        "/b", Reply(gzip.compress(b"<p>b"), headers={"Content-Type": "text/html", "Content-Encoding": "gzip"})
    )
    assert visitor.texts() == {"/a": "<p>a", "/b": "<p>b"}


def test_sitemaps_that_list_each_other_are_read_once(site: Site, visitor: Visitor):
    site.put(
        "/sitemap.xml", index(site.whole("/other.xml"), site.whole("/sitemap.xml"), site.whole("/pages.xml"))
    )
    site.put("/other.xml", index(site.whole("/sitemap.xml")))
    site.list("/a", path="/pages.xml")
    site.put("/a", "<p>a")
    assert visitor.texts() == {"/a": "<p>a"}
    assert site.paths.count("/sitemap.xml") == 1


def test_sitemaps_without_end_are_not_followed(site: Site, visitor: Visitor):
    for number in range(10):
        site.put(f"/{number}.xml", index(site.whole(f"/{number + 1}.xml")))
    with pytest.raises(CrawlFailed, match="nested more than 3 deep"):
        visitor.crawl("/0.xml")
    site.put("/sitemap.xml", index(*(site.whole(f"/many{number}.xml") for number in range(9))))
    for number in range(9):
        site.list(path=f"/many{number}.xml")
    with pytest.raises(CrawlFailed, match="more than 5 sitemaps"):
        visitor.crawl(limits=replace(LIMITS, sitemaps=5))


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><urlset><url><loc>&a;</loc></url></urlset>'


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (BOMB, "it has a document type"),
        (OUTSIDE, "it has a document type"),
        ("<urlset><url>", "no valid XML"),
        ("<html></html>", "is no sitemap"),
        ("", "no valid XML"),
    ],
    ids=["entity bomb", "outside entity", "broken", "another document", "empty"],
)
def test_no_sitemap_expands_entities_or_is_something_else(body: str, reason: str):
    with pytest.raises(PageUnreadable, match=reason):
        parse_sitemap(body.encode())


def test_a_sitemap_that_unpacks_to_more_than_is_allowed_is_refused(site: Site, visitor: Visitor):
    limits = replace(LIMITS, sitemap_bytes=100_000)
    site.put("/sitemap.xml", Reply(gzip.compress(b" " * 50_000_000)))
    with pytest.raises(CrawlFailed, match=r"sitemap.xml is longer than 100000 bytes"):
        visitor.crawl(limits=limits)


def test_robots_txt_is_obeyed(site: Site, visitor: Visitor):
    site.put(
        "/robots.txt",
        "User-agent: *\nDisallow: /\n\nUser-agent: glossator\nDisallow: /private\nDisallow: /*.php$",
    )
    good_pages(site, "/private/x", "/y.php", "/d")
    site.put("/d", redirect("/private/d"))
    assert visitor.reasons() == {
        "/private/x": "is not allowed by robots.txt",
        "/y.php": "is not allowed by robots.txt",
        "/d": f"leads to {site.address}/private/d, which robots.txt does not allow",
    }
    assert not {"/private/x", "/y.php", "/private/d"} & set(site.paths)


def test_where_robots_txt_cannot_be_read_nothing_is_fetched(site: Site, visitor: Visitor):
    good_pages(site)
    site.put("/robots.txt", Reply(status=500))
    with pytest.raises(
        CrawlFailed, match=r"robots.txt of 127.0.0.1 cannot be fetched: its server answers 500"
    ):
        visitor.crawl()
    assert site.paths == ["/robots.txt"]


def test_it_waits_between_requests_and_longer_where_robots_txt_says_so(site: Site, visitor: Visitor):
    good_pages(site)
    visitor.crawl(limits=replace(LIMITS, delay=10))
    assert len(visitor.waits) == 4
    assert all(9 < wait <= 10 for wait in visitor.waits)
    site.put("/robots.txt", "User-agent: *\nCrawl-delay: 1000")
    visitor.waits.clear()
    visitor.crawl()
    assert 29 < max(visitor.waits) <= LIMITS.longest_wait


def test_a_busy_server_is_asked_once_more(site: Site, visitor: Visitor):
    good_pages(site, "/d")
    site.put("/d", Reply(status=429, headers={"Retry-After": "7"}))
    assert visitor.reasons() == {"/d": "cannot be fetched: its server answers 429"}
    assert visitor.waits == [7]
    assert site.paths.count("/d") == 2


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("http://other.example/x", "is on another host, other.example"),
        ("http://127.0.0.1:1/x", "is on another host, 127.0.0.1:1"),
        ("http://user:secret@127.0.0.1/x", "is no address of a page"),
        ("file:///etc/passwd", "is no address of a page"),
        ("ftp://127.0.0.1/x", "is no address of a page"),
        ("http://[::1", "is no address of a page"),
    ],
)
def test_only_pages_of_the_own_host_are_fetched(site: Site, visitor: Visitor, page: str, reason: str):
    good_pages(site, page)
    assert visitor.reasons() == {page: reason}


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("http://169.254.169.254/latest", "which is on another host, 169.254.169.254"),
        ("//other.example/x", "which is on another host, other.example"),
        ("file:///etc/passwd", "which is no address of a page"),
        ("/d", "redirects more than 5 times"),
        ("http://[", "which is on another host"),
    ],
)
def test_a_redirect_is_followed_only_on_the_own_host(
    site: Site, visitor: Visitor, location: str, reason: str
):
    good_pages(site, "/d")
    site.put("/d", redirect(location))
    assert reason in visitor.reasons()["/d"]


def test_a_page_that_moved_has_its_new_address_and_is_there_once(site: Site, visitor: Visitor):
    good_pages(site, "/old")
    site.put("/old", redirect("new"))
    site.put("/new", "<p>new")
    assert visitor.texts()["/new"] == "<p>new"
    site.list("/a", "/b", "/c", "/old", "/new")
    assert list(visitor.texts()).count("/new") == 1


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "localhost", "10.1.2.3", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
        "2130706433", "0x7f.1", "[::1]", "[fe80::1]", "[fd00::1]", "[ff02::1]", "[::ffff:10.0.0.1]", "[64:ff9b::a00:1]",
        "[2002:a00:1::]",
    ],
)  # fmt: skip
def test_an_address_that_is_not_public_is_never_connected_to(tmp_path: Path, address: str):
    with pytest.raises(CrawlFailed, match=r"which is not public|is not known|is no address"):
        crawl(f"http://{address}:9/sitemap.xml", tmp_path, CrawlLimits(delay=0), SilentProgress())


def test_public_addresses_are_connected_to_as_they_were_checked():
    host = OwnHost.of("https://93.184.216.34/x")
    assert host.resolve(host.own("https://93.184.216.34/x"), may_be_private=False) == ["93.184.216.34"]


@pytest.mark.parametrize(
    ("own", "address", "asked"),
    [
        ("https://x.example/", "http://x.example/a", "https://x.example/a"),
        ("http://x.example/", "https://x.example/a", "https://x.example/a"),
        ("https://X.example/", "https://x.example:443/a#b", "https://x.example/a"),
        ("https://x.example/", "https://x.example:8443/a", None),
        ("https://x.example/", "https://www.x.example/a", None),
        ("https://x.example:8443/", "http://x.example:8443/a", "http://x.example:8443/a"),
    ],
)
def test_the_own_host_is_one_name_and_one_port(own: str, address: str, asked: str | None):
    host = OwnHost.of(own)
    assert host.has(address) is (asked is not None)
    if asked:
        assert str(host.own(address)) == asked


def test_a_page_that_is_too_long_is_named_and_not_read_to_its_end(site: Site, visitor: Visitor):
    good_pages(site, "/long", "/bomb", "/e")
    site.put("/e", "<p>e")
    site.put("/long", html("x" * 5_000_000))
    packed = gzip.compress(b"x" * 50_000_000)
    site.put("/bomb", Reply(packed, headers={"Content-Type": "text/html", "Content-Encoding": "gzip"}))
    limits = replace(LIMITS, page_bytes=10_000)
    assert visitor.reasons(limits) == dict.fromkeys(("/long", "/bomb"), "is longer than 10000 bytes")


def test_a_site_that_is_too_large_is_refused(site: Site, visitor: Visitor):
    good_pages(site)
    with pytest.raises(CrawlFailed, match="lists more than 2 pages: name a part of it"):
        visitor.crawl(limits=replace(LIMITS, pages=2))
    site.put("/b", "x" * 2000)
    with pytest.raises(CrawlFailed, match="has more than 1000 bytes of pages"):
        visitor.crawl(limits=replace(LIMITS, total_bytes=1000))


def test_what_was_fetched_in_time_is_not_fetched_again(site: Site, visitor: Visitor):
    good_pages(site)
    for name in "abc":
        site.put(f"/{name}", html(f"<p>{name}", ETag=f'"{name}"'))
    site.put("/b", html("x" * 2000))
    with pytest.raises(CrawlFailed):
        visitor.crawl(limits=replace(LIMITS, total_bytes=1000))
    visitor.crawl()
    assert site.headers_of("/a")["If-None-Match"] == '"a"'


def test_a_crawl_out_of_time_ends(site: Site, visitor: Visitor):
    good_pages(site)
    with pytest.raises(CrawlFailed, match="were not fetched in 1e-09 seconds"):
        visitor.crawl(limits=replace(LIMITS, seconds=1e-9))


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(b"%PDF", headers={"Content-Type": "application/pdf"}), "is application/pdf and not HTML"),
        (Reply(b"x", headers={"Content-Encoding": "br"}), "is compressed as br, which was not asked for"),
        (Reply(b"not gzip", headers={"Content-Encoding": "gzip"}), "is not compressed as it says"),
        (Reply(gzip.compress(b"x")[:-5], headers={"Content-Encoding": "gzip"}), "is incomplete"),
        (Reply(status=503, headers={"Retry-After": "0"}), "cannot be fetched: its server answers 503"),
        (Reply(status=404), "is not there: its server answers 404"),
    ],
)
def test_a_page_that_cannot_be_used_is_named_with_the_reason(
    site: Site, visitor: Visitor, reply: Reply, reason: str
):
    good_pages(site, "/d")
    site.put("/d", reply)
    assert visitor.reasons() == {"/d": reason}


def test_pages_of_other_encodings_are_kept_as_utf_8(site: Site, visitor: Visitor):
    good_pages(site, "/header", "/meta", "/neither", "/odd")
    site.put(
        "/header", Reply("ü".encode("latin-1"), headers={"Content-Type": "text/html; charset=ISO-8859-1"})
    )
    site.put(
        "/meta",
        Reply(
            b"<meta charset='shift_jis'>" + "本".encode("shift_jis"), headers={"Content-Type": "text/html"}
        ),
    )
    site.put("/neither", Reply("“ü”".encode("cp1252"), headers={"Content-Type": "text/html"}))
    site.put("/odd", Reply("ü".encode(), headers={"Content-Type": "text/html; charset=punycode"}))
    texts = visitor.texts()
    assert texts["/header"] == texts["/odd"] == "ü"
    assert texts["/meta"].endswith("本")
    assert texts["/neither"] == "“ü”"


def test_a_second_crawl_asks_only_for_what_changed(site: Site, visitor: Visitor):
    good_pages(site)
    site.put("/a", html("<p>a", ETag='"1"'))
    site.put("/b", html("<p>b", ETag='"1"', Last_Modified="Mon, 01 Jan 2024 00:00:00 GMT"))
    visitor.crawl()
    site.put("/b", html("<p>new", ETag='"2"'))
    site.list("/a", "/b")
    assert visitor.texts() == {"/a": "<p>a", "/b": "<p>new"}
    assert site.headers_of("/a")["If-None-Match"] == '"1"'
    assert site.headers_of("/b")["If-Modified-Since"] == "Mon, 01 Jan 2024 00:00:00 GMT"
    assert sorted(file.name for file in visitor.crawl().folder.rglob("*.html")) == ["a.html", "b.html"]


def test_a_page_that_fails_for_now_keeps_its_earlier_copy_and_is_named(site: Site, visitor: Visitor):
    good_pages(site)
    visitor.crawl()
    site.put("/b", Reply(status=500))
    assert visitor.reasons() == {"/b": "cannot be fetched: its server answers 500; its earlier copy is used"}
    assert visitor.texts()["/b"] == "<p>b"


def test_a_crawl_that_fails_for_more_than_a_third_of_the_pages_changes_nothing(site: Site, visitor: Visitor):
    good_pages(site)
    visitor.crawl()
    for name in "ab":
        site.put(f"/{name}", Reply(status=404))
    with pytest.raises(CrawlFailed, match=r"2 of the 3 pages of 127.0.0.1 cannot be fetched \(.*answers 404"):
        visitor.crawl()
    good_pages(site)
    assert len(visitor.texts()) == 3


def test_a_page_that_asks_not_to_be_indexed_is_left_out(site: Site, visitor: Visitor):
    good_pages(site, "/d")
    site.put("/d", html("<p>d", X_Robots_Tag="noindex"))
    crawled = visitor.crawl()
    assert (len(crawled.addresses), crawled.skipped) == (3, ())


def test_a_host_that_stops_answering_ends_the_crawl(tmp_path: Path):
    with served() as site:
        good_pages(site)
    with pytest.raises(CrawlFailed, match="cannot be reached"):
        Visitor(site, tmp_path).crawl()


@pytest.mark.parametrize(
    ("url", "file"),
    [
        ("https://x.example/", "index.html"),
        ("https://x.example/docs/", "docs/index.html"),
        ("https://x.example/docs/nodes", "docs/nodes.html"),
        ("https://x.example/docs/nodes.html", "docs/nodes.html"),
        ("https://x.example/%C3%BC", "ü.html"),
    ],
)
def test_the_file_of_a_page_is_named_like_its_address(url: str, file: str):
    assert file_name(url) == file


@pytest.mark.parametrize(
    "path", ["/../../x", "/%2e%2e/%2e%2e/x", "/a%2F..%2Fb", "/.git/x", "/_x/y", "/a//b", "/a.html/b", "/x?y=1", f"/{'x' * 300}", "/a%00b"]
)  # fmt: skip
def test_no_address_names_a_file_outside_of_the_folder_or_a_hidden_one(path: str):
    parts = file_name(f"https://x.example{path}").split("/")
    assert all(part not in ("", "..") and not part.startswith(".") and len(part) < 150 for part in parts)
    assert not any(part.endswith(".html") for part in parts[:-1])
