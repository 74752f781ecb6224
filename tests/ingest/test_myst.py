from __future__ import annotations

import json
from pathlib import Path

import pytest

from glossator.errors import BookError
from glossator.ingest.discover import list_pages
from glossator.ingest.page import load_page, process_page
from glossator.ingest.sites import PageFacts, Site, SiteKind, site_of
from glossator.model import Span
from glossator.testing import WordEmbedder

CONF = 'project = "Robots"\nextensions = ["myst_nb"]\n'


def write(root: Path, **files: str) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root


def text_of(root: Path, path: str = "index.md") -> str:
    return load_page(root, path, site_of(root)).text.strip("\n")


@pytest.mark.parametrize(
    ("source", "markdown"),
    [
        ("{func}`a.b` {func}`~a.b` {guilabel}`Save` {term}`x <y>`", "`a.b` `b` Save x"),
        ("See {cite}`a,b`, {cite:t}`c` and {footcite:p}`d`.", "See, and."),
        ("{pep}`8` {rfc}`2822` {pep}`own <8>`", "PEP 8 RFC 2822 own"),
        ("By {eq}`bellman`, H{sub}`2`O, x{sup}`2`, {math}`y`", "By (bellman), H<sub>2</sub>O, x<sup>2</sup>, $y$"),
        ("{numref}`Figure %s <a>` {numref}`Table {number} <b>`", "Figure Table"),
        ("A role that {ref}`goes\non <a>` here", "A role that goes on here"),
        ("The `{ref}` role and ``{doc}`a` ``, {ref}`not closed", "The `{ref}` role and ``{doc}`a` ``, {ref}`not closed"),
        ("% a comment\nText\n+++ {\"a\": 1}\nMore {{ name }}", "Text\n\nMore {{ name }}"),
        ("```{doctest}\n>>> 1\n1\n```", "```pycon\n>>> 1\n1\n```"),
        ("```{parsed-literal}\npip *x*\n```", "```\npip *x*\n```"),
        ("```{code-cell} ipython3\n:tags: [a]\n\nx\n```", "```python\n\nx\n```"),
        ("```{code-cell} ipython3\n---\ntags: [a]\n---\nx\n```", "```python\nx\n```"),
        ("```{code-cell}\n:tags: [remove-cell]\nx\n```", ""),
        ("```{code-block} python\n:caption: a.py\nx\n```", '```python title="a.py"\nx\n```'),
        ("```{figure} a.png\n---\nalt: >\n  A\n  ship\n---\nCaption.\n```", "![A ship](a.png)\n\nCaption."),
        ("```{glossary}\na\nb : key\n  Is *it*.\n\n  More.\n```", "- **a**, **b**: Is *it*.\n\n  More."),
        ("```{glossary}\n{term}`a`\n: Is it.\n```", "- **a**: Is it."),
        ("Term\n: Is it.\n: Is that.\n\n**Bold**\n\n: More.", "- **Term**: Is it.\n  Is that.\n\n- **Bold**: More."),
        ("````{tab-set}\n```{tab-item} Linux\napt\n```\n````", "**Linux**\n\napt"),
        ("```{epigraph}\nWords.\n```", "Words."),
        ("```{sidebar} The side\nBeside.\n```", "**The side**\n\nBeside."),
        ("```{list-table} Prices\n* - A\n  - 1\n```", "**Prices**\n\n* - A\n  - 1"),
        ("```{exercise} Named\n:label: a\nDo.\n```", "**Exercise (Named)**\n\nDo."),
        ("```{solution} a\nDone.\n```", "**Solution**\n\nDone."),
        (":::{prf:theorem}\nHolds.\n:::", "**Theorem**\n\nHolds."),
        ("```{exercise-start}\n```\nDo.\n```{exercise-end}\n```", "**Exercise**\n\n\nDo."),
        ("```{program-output} ls\n```\n```{bibliography}\n```", ""),
        ("``` {note}\nText.\n```", ":::note\n\nText.\n:::"),
        ("```{.python .input}\nx\n```", "```{.python .input}\nx\n```"),
        (":::{note}\nA\n    :::{tip}\n    B\n    :::\n:::", ":::note\n\nA\n    :::tip\n\n    B\n    :::\n:::"),
    ],
)  # fmt: skip
def test_reads_as_markdown(tmp_path: Path, source: str, markdown: str) -> None:
    assert text_of(write(tmp_path, **{"conf.py": CONF, "index.md": source})) == markdown


