"""Tokens of sessions: an hour each, twelve from the session's creation, for one session and owner and no other."""

from __future__ import annotations

import base64
import hmac
import os
import stat
import subprocess
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.errors import SettingsError
from glossator.model import Contract, Owner
from glossator.web.auth.tokens import Subject, Tokens, load_or_create_secret

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


@dataclass
class Wall:
    now: datetime = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


SUBJECT = Subject("a", Owner("key", "ada"), Contract.COURSE)
OTHERS = {
    "another session": replace(SUBJECT, session_id="b"),
    "almost the same session": replace(SUBJECT, session_id="a "),
    "no session": replace(SUBJECT, session_id=""),
    "another key": replace(SUBJECT, owner=Owner("other", "ada")),
    "another user": replace(SUBJECT, owner=Owner("key", "eve")),
    "no user": replace(SUBJECT, owner=Owner("key")),
    "another contract": replace(SUBJECT, contract=Contract.NATIVE),
    "key and user swapped": replace(SUBJECT, owner=Owner("ada", "key")),
    "the user joined to the key": replace(SUBJECT, owner=Owner("keyada")),
}


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def tokens(wall: Wall) -> Tokens:
    return Tokens(b"k" * 32, wall)


def test_a_token_is_good_for_an_hour_and_says_when_its_session_was_created(tokens: Tokens, wall: Wall):
    created = wall.now - timedelta(microseconds=1)
    token = tokens.issue(SUBJECT, created)
    assert tokens.verify(token, SUBJECT) == created
    wall.now += HOUR
    assert tokens.verify(token, SUBJECT) == created
    wall.now += timedelta(microseconds=1)
    assert tokens.verify(token, SUBJECT) is None


def test_each_new_token_starts_the_hour_anew_but_not_the_twelve(tokens: Tokens, wall: Wall):
    created, uses = wall.now, 0
    token = tokens.issue(SUBJECT, created)
    while tokens.verify(token, SUBJECT) and uses < 100:
        token = tokens.issue(SUBJECT, created)
        wall.now += 50 * MINUTE
        uses += 1
    assert uses == 15  # 15 times 50 minutes is the first that is beyond twelve hours


@given(st.lists(st.timedeltas(timedelta(), 13 * HOUR), min_size=1))
def test_all_tokens_of_a_session_end_with_its_twelve_hours(ages: list[timedelta]):
    wall = Wall()
    tokens, created = Tokens(b"k" * 32, wall), wall.now
    issued = list[str]()
    for age in sorted(ages):
        wall.now = created + age
        issued.append(tokens.issue(SUBJECT, created))
        assert (tokens.verify(issued[-1], SUBJECT) is not None) == (age <= 12 * HOUR)
    wall.now = created + 12 * HOUR + timedelta(microseconds=1)
    assert not any(tokens.verify(token, SUBJECT) for token in issued)


@pytest.mark.parametrize("other", OTHERS)
def test_a_token_is_for_its_own_session_owner_and_contract(tokens: Tokens, wall: Wall, other: str):
    assert tokens.verify(tokens.issue(SUBJECT, wall.now), OTHERS[other]) is None
    assert tokens.verify(tokens.issue(OTHERS[other], wall.now), SUBJECT) is None


names = st.text(max_size=3)
subjects = st.builds(Subject, names, st.builds(Owner, names, names), st.sampled_from(Contract))


@given(subjects, subjects)
def test_no_two_subjects_share_a_token(one: Subject, other: Subject):
    wall = Wall()
    tokens = Tokens(b"k" * 32, wall)
    assert (tokens.verify(tokens.issue(one, wall.now), other) is not None) == (one == other)


def test_a_token_is_for_the_servers_that_share_the_secret(tokens: Tokens, wall: Wall):
    token = Tokens(b"k" * 32, wall).issue(SUBJECT, wall.now)
    assert tokens.verify(token, SUBJECT)
    assert Tokens(b"l" * 32, wall).verify(token, SUBJECT) is None


def test_a_token_fits_into_a_header_and_a_url(tokens: Tokens, wall: Wall):
    token = tokens.issue(replace(SUBJECT, session_id="é\ud800 session"), wall.now)
    assert len(token) == 64
    assert set(token) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


@pytest.mark.parametrize("place", range(48))
def test_no_byte_of_a_token_can_be_changed(tokens: Tokens, wall: Wall, place: int):
    raw = bytearray(base64.urlsafe_b64decode(tokens.issue(SUBJECT, wall.now)))
    raw[place] ^= 1
    assert tokens.verify(base64.urlsafe_b64encode(bytes(raw)).decode(), SUBJECT) is None


@given(st.one_of(st.none(), st.text(), st.text(min_size=64, max_size=64), st.binary(), st.integers()))
def test_garbage_of_any_kind_is_simply_not_valid(garbage: object):
    assert Tokens(b"k" * 32).verify(garbage, SUBJECT) is None


@pytest.mark.parametrize(
    "garbage",
    ["", "=" * 64, "!" * 64, "A" * 63, "A" * 64, "A" * 65, "A" * 1_000_000, "é" * 64, "\ud800" * 64],
)
def test_what_is_almost_a_token_is_not_one(tokens: Tokens, garbage: str):
    assert tokens.verify(garbage, SUBJECT) is None


def test_garbage_is_compared_like_a_forged_token(tokens: Tokens, wall: Wall, monkeypatch: pytest.MonkeyPatch):
    compared = list[int]()
    compare = hmac.compare_digest

    def counted(one: bytes, other: bytes) -> bool:
        compared.append(len(other))
        return compare(one, other)

    monkeypatch.setattr(hmac, "compare_digest", counted)
    for wrong in (None, "x", "A" * 64, Tokens(b"l" * 32, wall).issue(SUBJECT, wall.now)):
        compared.clear()
        assert tokens.verify(wrong, SUBJECT) is None
        assert compared == [32]


def test_a_short_secret_is_refused_and_not_shown():
    with pytest.raises(SettingsError, match="at least 16 bytes") as refused:
        Tokens(b"hunter2")
    assert "hunter2" not in str(refused.value)


def test_the_load_or_create_secret_is_made_once_and_for_its_owner_only(tmp_path: Path):
    path = tmp_path / "home" / "secret"
    before = os.umask(0)
    try:
        secret = load_or_create_secret(path)
    finally:
        os.umask(before)
    assert len(secret) == 32
    assert load_or_create_secret(path) == secret
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["secret"]


def test_processes_that_start_together_agree_on_one_secret(tmp_path: Path):
    code = (
        "import pathlib, sys; from glossator.web.auth.tokens import load_or_create_secret; sys.stdin.readline();"
        "print(load_or_create_secret(pathlib.Path(sys.argv[1])).hex())"
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
    assert bytes.fromhex(told.pop()) == load_or_create_secret(tmp_path / "secret")


def test_a_damaged_secret_is_named_and_not_used(tmp_path: Path):
    (tmp_path / "secret").write_bytes(b"short")
    with pytest.raises(SettingsError, match="does not hold a secret"):
        load_or_create_secret(tmp_path / "secret")


def test_a_place_where_no_secret_can_be_kept_is_named(tmp_path: Path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(SettingsError, match="cannot be read or written"):
        load_or_create_secret(tmp_path / "file" / "secret")
