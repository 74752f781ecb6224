"""`glossator keys`, as an operator types it, with a real database."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
from pathlib import Path

import pytest

from glossator.errors import KeyInvalid
from glossator.model import KeyKind, Scope
from glossator.settings import Settings
from glossator.web.auth.keyring import Keyring
from glossator.wiring.engine import keys_of
from support.glossator_command import run_command


def _run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_command(folder, "keys", *words, GLOSSATOR_HOME=str(folder / "home"))


def _made(folder: Path, *words: str) -> str:
    done = _run(folder, "create", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def _listed(folder: Path) -> list[dict[str, object]]:
    done = _run(folder, "list", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["keys"]


def test_a_key_is_shown_once_and_only_its_digest_is_kept(tmp_path: Path):
    done = _run(tmp_path, "create", "--name", "backend")
    shown = done.stdout.strip()
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 1)
    secret = shown.split("_", 2)[2]
    assert secret not in done.stderr
    assert "shown only now" in done.stderr
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert shown.split("_")[1].encode() in kept
    assert secret.encode() not in kept
    listed = _run(tmp_path, "list", "--json").stdout
    assert secret not in listed
    with sqlite3.connect(tmp_path / "home" / "records.sqlite") as database:
        (digest,) = database.execute("select digest from api_keys").fetchone()
    database.close()
    assert digest not in listed


def test_keys_are_listed_with_what_they_open(tmp_path: Path):
    secret = _made(tmp_path, "--scopes", "ask, operate", "--name", "desk")
    page = _made(
        tmp_path,
        *("--kind", "publishable", "--origins", "https://book.example,http://localhost:3000"),
        *("--origins", "https://Other.example:443", "--anonymous"),
    )
    found = {key["id"]: key for key in _listed(tmp_path)}
    desk, public = found[secret.split("_")[1]], found[page.split("_")[1]]
    assert (
        desk["kind"],
        desk["name"],
        desk["scopes"],
        desk["origins"],
    ) == (
        "secret",
        "desk",
        ["ask", "operate"],
        [],
    )
    assert (public["kind"], public["scopes"]) == ("publishable", ["ask"])
    assert (desk["anonymous"], public["anonymous"]) == (False, True)
    assert public["origins"] == ["https://book.example", "http://localhost:3000", "https://other.example"]
    assert set(desk) == {
        "id",
        "kind",
        "name",
        "scopes",
        "origins",
        "created_at",
        "revoked_at",
        "anonymous",
        "books",
    }
    lines = _run(tmp_path, "list").stdout
    assert "publishable  ask  https://book.example" in lines
    assert "(desk)" in lines


def test_a_key_works_until_it_is_revoked(tmp_path: Path):
    shown = _made(tmp_path)
    identifier = shown.split("_")[1]

    async def kinds() -> tuple[KeyKind, frozenset[Scope]]:
        async with keys_of(Settings(home=tmp_path / "home")) as keys:
            found = await Keyring(keys).find(shown)
            return found.kind, found.scopes

    assert asyncio.run(kinds()) == (KeyKind.SECRET, {Scope.ASK, Scope.READ})
    done = _run(tmp_path, "revoke", identifier)
    assert (done.returncode, done.stdout) == (0, "")
    assert f"Key {identifier} is revoked" in done.stderr
    assert _listed(tmp_path)[0]["revoked_at"]
    assert "revoked" in _run(tmp_path, "list").stdout
    with pytest.raises(KeyInvalid):
        asyncio.run(kinds())


def test_where_there_is_no_key_the_list_says_how_to_make_one(tmp_path: Path):
    done = _run(tmp_path, "list")
    assert (done.returncode, done.stdout) == (0, "")
    assert "glossator keys create" in done.stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("create", "--kind", "publishable", "--origins", "https://*.example"), 1, "is not an origin"),
        (("create", "--scopes", "ask,fly"), 2, "'fly' is not one of ask, read, operate"),
        (("revoke", "aaaaaaaaaa"), 1, "There is no key of that id."),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(tmp_path: Path, words: tuple[str, ...], code: int, said: str):
    done = _run(tmp_path, *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert words[0] == "revoke" or not (tmp_path / "home").exists()


def test_a_key_may_be_limited_to_books(tmp_path: Path):
    _made(tmp_path, "--books", "guide,default", "--books", "manual")
    (listed,) = _listed(tmp_path)
    assert listed["books"] == ["guide", "default", "manual"]
    assert "for guide,default,manual" in _run(tmp_path, "list").stdout
    refused = _run(tmp_path, "create", "--books", "a/b")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "A book's name has 1 to 64 letters" in refused.stderr
    assert "for all books" in _run(tmp_path, "create", "--books", "guide", "--env").stderr