def test_a_link_without_a_text_shows_the_title_of_its_target(tmp_path: Path) -> None:
    page = "[](a.md) [](#The-Label) [](a.md#the-label) [](no.md) `[](a.md)` ![](a.md)"
    files = {"a.md": "---\ntitle: Own\n---\n(the-label)=\n## Nodes\n"}
    shown = "[Own](a.md) [Nodes](#The-Label) [Nodes](a.md#the-label) [](no.md) `[](a.md)` ![](a.md)"
    assert text_of(write(tmp_path, **{"conf.py": CONF, "index.md": page, **files})) == shown


def test_cells_of_a_notebook_are_read_as_pages_are(tmp_path: Path) -> None:
    markdown = {"cell_type": "markdown", "source": ["(start)=\n", "# Nodes\n", "See {doc}`b`."]}
    removed = {"cell_type": "code", "source": "x", "outputs": [], "metadata": {"tags": ["remove-cell"]}}
    code = {"cell_type": "code", "source": "{ref}`a`", "outputs": []}
    notebook = json.dumps({"cells": [markdown, removed, code]})
    root = write(tmp_path, **{"conf.py": CONF, "index.ipynb": notebook, "b.md": "# Second, {ref}`start`\n"})
    assert text_of(root, "index.ipynb") == (
        "# Nodes {#start}\nSee Second, start.\n\n```python\n{ref}`a`\n```"
    )
    assert text_of(root, "b.md") == "# Second, Nodes"
    file = load_page(root, "index.ipynb", site_of(root))
    (chunk,) = process_page(file, site_of(root), WordEmbedder(), "english").chunks
    start = file.text.index("See")
    found = chunk.place_of(Span(start, start + 3))
    assert json.loads(notebook[found.start : found.end]) == markdown


class TestFolderWithoutConfiguration:
    @pytest.mark.parametrize(
        ("page", "kind"),
        [
            ("```{note}\nA\n```", SiteKind.SPHINX),
            (":::{important}\nA\n:::", SiteKind.SPHINX),
            ("1. a\n\n   ```{code-cell}\n   x\n   ```", SiteKind.SPHINX),
            ("::: {.callout-note}\nA\n:::", SiteKind.PLAIN),
            ("```{r}\nx\n```\n```{python}\nx\n```", SiteKind.PLAIN),
            ("```{.python .input}\nx\n```", SiteKind.PLAIN),
            ("````md\n```{note}\nA\n```\n````", SiteKind.PLAIN),
            (":::note\nA\n:::", SiteKind.PLAIN),
        ],
    )
    def test_is_read_as_myst_where_a_page_has_its_directives(
        self, tmp_path: Path, page: str, kind: SiteKind
    ) -> None:
        assert site_of(write(tmp_path, **{"a/b.md": f"# Page\n\n{page}\n"})).kind is kind

    def test_has_its_pages_below_the_chapters_of_their_folders(self, tmp_path: Path) -> None:
        pages = {
            "index.md": "# A\n",
            "one/b.md": "# B\n\n```{note}\nC\n```\n",
            "one/c.ipynb": "{}",
            "d.rst": "D\n=\n",
        }
        site = site_of(write(tmp_path, **pages))
        assert list_pages(tmp_path, site.is_page).paths == ("d.rst", "index.md", "one/b.md", "one/c.ipynb")
        place = site.place(PageFacts("one/b.md", {}, []))
        assert (place.url, place.chapter) == ("/one/b.html", "One")

    def test_other_generators_are_found_out_first(self, tmp_path: Path) -> None:
        write(tmp_path, **{"src/SUMMARY.md": "", "src/a.md": "```{note}\nA\n```\n"})
        assert site_of(tmp_path).kind is SiteKind.MDBOOK
        write(tmp_path, **{"part/a.mdx": ""})
        assert site_of(tmp_path / "part").kind is SiteKind.DOCUSAURUS


