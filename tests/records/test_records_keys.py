"""API keys are kept as hashes, and revoked for good."""

from __future__ import annotations

from datetime import timedelta

import pytest

from glossator.errors import KeyUnknown, RecordsUnavailable
from glossator.model import ApiKey, KeyKind, Scope
from support.records_story import NOON, Records

SECRET = ApiKey("k1", KeyKind.SECRET, "the book's server", "ab" * 32, frozenset(Scope), (), NOON)
PUBLIC = ApiKey(
    "k2",
    KeyKind.PUBLISHABLE,
    "",
    "cd" * 32,
    frozenset({Scope.ASK}),
    ("https://book.example", "https://ros.example:8443"),
    NOON + timedelta(seconds=1),
    is_anonymous=True,
    books=("default", "guide"),
)


def test_keys_read_back_as_they_were_added_oldest_first(play):
    async def story(records: Records):
        assert await records.keys.all() == []
        await records.keys.add(PUBLIC)
        await records.keys.add(SECRET)
        assert await records.keys.all() == [SECRET, PUBLIC]

    play(story)


def test_the_first_revocation_stands(play):
    async def story(records: Records):
        await records.keys.add(SECRET)
        revoked = await records.keys.revoke("k1", NOON)
        assert revoked.revoked_at == NOON
        assert await records.keys.revoke("k1", NOON + timedelta(days=1)) == revoked
        assert await records.keys.all() == [revoked]

    play(story)


@pytest.mark.parametrize("key_id", ["unknown", "", "nul\0"])
def test_a_key_that_is_not_there_cannot_be_revoked(play, key_id: str):
    async def story(records: Records):
        with pytest.raises(KeyUnknown):
            await records.keys.revoke(key_id, NOON)

    play(story)


def test_an_id_is_given_once(play):
    async def story(records: Records):
        await records.keys.add(SECRET)
        with pytest.raises(RecordsUnavailable):
            await records.keys.add(SECRET)

    play(story)
