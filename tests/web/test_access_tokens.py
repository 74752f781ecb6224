"""Tokens of sessions: an hour from the last use, twelve from the first, for one session and no other."""

from __future__ import annotations

import base64
import hmac
import os
import stat
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.errors import SettingsError
from glossator.web.tokens import Tokens, kept_secret

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


@dataclass
class Wall:
    now: datetime = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def test_a_token_is_good_for_an_hour():
    wall = Wall()
    tokens = Tokens(b"k" * 32, wall)
    token = tokens.renew(None, "a")
    assert tokens.is_valid(token, "a")
    wall.now += HOUR - MINUTE
    assert tokens.is_valid(token, "a")
    wall.now += 2 * MINUTE
    assert not tokens.is_valid(token, "a")


def test_each_use_starts_the_hour_anew_but_not_the_twelve():
    wall = Wall()
    tokens = Tokens(b"k" * 32, wall)
    token, uses = tokens.renew(None, "a"), 0
    while tokens.is_valid(token, "a") and uses < 100:
        token = tokens.renew(token, "a")
        wall.now += 50 * MINUTE
        uses += 1
    assert uses == 15  # 15 times 50 minutes is the first that is beyond twelve hours


def test_a_token_that_ran_out_meanwhile_gets_no_further_twelve_hours():
    wall = Wall()
    tokens = Tokens(b"k" * 32, wall)
    token = tokens.renew(None, "a")
    wall.now += 12 * HOUR + MINUTE
    assert not tokens.is_valid(tokens.renew(token, "a"), "a")


def test_a_token_is_for_its_own_session():
    tokens = Tokens(b"k" * 32)
    assert not tokens.is_valid(tokens.renew(None, "a"), "b")
    assert not tokens.is_valid(tokens.renew(None, "a"), "a ")
    assert not tokens.is_valid(tokens.renew(None, "a"), "")


def test_renewing_anothers_token_begins_a_new_one_and_takes_nothing_from_it():
    wall = Wall()
    tokens = Tokens(b"k" * 32, wall)
    anothers = tokens.renew(None, "b")
    wall.now += 11 * HOUR
    mine = tokens.renew(anothers, "a")
    wall.now += HOUR - MINUTE
    assert tokens.is_valid(mine, "a")
    assert not tokens.is_valid(mine, "b")


def test_a_token_is_for_the_servers_that_share_the_secret():
    token = Tokens(b"k" * 32).renew(None, "a")
    assert Tokens(b"k" * 32).is_valid(token, "a")
    assert not Tokens(b"l" * 32).is_valid(token, "a")


def test_a_token_fits_into_a_header_and_a_url():
    token = Tokens(b"k" * 32).renew(None, "é\ud800 session")
    assert len(token) == 64
    assert set(token) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


@pytest.mark.parametrize("place", range(48))
def test_no_byte_of_a_token_can_be_changed(place: int):
    tokens = Tokens(b"k" * 32)
    raw = bytearray(base64.urlsafe_b64decode(tokens.renew(None, "a")))
    raw[place] ^= 1
    assert not tokens.is_valid(base64.urlsafe_b64encode(bytes(raw)).decode(), "a")


@given(st.one_of(st.none(), st.text(), st.text(min_size=64, max_size=64), st.binary(), st.integers()))
def test_garbage_of_any_kind_is_simply_not_valid(garbage: object):
    tokens = Tokens(b"k" * 32)
    assert not tokens.is_valid(garbage, "a")  # type: ignore[arg-type]
    assert tokens.is_valid(tokens.renew(garbage, "a"), "a")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "garbage",
    ["", "=" * 64, "!" * 64, "A" * 63, "A" * 64, "A" * 65, "A" * 1_000_000, "é" * 64, "\ud800" * 64],
)
def test_what_is_almost_a_token_is_not_one(garbage: str):
    assert not Tokens(b"k" * 32).is_valid(garbage, "a")


def test_garbage_is_compared_like_a_forged_token(monkeypatch: pytest.MonkeyPatch):
    compared = list[int]()
    compare = hmac.compare_digest

    def counted(one: bytes, other: bytes) -> bool:
        compared.append(len(other))
        return compare(one, other)

    monkeypatch.setattr(hmac, "compare_digest", counted)
    tokens = Tokens(b"k" * 32)
    for wrong in (None, "x", "A" * 64, Tokens(b"l" * 32).renew(None, "a")):
        compared.clear()
        assert not tokens.is_valid(wrong, "a")
        assert compared == [32]


def test_a_short_secret_is_refused_and_not_shown():
    with pytest.raises(SettingsError, match="at least 16 bytes") as refused:
        Tokens(b"hunter2")
    assert "hunter2" not in str(refused.value)


def test_the_kept_secret_is_made_once_and_for_its_owner_only(tmp_path: Path):
    path = tmp_path / "home" / "secret"
    before = os.umask(0)
    try:
        secret = kept_secret(path)
    finally:
        os.umask(before)
    assert len(secret) == 32
    assert kept_secret(path) == secret
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["secret"]


def test_processes_that_start_together_agree_on_one_secret(tmp_path: Path):
    code = (
        "import pathlib, sys; from glossator.web.tokens import kept_secret; sys.stdin.readline();"
        "print(kept_secret(pathlib.Path(sys.argv[1])).hex())"
    )
    some = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "secret")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for process in some:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    told = {process.communicate()[0].strip() for process in some}
    assert len(told) == 1
    assert bytes.fromhex(told.pop()) == kept_secret(tmp_path / "secret")


def test_a_damaged_secret_is_named_and_not_used(tmp_path: Path):
    (tmp_path / "secret").write_bytes(b"short")
    with pytest.raises(SettingsError, match="does not hold a secret"):
        kept_secret(tmp_path / "secret")


def test_a_place_where_no_secret_can_be_kept_is_named(tmp_path: Path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(SettingsError, match="cannot be kept"):
        kept_secret(tmp_path / "file" / "secret")
