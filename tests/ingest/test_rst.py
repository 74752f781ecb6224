from __future__ import annotations

from pathlib import Path

import pytest

from glossator.ingest.discover import list_pages
from glossator.ingest.page import load_page, process_page
from glossator.ingest.sites import PageFacts, SiteKind, site_of
from glossator.lint import check
from glossator.model import Span
from glossator.testing import WordEmbedder


def book(root: Path, page: str, **files: str) -> Path:
    for name, text in {"conf.py": 'project = "Robots"\n', "index.rst": page, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root


def text_of(root: Path, path: str = "index.rst") -> str:
    return load_page(root, path, site_of(root)).text.rstrip("\n")


@pytest.mark.parametrize(
    ("source", "markdown"),
    [
        ("A *b* **c** ``d`` `e <http://f>`_.", "A *b* **c** `d` [e](http://f)."),
        ("Stars * and_ under_score [x] <y>.", "Stars \\* and\\_ under_score \\[x\\] \\<y>."),
        ("\\1. no list", "1\\. no list"),
        ("* a\n\n  b\n* c", "- a\n\n  b\n- c"),
        ("3. a\n4. b", "3. a\n4. b"),
        ("term\n   means this", "- **term**: means this"),
        ("x\n\n:name: value", "x\n\n- **name**: value"),
        ("Before::\n\n   code\n     more", "Before:\n\n```\ncode\n  more\n```"),
        (".. code-block:: c++\n   :linenos:\n\n   int x;", "```c++\nint x;\n```"),
        (".. warning:: Hot\n\n   Very.", ":::warning\n\nHot\n\nVery.\n\n:::"),
        (".. admonition:: Own title\n\n   Text.", ":::note[Own title]\n\nText.\n\n:::"),
        (".. image:: a.png\n   :alt: A robot", "![A robot](a.png)"),
        (".. figure:: a.png\n   :alt: A\n\n   Caption.", "![A](a.png)\n\nCaption."),
        (".. unknown:: argument\n   :option: 1\n\n   Shown *text*.", "Shown *text*."),
        (".. py:function:: spin(node)\n\n   Runs it.", "**`spin(node)`**\n\nRuns it."),
        (".. tab:: Linux\n\n   apt", "**Linux**\n\napt"),
        (".. versionadded:: 2.1\n   Text.", "Added in version 2.1: Text."),
        (".. deprecated:: 3.0\n\n   Not *here*.", "Deprecated since version 3.0.\n\nNot *here*."),
        ("Lines [1]_.\n\n.. [1] Two.", "Lines[^1].\n\n[^1]: Two."),
        (".. raw:: html\n\n   <b>no</b>", ""),
        (".. toctree::\n\n   a", ""),
        (".. math:: x^2", "$$\nx^2\n$$"),
        (":math:`x^2` :file:`a.txt` :guilabel:`Save`", "$x^2$ `a.txt` Save"),
        (".. list-table::\n   :header-rows: 1\n\n   * - A\n     - B\n   * - 1\n     - 2", "| A | B |\n| --- | --- |\n| 1 | 2 |"),
        ("    quoted", "> quoted"),
        ("| one\n| two", "one\\\ntwo"),
        (":orphan:\n\nText.", "Text."),
        (".. comment\n\nText.", "Text."),
    ],
)  # fmt: skip
def test_reads_as_markdown(tmp_path: Path, source: str, markdown: str) -> None:
    assert text_of(book(tmp_path, source)) == markdown


def test_references_show_the_titles_of_what_they_name(tmp_path: Path) -> None:
    page = ":doc:`guide/a` :doc:`Own <guide/a>` :ref:`the-label` :ref:`x <the-label>` :ref:`none`"
    files = {"guide/a.rst": ".. _the-label:\n\nNodes\n=====\n"}
    assert text_of(book(tmp_path, page, **files)) == "Nodes Own Nodes x none"


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ("", ["a", "b", "c", "d"]),
        (":lines: 2-3", ["b", "c"]),
        (":start-after: a\n   :end-before: d", ["b", "c"]),
        (":start-at: b\n   :end-at: c", ["b", "c"]),
    ],
)
def test_listings_come_from_files(tmp_path: Path, options: str, shown: list[str]) -> None:
    root = book(tmp_path, f".. literalinclude:: x.py\n   {options}\n", **{"x.py": "a\nb\nc\nd\n"})
    assert text_of(root).split("\n") == ["```python", *shown, "```"]


