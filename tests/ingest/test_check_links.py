from __future__ import annotations

from pathlib import Path

import pytest

from glossator.ingest.sites import site_of
from glossator.lint import FindingKind, check
from support.check_books import DOCUSAURUS, MDBOOK, MKDOCS, check_book, found

NODES = "# Nodes\n\nText.\n\n## Executors\n\nText.\n\n## The end {#end}\n\nText.\n"
SAMPLE_BOOK = Path(__file__).parents[2] / "examples" / "physical-ai-book"


def test_the_sample_book_has_nothing_to_mend() -> None:
    report = check(SAMPLE_BOOK, site_of(SAMPLE_BOOK))
    assert report.findings == ()
    assert report.links > 100


def test_every_way_to_write_a_link_that_works_is_accepted(tmp_path: Path) -> None:
    page = """# Here

[relative](./01-nodes.md), [bare](01-nodes.md#executors), [up](../docs/01-nodes.md#end), [id](#here-id),
[encoded](./a%20b.md), [spaced](<a b.md>), [site](/docs/nodes#executors), [site page](/docs/nodes/),
[address](./nodes), [root file](/docs/01-nodes.md), [content root](sub/index.md), [folder](./sub/),
[reference][nodes], [data](./data.csv), [query](./nodes?x=1#end), [text](./nodes#:~:text=robot)
![image](./robot.png) ![static](/img/logo.svg) <img src="/img/logo.svg" alt="" /> <a href="./nodes">x</a>

[nodes]: ./01-nodes.md#end

## Here {#here-id}
"""
    files = {
        **DOCUSAURUS,
        "docs/here.md": page,
        "docs/01-nodes.md": NODES,
        "docs/a b.md": "# A b\n\nText.\n",
        "docs/sub/index.md": "# Sub\n\n[back](../here.md#here-id) [address](../nodes)\n",
        "docs/data.csv": "1",
        "docs/robot.png": b"",
        "static/img/logo.svg": "",
    }
    assert found(check_book(tmp_path, files)) == []


def test_what_leads_elsewhere_or_is_no_link_is_left_alone(tmp_path: Path) -> None:
    page = """# Here

[web](https://x.example/no) [mail](mailto:a@b.example) [host](//x.example/no) [alias](@site/no.md)
[as it is](pathname:///no) [blog](/blog/no) [category](/docs/category/no) [out](../../../no.md)
`[code](./no.md)` {/* [comment](./no.md) <a href="./no.md">x</a> */} <a href={no}>x</a> [later]({{ no }})

{/*
[comment](./no.md)
*/}

```md
[code](./no.md) <img src="./no.png" />
```
"""
    files = {**DOCUSAURUS, "docs/here.md": page, "docs/there.md": "# There\n\nText.\n"}
    assert found(check_book(tmp_path, files)) == []


@pytest.mark.parametrize(
    "link",
    [
        "[x](./no.md)",
        "[x](no.md#end)",
        "[x](/docs/no.md)",
        "[x](/docs/no)",
        "[x](./no)",
        "[x](./01-nodes)",
        "[x](./01-nodes.mdx)",
        "[x][no]\n\n[no]: ./no.md",
        '<a href="./no.md">x</a>',
        '<Link to="/docs/no">x</Link>',
    ],
)
def test_a_link_to_no_page_is_found(tmp_path: Path, link: str) -> None:
    files = {**DOCUSAURUS, "docs/here.md": f"# Here\n\nSee {link}\n", "docs/01-nodes.md": NODES}
    (finding,) = check_book(tmp_path, files).findings
    assert (finding.kind, finding.page) == (FindingKind.BROKEN_LINK, "docs/here.md")


def test_a_broken_link_is_reported_at_the_line_where_its_address_is_written(tmp_path: Path) -> None:
    page = """---
title: Here
---

A `piece of
code` and then
[one](./one.md) and
[two][two].

| a | b |
|---|---|
| x | [three](./three.md) |

> quoted
> [four](./four.md)

<p>
  <a href="./five.md">five</a>
</p>

[two]: ./two.md
"""
    report = check_book(tmp_path, {"here.md": page})
    assert found(report) == [
        ("here.md", 7, "./one.md"),
        ("here.md", 12, "./three.md"),
        ("here.md", 15, "./four.md"),
        ("here.md", 18, "./five.md"),
        ("here.md", 21, "./two.md"),
    ]


def test_the_page_that_was_probably_meant_is_named(tmp_path: Path) -> None:
    files = {**DOCUSAURUS, "docs/here.md": "[x](./01-nodes)\n", "docs/01-nodes.md": NODES}
    (finding,) = check_book(tmp_path, files).findings
    assert finding.message == "There is no page ./01-nodes. Is docs/01-nodes.md meant, at /docs/nodes?"


@pytest.mark.parametrize(
    "target", ["#no", "./nodes.md#no", "./nodes#no", "/docs/nodes#no", "./nodes.md#executor"]
)
def test_an_anchor_that_the_page_does_not_have_is_found(tmp_path: Path, target: str) -> None:
    files = {**DOCUSAURUS, "docs/here.md": f"# Here\n\n[x]({target})\n", "docs/nodes.md": NODES}
    assert found(check_book(tmp_path, files), FindingKind.MISSING_ANCHOR) == [("docs/here.md", 3, target)]


