"""The glossary names what there is."""

from __future__ import annotations

import re
from pathlib import Path

import glossator.model
import glossator.model.insights
import glossator.ports

PAGE = Path(__file__).parent.parent / "docs" / "glossary.md"


def test_every_code_name_of_the_glossary_is_public():
    rows = re.findall(r"^\| (\w+) \| `(\w+)` \|", PAGE.read_text(), re.MULTILINE)
    assert len(rows) >= 20
    public = {
        *glossator.__all__,
        *glossator.model.__all__,
        *vars(glossator.model.insights),
        *vars(glossator.ports),
    }
    assert {name for _, name in rows} <= public
    assert [word for word, _ in rows] == sorted(word for word, _ in rows)
