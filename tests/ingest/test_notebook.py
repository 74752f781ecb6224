from __future__ import annotations

import json
from pathlib import Path

import pytest

from glossator.errors import PageUnreadable
from glossator.ingest.discover import list_pages
from glossator.ingest.page import load_page, process_page
from glossator.ingest.sites import site_of
from glossator.lint import check
from glossator.model import Span
from glossator.testing import WordEmbedder


def markdown(text: str) -> dict[str, object]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def code(text: str, *outputs: dict[str, object]) -> dict[str, object]:
    return {"cell_type": "code", "metadata": {}, "source": text, "outputs": list(outputs)}


def stream(text: str) -> dict[str, object]:
    return {"output_type": "stream", "name": "stdout", "text": [text]}


def result(**data: object) -> dict[str, object]:
    return {
        "output_type": "execute_result",
        "data": {name.replace("_", "/"): value for name, value in data.items()},
    }


def write(root: Path, *cells: dict[str, object], language: str = "python") -> Path:
    notebook = {
        "metadata": {"language_info": {"name": language}, "cells": [1]},
        "cells": cells,
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (root / "one.ipynb").write_text(json.dumps(notebook, indent=1), "utf-8")
    return root


def text_of(root: Path) -> str:
    return load_page(root, "one.ipynb", site_of(root)).text


def test_cells_become_markdown_and_fences(tmp_path: Path) -> None:
    write(tmp_path, markdown("# Nodes\n\nA node computes."), code("x = 1\ny = 2"), markdown("After."))
    assert text_of(tmp_path) == "# Nodes\n\nA node computes.\n\n```python\nx = 1\ny = 2\n```\n\nAfter.\n\n"


def test_code_has_the_language_of_the_kernel_and_a_fence_longer_than_its_own(tmp_path: Path) -> None:
    write(tmp_path, code('s <- "```"'), language="R")
    assert text_of(tmp_path) == '````R\ns <- "```"\n````\n\n'


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        (stream("\x1b[31mred\x1b[0m\n"), "red"),
        (result(text_plain=["4", "2"]), "42"),
        (result(text_plain="<Figure>", image_png="aGk="), None),
        (stream("x" * 2001), None),
        ({"output_type": "error", "ename": "E", "traceback": ["t"]}, None),
    ],
)
def test_only_short_text_outputs_are_kept(
    tmp_path: Path, output: dict[str, object], shown: str | None
) -> None:
    write(tmp_path, code("f()", output))
    after = f"\n\n```text\n{shown}\n```" if shown else ""
    assert text_of(tmp_path) == f"```python\nf()\n```{after}\n\n"


def test_front_matter_stands_in_the_first_raw_cell(tmp_path: Path) -> None:
    write(tmp_path, {"cell_type": "raw", "source": "---\ntitle: Robots\n---"}, markdown("Text."))
    page = process_page(
        load_page(tmp_path, "one.ipynb", site_of(tmp_path)), site_of(tmp_path), WordEmbedder(), "english"
    )
    assert page.title == "Robots"


def test_a_citation_of_a_cell_has_its_place_in_the_file(tmp_path: Path) -> None:
    write(tmp_path, markdown("# Nodes\n\nA node computes."), code("x = 1"))
    file = load_page(tmp_path, "one.ipynb", site_of(tmp_path))
    (chunk,) = process_page(file, site_of(tmp_path), WordEmbedder(), "english").chunks
    start = file.text.index("x = 1")
    place = chunk.place_of(Span(start, start + 5))
    raw = (tmp_path / "one.ipynb").read_text("utf-8")
    assert json.loads(raw[place.start : place.end]) == code("x = 1")


@pytest.mark.parametrize("text", ["no json", "[1]", '{"worksheets": []}', "[" * 100_000])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "one.ipynb").write_text(text)
    with pytest.raises(PageUnreadable, match="is not a notebook"):
        text_of(tmp_path)


def test_mkdocs_publishes_notebooks_with_its_plugin_only(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    write(tmp_path / "docs", markdown("# One"))
    config = tmp_path / "mkdocs.yml"
    for plugins, pages in (("[search]", ()), ("[search, mkdocs-jupyter]", ("docs/one.ipynb",))):
        config.write_text(f"site_name: x\nplugins: {plugins}\n")
        assert list_pages(tmp_path, site_of(tmp_path).is_page).paths == pages


def test_findings_name_the_line_of_the_cell_in_the_file(tmp_path: Path) -> None:
    write(tmp_path, markdown("# One"), markdown("A [link](nowhere.md)."))
    (finding,) = check(tmp_path, site_of(tmp_path)).findings
    lines = (tmp_path / "one.ipynb").read_text().split("\n")
    assert finding.line is not None
    assert "nowhere" in "".join(lines[finding.line - 1 : finding.line + 6])
    assert "One" not in "".join(lines[finding.line - 1 :])
