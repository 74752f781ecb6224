"""The widget's client and its conversation in node, against real servers; the sentences are in widget/test."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from get_widget_tools import WIDGET, get_widget_tools
from npm import node

PATIENCE = 300.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "servers"),
    [
        ("sse", ()),
        ("client", ("open", "keyed", "limited")),
        ("resume", ("open", "slow", "hasty", "keyed")),
        ("chat", ("open", "slow", "hasty", "keyed")),
    ],
)
def test_the_client_keeps_its_word(
    name: str, servers: tuple[str, ...], begin: Callable[[str], dict[str, str]], tmp_path: Path
):
    get_widget_tools()
    told = {key: value for server in servers for key, value in begin(server).items()}
    done = subprocess.run(
        [*node(), "test/run.mjs", name, str(tmp_path)],
        cwd=WIDGET,
        env={**os.environ, **{f"WIDGET_{key}": value for key, value in told.items()}},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# fail 0" in done.stdout
    assert "# pass 0" not in done.stdout