def test_the_nearest_anchor_is_named(tmp_path: Path) -> None:
    (finding,) = check_book(tmp_path, {"here.md": "[x](nodes.md#executer)\n", "nodes.md": NODES}).findings
    assert finding.message == "nodes.md has no anchor #executer. The nearest is #executors."


@pytest.mark.parametrize(
    "target_page",
    [
        'Text <a id="spot"></a>.\n',
        '<div id="spot">\n\nText.\n\n</div>\n',
        "> ## Spot\n\nText.\n",
        "import Table from '@site/src/Table';\n\n<Table />\n",
        "import Part from './_part.mdx';\n\n<Part />\n",
        '```mdx-code-block\n<details id="spot">\n```\n\nText.\n',
    ],
    ids=["anchor", "tag", "quoted-heading", "component", "partial", "live-fence"],
)
def test_an_anchor_that_is_or_may_be_there_is_not_missed(tmp_path: Path, target_page: str) -> None:
    files = {
        **DOCUSAURUS,
        "docs/here.md": "[x](./there.mdx#spot)\n",
        "docs/there.mdx": target_page,
        "docs/_part.mdx": "## Spot\n\nText.\n",
    }
    assert found(check_book(tmp_path, files)) == []


def test_an_anchor_that_neither_a_page_nor_its_partial_has_is_found(tmp_path: Path) -> None:
    files = {
        **DOCUSAURUS,
        "docs/here.md": "[x](./there.mdx#no)\n",
        "docs/there.mdx": "import Part from './_part.mdx';\n\n<Part />\n",
        "docs/_part.mdx": "## Spot\n\nText.\n",
    }
    assert found(check_book(tmp_path, files)) == [("docs/here.md", 1, "./there.mdx#no")]


def test_a_file_that_is_not_there_is_found(tmp_path: Path) -> None:
    page = "![x](./no.png) ![x](/img/no.svg) [x](./no.csv)\n"
    report = check_book(tmp_path, {**DOCUSAURUS, "docs/here.md": page, "static/img/logo.svg": ""})
    assert [finding.kind for finding in report.findings] == [FindingKind.MISSING_FILE] * 3
    assert {finding.text for finding in report.findings} == {"./no.png", "/img/no.svg", "./no.csv"}


def test_an_image_from_the_root_of_a_site_without_a_static_folder_is_not_judged(tmp_path: Path) -> None:
    assert found(check_book(tmp_path, {**DOCUSAURUS, "docs/here.md": "![x](/img/no.svg)\n"})) == []


def test_a_path_from_the_root_of_an_unknown_site_is_not_judged(tmp_path: Path) -> None:
    assert found(check_book(tmp_path, {"here.md": "[x](/docs/no) [x](/no.md) ![x](/no.png)\n"})) == []


def test_an_mdbook_links_pages_by_their_source_or_by_what_is_made_of_it(tmp_path: Path) -> None:
    one = "[x](part/README.md#two) [x](part/index.html#two) [x](part/) [x](../std/no.html)"
    two = "[x](../one.html#one) [x](../no.html) [x](../one.md#no) [x](../four.md)"
    files = {
        **MDBOOK,
        "src/SUMMARY.md": "# Summary\n\n- [One](one.md)\n- [Two](part/README.md)\n- [Three](three.md)\n",
        "src/one.md": f"{one}\n\n# One\n",
        "src/part/README.md": f"{two}\n\n# Two\n",
        "src/four.md": "# Four\n\nText.\n",
    }
    assert found(check_book(tmp_path, files)) == [
        ("src/part/README.md", 1, "../no.html"),
        ("src/part/README.md", 1, "../four.md"),
        ("src/SUMMARY.md", 5, "three.md"),
        ("src/part/README.md", 1, "../one.md#no"),
    ]


def test_a_mkdocs_page_is_linked_by_its_source_or_its_address(tmp_path: Path) -> None:
    files = {
        **MKDOCS,
        "docs/index.md": "# Home\n\n[x](guide/nodes.md#end) [x](guide/nodes/#executors) [x](guide/no.md)\n",
        "docs/guide/nodes.md": f"{NODES}\n![x](../img/a.png) <img src='../../img/a.png' alt=''>\n",
        "docs/api.md": "::: robots.nodes\n",
        "docs/more.md": "[x](api.md#robots.nodes.Node) [x](guide/nodes.md#no)\n",
        "docs/img/a.png": b"",
    }
    assert found(check_book(tmp_path, files)) == [
        ("docs/index.md", 3, "guide/no.md"),
        ("docs/more.md", 1, "guide/nodes.md#no"),
    ]


def test_a_page_that_is_a_symbolic_link_may_link_from_either_place(tmp_path: Path) -> None:
    files = {**MKDOCS, "CHANGES.md": "# Changes\n", "GUIDE.md": "[x](CHANGES.md) [x](index.md)\n"}
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "guide.md").symlink_to("../GUIDE.md")
    assert found(check_book(tmp_path, {**files, "docs/index.md": "[x](guide.md)\n"})) == []


def test_a_single_page_is_checked_against_the_files_beside_it(tmp_path: Path) -> None:
    (tmp_path / "there.md").write_text("# There\n")
    here = tmp_path / "here.md"
    here.write_text("# Here\n\n[x](there.md) [x](no.md) [x](#here) [x](#no)\n")
    report = check(here, site_of(here))
    assert [finding.text for finding in report.findings] == ["no.md", "#no"]