class TestJupyterBook:
    def site(self, root: Path, toc: str, config: str = "title: Robots\n") -> Site:
        pages = {f"{name}.md": f"# Page {name}\n" for name in "abcd"}
        return site_of(write(root, **{"_toc.yml": toc, "_config.yml": config, **pages}))

    @pytest.mark.parametrize(
        ("toc", "order"),
        [
            ("format: jb-article\nroot: b\nsections:\n- file: a\n- file: c\n  sections:\n  - file: d\n", {"b": "Page b", "a": "Page a", "c": "Page c", "d": "Page c"}),
            ("format: jb-book\nroot: b\nchapters:\n- file: c.md\n  sections:\n  - glob: a*\n", {"b": "Page b", "c": "Page c", "a": "Page c", "d": "Page d"}),
            ("root: b\nsubtrees:\n- caption: One\n  entries:\n  - file: c\n", {"b": "Page b", "c": "One", "a": "Page a", "d": "Page d"}),
            ("- file: b\n- part: One\n  chapters:\n  - file: c\n    sections:\n    - file: d\n- file: a\n", {"b": "Page b", "c": "One", "d": "One", "a": "Page a"}),
        ],
        ids=["article", "book", "default", "list"],
    )  # fmt: skip
    def test_contents_give_order_and_chapters(self, tmp_path: Path, toc: str, order: dict[str, str]) -> None:
        site = self.site(tmp_path, toc)
        places = {name: site.place(PageFacts(f"{name}.md", {}, [])) for name in "abcd"}
        in_order = sorted(places.items(), key=lambda item: item[1].order)
        assert [(name, place.chapter) for name, place in in_order] == list(order.items())

    def test_only_listed_pages_are_published_where_it_says_so(self, tmp_path: Path) -> None:
        site = self.site(tmp_path, "root: b\nentries:\n- file: c\n", "only_build_toc_files: true\n")
        assert list_pages(tmp_path, site.is_page).paths == ("b.md", "c.md")

    def test_its_configuration_without_contents_is_jekylls(self, tmp_path: Path) -> None:
        assert self.site(tmp_path, "docs: [a]\n").kind is SiteKind.JEKYLL

    def test_its_configuration_for_sphinx_reads_the_contents_too(self, tmp_path: Path) -> None:
        config = "project = 'x'\nextensions = ['myst_nb', 'sphinx_external_toc']\n"
        write(tmp_path, **{"conf.py": config, "_toc.yml": "root: b\nentries:\n- file: a\n", "a.md": "# A\n"})
        assert site_of(tmp_path).place(PageFacts("a.md", {}, [])).order == (0.0, "a")

    @pytest.mark.parametrize("name", ["_toc.yml", "_config.yml", "myst.yml"])
    def test_a_broken_configuration_is_named(self, tmp_path: Path, name: str) -> None:
        write(tmp_path, **{"_toc.yml": "root: a\n", "_config.yml": "", name: "a: [\n"})
        with pytest.raises(BookError, match=name):
            site_of(tmp_path)


class TestMystmd:
    def test_a_page_that_its_contents_do_not_list_is_none(self, tmp_path: Path) -> None:
        config = "project: {toc: [{file: b.md}, {pattern: '*.md'}], exclude: [c.md]}\n"
        pages = {f"{name}.md": "# A\n" for name in ("a", "b", "c", "d/e")}
        site = site_of(write(tmp_path, **{"myst.yml": config, **pages}))
        assert list_pages(tmp_path, site.is_page).paths == ("a.md", "b.md")
        assert [site.place(PageFacts(f"{name}.md", {}, [])).url for name in "ab"] == ["/a", "/"]

    def test_the_operator_says_where_it_is_published(self, tmp_path: Path) -> None:
        site = site_of(
            write(tmp_path, **{"myst.yml": "project: {}\n", "a.md": "", "index.md": ""}), base_url="/b/"
        )
        assert site.place(PageFacts("a.md", {}, [])).url == "/b/a"
        assert site.place(PageFacts("index.md", {}, [])).url == "/b/"

    def test_a_folder_without_configuration_may_be_read_as_one(self, tmp_path: Path) -> None:
        site = site_of(write(tmp_path, **{"01_a.md": "# A\n"}), kind=SiteKind.MYST)
        assert site.place(PageFacts("01_a.md", {}, [])).url == "/"
