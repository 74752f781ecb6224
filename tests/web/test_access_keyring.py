"""Whose a key is, and how a running server follows what becomes of it."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Sequence

import pytest

from glossator.errors import GlossatorError, KeyInvalid, RecordsUnavailable
from glossator.model import ApiKey, KeyKind
from glossator.web.auth.keyring import Keyring
from support.access_app import NOW, PAGE, Hands, MemoryKeys


def test_a_key_is_found_by_all_of_it():
    keys = MemoryKeys()
    shown, other = keys.make(), keys.make()

    async def found() -> None:
        keyring = Keyring(keys)
        assert (await keyring.find(shown)).id == shown.split("_")[1]
        secret = other.split("_", 2)[2]
        for wrong in [
            shown[:-1],
            f"{shown}x",
            shown.replace("sk_", "pk_", 1),
            f"sk_{shown.split('_')[1]}_{secret}",
            f"sk_aaaaaaaaaa_{secret}",
            "",
            "_",
            "__",
            "sk__",
            "Bearer",
            "ключ_\ud800_\x00",
            "sk_" + "x" * 100_000,
        ]:
            with pytest.raises(KeyInvalid):
                await keyring.find(wrong)

    asyncio.run(found())


def test_the_digest_alone_opens_nothing():
    keys = MemoryKeys()
    shown = keys.make()
    digest = next(iter(keys.keys.values())).digest

    async def found() -> None:
        with pytest.raises(KeyInvalid):
            await Keyring(keys).find(f"sk_{shown.split('_')[1]}_{digest}")

    asyncio.run(found())


def test_the_keys_are_read_once_a_second_however_many_ask():
    keys, hands = MemoryKeys(), Hands()
    shown = keys.make()

    async def asked() -> None:
        keyring = Keyring(keys, clock=hands)
        await asyncio.gather(*(keyring.find(shown) for _ in range(50)))
        assert keys.reads == 1
        hands.time += 0.9
        await keyring.find(shown)
        assert keys.reads == 1
        hands.time += 0.2
        await asyncio.gather(*(keyring.find(shown) for _ in range(50)))
        assert keys.reads == 2

    asyncio.run(asked())


def test_a_key_made_or_revoked_elsewhere_counts_after_a_second():
    keys, hands = MemoryKeys(), Hands()
    first = keys.make()

    async def followed() -> None:
        keyring = Keyring(keys, clock=hands)
        await keyring.find(first)
        second = keys.make()
        await keys.revoke(first.split("_")[1], NOW)
        hands.time += 1.1
        assert (await keyring.find(second)).id == second.split("_")[1]
        with pytest.raises(KeyInvalid):
            await keyring.find(first)

    asyncio.run(followed())


def test_the_keys_known_last_go_on_while_the_database_is_down():
    keys, hands = MemoryKeys(), Hands()
    shown = keys.make()
    page_key = keys.make(KeyKind.PUBLISHABLE)

    async def outlived() -> None:
        keyring = Keyring(keys, clock=hands)
        await keyring.find(shown)
        keys.is_down = True
        for _ in range(3):
            hands.time += 60
            await keyring.find(shown)
            await keyring.find(page_key)
            assert await keyring.origins() == {PAGE}
        await keys.revoke(shown.split("_")[1], NOW)
        keys.is_down = False
        hands.time += 1.1
        with pytest.raises(KeyInvalid):
            await keyring.find(shown)

    asyncio.run(outlived())


def test_a_database_that_hangs_holds_nobody_up_for_long():
    keys, hands = MemoryKeys(), Hands()
    shown = keys.make()

    async def went_on() -> None:
        keyring = Keyring(keys, clock=hands)
        await keyring.find(shown)
        never = asyncio.Event()
        keys.before_reading = never.wait
        hands.time += 5
        async with asyncio.timeout(5):
            await keyring.find(shown)
            hands.time += 1
            # The wait is the refresh's, not each request's.
            await asyncio.gather(*(keyring.find(shown) for _ in range(100)))
        assert keys.reads == 2
        never.set()
        keys.before_reading = None
        hands.time += 5
        await keyring.find(shown)

    asyncio.run(went_on())


def test_nobody_waits_for_the_database_while_the_keys_are_younger_than_a_second():
    keys, hands = MemoryKeys(), Hands()
    shown = keys.make()

    async def went_on() -> None:
        keyring = Keyring(keys, clock=hands)
        await keyring.find(shown)
        answers = asyncio.Event()
        keys.before_reading = answers.wait
        hands.time += 0.6
        await keyring.find(shown)
        await asyncio.sleep(0)
        assert keys.reads == 2, "it is being read"
        hands.time += 0.3
        await keyring.find(shown)
        await keys.revoke(shown.split("_")[1], NOW)
        answers.set()
        hands.time += 0.2
        with pytest.raises(KeyInvalid):
            await keyring.find(shown)

    asyncio.run(went_on())


def test_one_who_leaves_does_not_take_the_refresh_along():
    keys = MemoryKeys()
    shown = keys.make()

    async def left() -> None:
        goes_on = asyncio.Event()
        keys.before_reading = goes_on.wait
        keyring = Keyring(keys)
        leaving, staying = (asyncio.create_task(keyring.find(shown)) for _ in range(2))
        while keys.reads == 0:
            await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.sleep(0)
        goes_on.set()
        assert (await staying).id == shown.split("_")[1]
        assert leaving.cancelled()
        assert keys.reads == 1

    asyncio.run(left())


def test_nobody_comes_in_as_long_as_the_keys_were_never_read():
    keys = MemoryKeys(is_down=True)
    hands = Hands()

    async def closed() -> None:
        keyring = Keyring(keys, may_open=True, clock=hands)
        for asked in (keyring.is_open, keyring.has_keys, lambda: keyring.find("sk_a_b")):
            with pytest.raises(RecordsUnavailable):
                await asked()
        assert await keyring.origins() == frozenset()
        keys.is_down = False
        hands.time += 1.1
        assert await keyring.is_open()

    asyncio.run(closed())


class BrokenKeys(MemoryKeys):
    async def all(self) -> Sequence[ApiKey]:
        raise ZeroDivisionError


def test_a_mistake_of_ours_is_not_taken_for_a_database_that_is_down():
    async def told() -> None:
        with pytest.raises(ZeroDivisionError):
            await Keyring(BrokenKeys()).find("sk_a_b")

    asyncio.run(told())


def test_a_server_without_keys_is_open_until_it_has_one_and_never_again():
    keys, hands = MemoryKeys(), Hands()

    async def locked() -> None:
        keyring = Keyring(keys, may_open=True, clock=hands)
        assert await keyring.is_open()
        assert not await keyring.has_keys()
        shown = keys.make()
        hands.time += 1.1
        assert not await keyring.is_open()
        assert await keyring.has_keys()
        await keys.revoke(shown.split("_")[1], NOW)
        hands.time += 1.1
        assert not await keyring.has_keys()
        assert not await keyring.is_open()

    asyncio.run(locked())


def test_a_server_that_others_reach_is_never_open():
    async def closed() -> None:
        assert not await Keyring(MemoryKeys(), may_open=False).is_open()

    asyncio.run(closed())


def test_only_revoked_keys_are_no_keys():
    keys = MemoryKeys()
    shown = keys.make(KeyKind.PUBLISHABLE)

    async def open_again() -> None:
        await keys.revoke(shown.split("_")[1], NOW)
        keyring = Keyring(keys, may_open=True)
        assert await keyring.is_open()
        assert await keyring.origins() == frozenset()

    asyncio.run(open_again())


def test_what_may_be_said_of_a_wrong_key_is_the_same_for_all_of_them():
    keys = MemoryKeys()
    shown = keys.make()

    async def told() -> None:
        said = set[str]()
        for wrong in ("sk_unknown000_x", f"{shown}x", "nothing"):
            try:
                await Keyring(keys).find(wrong)
            except GlossatorError as error:
                said.add(f"{type(error).__name__}: {error}")
        assert said == {"KeyInvalid: The key is not valid."}

    asyncio.run(told())


def test_an_unknown_id_is_compared_like_a_wrong_secret(monkeypatch: pytest.MonkeyPatch):
    """The same work whatever is wrong, so that how long it takes tells nothing."""
    keys = MemoryKeys()
    shown = keys.make()
    compared = list[tuple[int, int]]()
    compare = hmac.compare_digest

    def counted(one: str, other: str) -> bool:
        compared.append((len(one), len(other)))
        return compare(one, other)

    monkeypatch.setattr(hmac, "compare_digest", counted)

    async def tried() -> None:
        keyring = Keyring(keys)
        for wrong in (f"{shown}x", "sk_aaaaaaaaaa_x", "", "x" * 10_000):
            with pytest.raises(KeyInvalid):
                await keyring.find(wrong)

    asyncio.run(tried())
    assert compared == [(64, 64)] * 4
