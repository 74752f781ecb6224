"""`glossator doctor` finds what stops answers, says what to do, and changes nothing."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from pydantic import SecretStr

from glossator.adapters.index.generations import IndexHome
from glossator.model import KeyKind
from glossator.settings import Settings
from glossator.web.auth.keyring import make_key
from glossator.wiring.doctor import Finding, Findings, Severity, examine
from glossator.wiring.doctor.access import check_origins
from glossator.wiring.doctor.machine import check_index
from glossator.wiring.engine import keys_of
from support.glossator_command import run_command
from support.writers_server import model_server, says, status

CANARY = "feathers-and-song-in-a-password"
KEY = "0123456789abcdef0123456789abcdef"


def _examined(home: Path, *, call_model: bool = False, **settings: object) -> dict[str, Finding]:
    """The worst finding of each subject."""
    given = Settings(home=home, **settings)  # type: ignore[arg-type]
    findings = asyncio.run(examine(given, call_model=call_model)).all
    order = [Severity.OK, Severity.NOTE, Severity.FAULT]
    return {found.subject: found for found in sorted(findings, key=lambda found: order.index(found.level))}


def _levels(findings: dict[str, Finding]) -> dict[str, Severity]:
    return {subject: found.level for subject, found in findings.items() if found.level is not Severity.OK}


def test_a_server_that_is_well_has_no_fault(home: Path, tmp_path: Path):
    database = SecretStr(f"sqlite:///{tmp_path / 'records.sqlite'}")
    before = sorted(home.rglob("*"))
    found = _examined(home, database_url=database, secret="long enough a secret", keys_operator=KEY)
    assert _levels(found) == {}
    assert "generation 1, " in found["index"].text
    assert "is made at the first start" in found["database"].text
    assert "1 secret, 0 publishable" in found["keys"].text
    assert [path for path in sorted(home.rglob("*")) if "readers" not in path.parts] == [
        path for path in before if "readers" not in path.parts
    ]
    assert not [*tmp_path.iterdir()]


def test_everything_that_is_wrong_is_found_at_once_and_no_secret_is_told(tmp_path: Path):
    found = _examined(
        tmp_path / "home",
        host="0.0.0.0",
        database_url=f"postgresql://reader:{CANARY}@127.0.0.1:9/books",
        redis_url=f"redis://:{CANARY}@127.0.0.1:9",
        model="some-model",
        model_base_url="http://127.0.0.1:9/v1",
        model_api_key=CANARY,
        secret="short",
    )
    assert _levels(found) == {
        "index": Severity.FAULT,
        "database": Severity.FAULT,
        "redis": Severity.NOTE,
        "writer": Severity.FAULT,
        "signing key": Severity.FAULT,
        "keys": Severity.FAULT,
    }
    assert all(finding.todo for finding in found.values() if finding.level is not Severity.OK)
    assert CANARY not in str(found)
    assert not (tmp_path / "home").exists()


def test_keys_in_the_database_count_until_they_are_revoked(home: Path, tmp_path: Path):
    url = SecretStr(f"sqlite:///{tmp_path / 'records.sqlite'}")
    made = make_key(KeyKind.SECRET, datetime.now(UTC))

    async def add() -> None:
        async with keys_of(Settings(database_url=url)) as keys:
            await keys.add(made.key)

    async def revoke() -> None:
        async with keys_of(Settings(database_url=url)) as keys:
            await keys.revoke(made.key.id, datetime.now(UTC))

    asyncio.run(add())
    found = _examined(home, database_url=url, host="0.0.0.0")
    assert found["database"].text == "The SQLite file can be read and written"
    assert (found["keys"].level, "nobody can open the desk" in found["keys"].text) == (Severity.NOTE, True)
    asyncio.run(revoke())
    assert _examined(home, database_url=url, host="0.0.0.0")["keys"].level is Severity.FAULT
    assert _examined(home, database_url=url)["keys"].level is Severity.NOTE


@pytest.fixture
def damaged_home(home: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(home, tmp_path / "home"))


def test_a_damaged_index_and_one_of_another_model_are_faults(damaged_home: Path):
    settings = Settings(home=damaged_home)
    manifest = IndexHome(damaged_home).manifest(1).manifest
    findings = Findings()
    check_index(settings, replace(manifest.embedder, fingerprint="another"), findings)
    next((damaged_home / "generations").rglob("*id_tracker.mappings")).unlink()
    check_index(settings, manifest.embedder, findings)
    another, damaged = [finding for finding in findings.all if finding.subject == "index"]
    assert (another.level, damaged.level) == (Severity.FAULT, Severity.FAULT)
    assert "was ingested with" in another.text
    assert damaged.todo == "Run `glossator rollback`, or ingest the book again."


def test_a_clock_behind_the_last_ingest_is_noticed(damaged_home: Path):
    home = IndexHome(damaged_home)
    stored = home.manifest(1)
    late = stored.model_copy(
        update={"manifest": replace(stored.manifest, created_at="2999-01-01T00:00:00+00:00")}
    )
    (home.folder(1) / "manifest.json").write_text(late.model_dump_json())
    findings = Findings()
    check_index(Settings(home=damaged_home), stored.manifest.embedder, findings)
    (clock,) = [finding for finding in findings.all if finding.subject == "clock"]
    assert (clock.level, "ingested later than that" in clock.text) == (Severity.NOTE, True)


def test_the_language_model_is_called_when_asked_and_only_then(home: Path):
    with model_server() as server:
        server.will(says("How do I make a node?"), status(401, "wrong key"))
        assert _writer(home, server.url).level is Severity.OK
        assert not server.calls
        called = _writer(home, server.url, call_model=True)
        assert (called.level, "answered a short call" in called.text, len(server.calls)) == (
            Severity.OK,
            True,
            1,
        )
        refused = _writer(home, server.url, call_model=True)
        assert (refused.level, "GLOSSATOR_MODEL_API_KEY" in refused.todo) == (Severity.FAULT, True)
        assert _writer(home, server.url, call_model=True, fallback_writer=True).level is Severity.NOTE


def _writer(home: Path, url: str, *, call_model: bool = False, fallback_writer: bool = False) -> Finding:
    model = {"model": "some-model", "model_base_url": url, "fallback_writer": fallback_writer}
    return _examined(home, call_model=call_model, **model)["writer"]


@contextmanager
def _site(location: str | None = None) -> Iterator[str]:
    """A site that answers, or leads elsewhere."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(301 if location else 200)
            if location:
                self.send_header("Location", location)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def _origins(*origins: str) -> dict[str, Finding]:
    findings = Findings()
    asyncio.run(check_origins(origins, findings))
    return {finding.subject.removeprefix("origin "): finding for finding in findings.all}