def test_no_directive_reads_a_file_outside_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("hidden")
    names = ("../secret.txt", str(tmp_path / "secret.txt"))
    forms = (
        ".. literalinclude:: {}",
        ".. include:: {}",
        ".. csv-table::\n   :file: {}",
        ".. raw:: html\n   :file: {}",
    )
    page = "\n\n".join(form.format(name) for form in forms for name in names)
    assert "hidden" not in text_of(book(tmp_path / "book", page))


def test_an_included_page_is_read_as_part_of_it(tmp_path: Path) -> None:
    root = book(
        tmp_path, "One\n\n.. include:: b.txt\n\nThree", **{"b.txt": "Two :unknown:`x`\n\n.. tab:: T\n"}
    )
    assert text_of(root) == "One\n\nTwo `x`\n\n**T**\n\nThree"


def test_a_file_that_includes_itself_ends(tmp_path: Path) -> None:
    assert (
        text_of(book(tmp_path, "One\n\n.. include:: b.txt", **{"b.txt": "Two\n\n.. include:: b.txt"}))
        == "One\n\nTwo"
    )


def test_a_citation_has_its_place_in_the_file(tmp_path: Path) -> None:
    source = "Nodes\n=====\n\nA *node* computes.\n\n.. note::\n\n   Hot.\n\nMore\n----\n\n* One.\n* Two.\n"
    root = book(tmp_path, source)
    file = load_page(root, "index.rst", site_of(root))
    (chunk,) = process_page(file, site_of(root), WordEmbedder(), "english").chunks

    def place(words: str) -> str:
        start = file.text.index(words)
        found = chunk.place_of(Span(start, start + len(words)))
        return source[found.start : found.end]

    assert place("*node*") == "A *node* computes."
    assert place("Hot.") == ".. note::\n\n   Hot."
    assert place("# More") == "More\n----"
    assert place("Two.") == "* One.\n* Two."
    assert [section.anchor for section in chunk.sections] == ["nodes", "more"]


def test_a_folder_of_rst_is_a_sphinx_site_without_a_configuration_too(tmp_path: Path) -> None:
    book(tmp_path, "Nodes\n=====\n\n.. toctree::\n\n   b\n", **{"b.rst": "Second\n======\n"})
    (tmp_path / "conf.py").unlink()
    site = site_of(tmp_path)
    assert site.kind is SiteKind.SPHINX
    assert list_pages(tmp_path, site.is_page).paths == ("b.rst", "index.rst")
    place = site.place(PageFacts("b.rst", {}, []))
    assert (place.url, place.chapter) == ("/b.html", "Second")


def test_the_configuration_is_read_and_never_run(tmp_path: Path) -> None:
    config = f"import os\nproject = 'Robots'\nhtml_title = f'{{project}} 1'\nopen({str(tmp_path / 'ran')!r}, 'w')\n"
    site = site_of(book(tmp_path, "Nodes\n=====\n", **{"conf.py": config}))
    assert site.title == "Robots"
    assert not (tmp_path / "ran").exists()


def test_a_folder_url_is_made_where_read_the_docs_is_told_so(tmp_path: Path) -> None:
    book(tmp_path, "x", **{".readthedocs.yaml": "sphinx:\n  builder: dirhtml\n", "guide/index.rst": "y"})
    site = site_of(tmp_path)
    urls = [
        site.place(PageFacts(path, {}, [])).url for path in ("index.rst", "guide/index.rst", "guide/a.rst")
    ]
    assert urls == ["/", "/guide/", "/guide/a/"]


def test_findings_name_the_line_of_the_file(tmp_path: Path) -> None:
    root = book(tmp_path, "Nodes\n=====\n\nText.\n\n`x <nowhere.html>`_ is missing.\n")
    lines = {finding.line for finding in check(root, site_of(root)).findings if "nowhere" in finding.text}
    assert lines <= {6}
