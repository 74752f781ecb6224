from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from glossator.ingest.sites import Heading, Site, SiteKind, site_of
from glossator.ingest.sites.mdbook import id_of
from glossator.ingest.sites.site import slug

FIXTURES = Path(__file__).parent / "fixtures" / "site"


def verdicts(name: str) -> Iterator[str]:
    """A sign for every code point, from runs such as `+1a`: the sign, and its number in base 36."""
    for run in (FIXTURES / f"{name}.runs.txt").read_text().split():
        yield from run[0] * int(run[1:], 36)


def texts(*shown: str) -> list[Heading]:
    return [Heading(2, text) for text in shown]


@pytest.fixture
def plain(tmp_path: Path) -> Site:
    return site_of(tmp_path, kind=SiteKind.PLAIN)


@pytest.fixture
def mdbook(tmp_path: Path) -> Site:
    return site_of(tmp_path, kind=SiteKind.MDBOOK)


@pytest.fixture
def docusaurus(tmp_path: Path) -> Site:
    return site_of(tmp_path, kind=SiteKind.DOCUSAURUS)


def test_every_character_is_kept_or_dropped_as_github_slugger_does() -> None:
    wrong = [
        hex(point)
        for point, verdict in enumerate(verdicts("github-slugger"))
        if verdict != "?" and bool(slug(chr(point), keep_case=True)) != (verdict == "+")
    ]
    assert wrong == []


def test_every_character_of_a_living_script_is_kept_or_dropped_as_rust_does() -> None:
    of_rust = list(verdicts("rust-alphanumeric"))
    in_unicode_13 = [verdict != "?" for verdict in verdicts("github-slugger")]
    living = (*range(0x20, 0x1800), *range(0x2000, 0x2DE0), *range(0x3000, 0xA660), *range(0xAC00, 0x10000))
    for point in (point for point in living if in_unicode_13[point]):
        # The letters around it keep it from being trimmed.
        between = id_of(f"x{chr(point)}x")[1:-1]
        is_dash = of_rust[point] == "_" or chr(point) == "-"
        assert (between == "-", between != "") == (is_dash, of_rust[point] != "-"), hex(point)


def test_a_repeated_heading_gets_the_next_free_number(plain: Site) -> None:
    assert plain.anchors(texts("Node", "Node 1", "Node", "Node", "node")) == [
        "node",
        "node-1",
        "node-2",
        "node-3",
        "node-4",
    ]


def test_a_custom_id_is_taken_as_it_is_and_does_not_count_as_used(plain: Site) -> None:
    headings = [Heading(2, "Any", "Chosen.ID"), Heading(2, "Chosen"), Heading(2, "Again", "chosen")]
    assert plain.anchors(headings) == ["Chosen.ID", "chosen", "chosen"]


def test_the_title_of_a_docusaurus_page_has_no_anchor_but_uses_one_up(docusaurus: Site) -> None:
    headings = [Heading(1, "Nodes"), Heading(2, "Nodes"), Heading(1, "Nodes", "chosen"), Heading(2, "Nodes")]
    assert docusaurus.anchors(headings) == ["", "nodes-1", "", "nodes-2"]


def test_a_word_after_a_colon_is_left_out_of_a_docusaurus_anchor(docusaurus: Site) -> None:
    shown = ("Ratio a:b", "std::vector", "10:30", ":tada: yes", "a:b- c", "note:this_")
    assert docusaurus.anchors(texts(*shown)) == [
        "ratio-a",
        "stdvector",
        "1030",
        "tada-yes",
        "ab--c",
        "notethis_",
    ]


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("--passes: add more rustdoc passes", "--passes-add-more-rustdoc-passes"),
        ("Method-call 🐙 expressions \U0001f47c", "method-call--expressions-"),
        ("_-_12345", "_-_12345"),
        ("中文標題 CJK title", "中文標題-cjk-title"),
        ("Über Größe", "über-größe"),
        ("हिन्दी", "हिनदी"),
        ("❤️ love", "-love"),
        (" padded\u00a0here ", "padded-here"),
    ],
)
def test_mdbook_ids_are_those_of_its_own_tests(text: str, id_: str) -> None:
    assert id_of(text) == id_


def test_mdbook_numbers_what_repeats_and_leaves_custom_ids_alone(mdbook: Site) -> None:
    headings = [*texts("Node", "Node", "Node 1"), Heading(3, "Other", "node"), *texts("Node", "🎉", "🎉")]
    assert mdbook.anchors(headings) == ["node", "node-1", "node-1-1", "node", "node-2", "", "-1"]
