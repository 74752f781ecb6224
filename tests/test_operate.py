"""The operator's commands as they are typed, beside a server that goes on answering."""

from __future__ import annotations

import shutil
from pathlib import Path

import httpx2
import pytest

from support.operator import Operator
from support.serve_command import serve
from support.serve_process import is_soon

KEY = "0123456789abcdef0123456789abcdef"
NODES = {"question": "What does a node compute?"}


@pytest.fixture
def operator(tmp_path: Path) -> Operator:
    return Operator(tmp_path)


def test_a_page_is_read_again_in_its_place_and_a_book_is_not_lost_by_a_slip(operator: Operator):
    operator.does("ingest", "book")
    (operator.folder / "book" / "nodes.md").write_text("# Nodes\n\nA node is a bakery in the harbour.\n")
    assert "Generation 2 is ready: 4 pages" in operator.does("ingest", "book/nodes.md")
    assert "bakery" in operator.does("search", "What is a node?", "--top-k", "1")
    (operator.folder / "essay.md").write_text("# Essay\n\nOn something else.\n")
    (operator.folder / "book.docx").write_bytes(b"PK")
    assert "add --replace if that is meant" in operator.is_refused("ingest", "essay.md")
    assert "book.docx is no page of a book" in operator.is_refused("ingest", "book.docx")
    assert "Generation  2" in operator.does("info")
    assert "Generation 3 is ready: 1 page" in operator.does("ingest", "essay.md", "--replace")
    assert "Generation 2" in operator.does("rollback")
    assert "bakery" in operator.does("search", "What is a node?", "--top-k", "1")
    assert "no earlier generation" in operator.is_refused("rollback")


def test_rollback_and_backup_beside_a_running_server(operator: Operator, tmp_path: Path):
    operator.does("ingest", "book")
    with serve(tmp_path, operator.home, keys_operator=KEY) as command:
        client = httpx2.Client(base_url=command.url, headers={"Authorization": f"Bearer {KEY}"}, timeout=60)

        def answer() -> dict[str, object]:
            return client.post("/v1/ask", json=NODES).raise_for_status().json()

        session = answer()["session"]
        database = {"GLOSSATOR_DATABASE_URL": f"sqlite:///{tmp_path / 'records.sqlite'}"}
        assert "and the database" in operator.does("backup", "backup.tar.gz", **database)
        (operator.folder / "book" / "nodes.md").write_text("# Nodes\n\nA node is a bakery.\n")
        operator.does("ingest", "book")
        assert is_soon(lambda: answer()["index"]["generation"] == 2)  # type: ignore[index]
        operator.does("rollback")
        assert is_soon(lambda: answer()["index"]["generation"] == 1)  # type: ignore[index]
        client.close()
    shutil.rmtree(operator.home)
    elsewhere = {"GLOSSATOR_HOME": str(tmp_path / "new")}
    assert "Restored generation 1" in operator.does("restore", "backup.tar.gz", **elsewhere)
    assert "There is a database already" in operator.is_refused("restore", "backup.tar.gz", **elsewhere)
    assert session["id"] in operator.does("sessions", "list", **elsewhere)  # type: ignore[index]
    assert "position of an arm" in operator.does("search", "What does a node compute?", **elsewhere)
