"""The glossary and the page about Python name what there is, and all that is public."""

from __future__ import annotations

import re
from pathlib import Path

import glossator.model
import glossator.model.insights
import glossator.ports

DOCS = Path(__file__).parent.parent / "docs"
ROWS = re.findall(r"^\| (\w+) \| `(\w+)` \|", (DOCS / "glossary.md").read_text(), re.MULTILINE)


def test_every_code_name_of_the_glossary_is_public():
    public = {
        *glossator.__all__,
        *glossator.model.__all__,
        *vars(glossator.model.insights),
        *vars(glossator.ports),
    }
    assert {name for _, name in ROWS} <= public
    assert [word for word, _ in ROWS] == sorted(word for word, _ in ROWS)


def test_every_public_name_is_in_the_glossary():
    assert {*glossator.__all__} <= {name for _, name in ROWS}


def test_the_page_about_python_lists_exactly_the_public_names():
    listed = re.search(r"The public names are (.+?), of which", (DOCS / "python.md").read_text(), re.DOTALL)
    assert listed
    assert {*re.findall(r"`(\w+)`", listed[1])} == {*glossator.__all__}
