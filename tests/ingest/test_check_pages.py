from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from glossator.errors import BookNotFound
from glossator.ingest.sites import site_of
from glossator.lint import FindingKind, check
from support.check_books import DOCUSAURUS, check_book, found

SOUND = "# Sound\n\nText.\n"


def test_a_page_that_cannot_be_read_is_named_with_the_reason(tmp_path: Path) -> None:
    report = check_book(tmp_path, {"latin.md": b"# Caf\xe9\n", "sound.md": SOUND})
    (finding,) = report.findings
    assert (finding.kind, finding.page) == (FindingKind.UNREADABLE_PAGE, "latin.md")
    assert finding.message == "The page is not UTF-8 (byte 5)."
    assert report.pages == 1


@pytest.mark.parametrize("text", ["", "\n\n", "---\ntitle: Nothing\n---\n", "<!-- later -->\n"])
def test_a_page_with_nothing_to_read_is_named(tmp_path: Path, text: str) -> None:
    report = check_book(tmp_path, {"nothing.md": text})
    assert found(report) == [("nothing.md", None, "nothing.md")]


def test_a_page_that_only_shows_a_component_is_not_empty(tmp_path: Path) -> None:
    page = "import List from '@theme/DocCardList';\n\n<List />\n"
    assert found(check_book(tmp_path, {**DOCUSAURUS, "docs/list.mdx": page})) == []


@pytest.mark.parametrize(
    ("page", "line"),
    [
        ("Text.\n\n```python\nx = 1\n", 3),
        ("````md\n```\n````\n\n```\nx\n``\n", 5),
        ("- item\n  ~~~\n  x\n", 2),
        ("Text.\n\n```", 3),
    ],
)
def test_a_fence_that_is_never_closed_is_found_where_it_opens(tmp_path: Path, page: str, line: int) -> None:
    (finding,) = check_book(tmp_path, {"page.md": page}).findings
    assert (finding.kind, finding.line) == (FindingKind.UNCLOSED_FENCE, line)


def test_fences_that_are_closed_are_not_found_whatever_stands_in_them(tmp_path: Path) -> None:
    page = "````md\n```\n````\n\n> ```\n> x\n> ```\n\n- item\n\n  ~~~ sh\n  ```\n  ~~~~\n\n```\n```\n"
    assert found(check_book(tmp_path, {"page.md": page})) == []


@pytest.mark.parametrize(
    ("front_matter", "line"),
    [
        ("---\ntitle: One\ntags: [a\n---\n", 3),
        ("---\ntitle: Robots: an introduction\n---\n", 2),
        ("---\njust words\n---\n", 1),
        ("---\ntitle: Never closed\n", 1),
        (f"---\n{'[' * 100_000}\n---\n", 1),
        (f"---\n{'- ' * 100_000}\n---\n", 1),
    ],
)
def test_broken_front_matter_is_found(tmp_path: Path, front_matter: str, line: int) -> None:
    (finding,) = check_book(tmp_path, {"page.md": f"{front_matter}\n{SOUND}"}).findings
    assert (finding.kind, finding.line) == (FindingKind.BROKEN_FRONT_MATTER, line)


def test_a_rule_at_the_head_of_a_page_is_no_front_matter(tmp_path: Path) -> None:
    assert found(check_book(tmp_path, {"page.md": f"---\n\n{SOUND}", "empty.md": f"---\n---\n{SOUND}"})) == []


def test_a_partial_that_does_not_exist_is_found(tmp_path: Path) -> None:
    page = (
        "import A from './_a.mdx';\nimport B from './_b.mdx';\nimport C from '@site/parts/_c.md';\n\n<A/>\n"
    )
    report = check_book(tmp_path, {**DOCUSAURUS, "docs/page.mdx": page, "docs/_a.mdx": SOUND})
    assert found(report) == [("docs/page.mdx", 2, "./_b.mdx"), ("docs/page.mdx", 3, "@site/parts/_c.md")]


def test_a_partial_whose_underscore_is_escaped_is_found_on_disk(tmp_path: Path) -> None:
    page = "import A from './\\_a.mdx';\n\n<A/>\n\nText.\n"
    assert found(check_book(tmp_path, {**DOCUSAURUS, "docs/page.mdx": page, "docs/_a.mdx": SOUND})) == []


def test_two_pages_with_one_address_are_found(tmp_path: Path) -> None:
    files = {**DOCUSAURUS, "docs/01-nodes.md": SOUND, "docs/02-nodes.md": SOUND, "docs/topics.md": SOUND}
    (finding,) = check_book(tmp_path, files).findings
    assert (finding.kind, finding.page, finding.text) == (
        FindingKind.SAME_URL,
        "docs/02-nodes.md",
        "/docs/nodes",
    )
    assert finding.message == "docs/01-nodes.md has the same address, /docs/nodes."


def test_an_id_that_is_given_twice_is_found(tmp_path: Path) -> None:
    page = "# Page\n\n## One {#part}\n\n## Two {#part}\n\n<a id='part'></a>\n\n## Part\n"
    report = check_book(tmp_path, {"page.md": page})
    assert found(report) == [("page.md", 5, "part"), ("page.md", 7, "part")]


def test_a_page_that_no_question_finds_is_named(tmp_path: Path) -> None:
    asked = list[str]()

    def find(question: str) -> Sequence[str]:
        asked.append(question)
        return {"Nodes": ["topics.md"], "Executors": ["nodes.md"]}.get(question, [])

    files = {"nodes.md": "# Nodes\n\n## Executors\n", "topics.md": "# Topics\n\n## Names\n\n## Types\n"}
    report = check_book(tmp_path, files, find)
    assert found(report) == [("topics.md", None, "Topics")]
    assert asked == ["Nodes", "Executors", "Topics", "Names", "Types"]
    assert report.asked


def test_without_an_index_nothing_is_said_of_retrieval(tmp_path: Path) -> None:
    report = check_book(tmp_path, {"nodes.md": SOUND})
    assert (report.asked, report.findings) == (False, ())


def test_findings_come_by_kind_and_in_reading_order(tmp_path: Path) -> None:
    page = "[x](no.md)\n\n[x](#no)\n\n```\n"
    report = check_book(tmp_path, {"2.md": page, "10.md": page})
    assert [(finding.kind.value, finding.page) for finding in report.findings] == [
        ("unclosed-fence", "2.md"),
        ("unclosed-fence", "10.md"),
        ("broken-link", "2.md"),
        ("broken-link", "10.md"),
        ("missing-anchor", "2.md"),
        ("missing-anchor", "10.md"),
    ]


def test_a_book_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BookNotFound):
        check(tmp_path / "no", site_of(tmp_path))