def test_an_origin_is_visited_and_one_that_leads_elsewhere_is_noticed():
    with _site() as site, _site("https://www.book.example/start") as moved, _site("/docs/") as inner:
        found = _origins(site, moved, inner, "http://127.0.0.1:9")
    assert [found[origin].level for origin in (site, inner)] == [Severity.OK, Severity.OK]
    assert "It leads to https://www.book.example" in found[moved].text
    assert "--origins https://www.book.example" in found[moved].todo
    assert found["http://127.0.0.1:9"].level is Severity.NOTE


def _run(folder: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_command(folder, "doctor", *words, **environment)


def test_the_exit_code_says_whether_readers_get_answers(home: Path, tmp_path: Path):
    well = _run(tmp_path, GLOSSATOR_HOME=str(home), GLOSSATOR_KEYS_OPERATOR=KEY)
    assert (well.returncode, well.stderr) == (0, "")
    assert "ok    index: “" in well.stdout
    assert KEY not in well.stdout
    ill = _run(tmp_path, "--json", GLOSSATOR_HOME=str(tmp_path / "none"))
    assert ill.returncode == 1
    told = json.loads(ill.stdout)
    assert told["stops_answers"]
    (index,) = [finding for finding in told["findings"] if finding["subject"] == "index"]
    assert (index["level"], index["todo"]) == ("fault", "Run `glossator ingest PATH`.")


def test_a_setting_that_is_wrong_is_a_finding(tmp_path: Path):
    done = _run(tmp_path, GLOSSATOR_HOEM="x")
    assert done.returncode == 1
    assert "fault settings: GLOSSATOR_HOEM is not a setting; the nearest is GLOSSATOR_HOME" in done.stdout
