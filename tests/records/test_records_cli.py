"""The commands with which an operator looks after sessions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import CliRunner, Result

from glossator.cli.group import commands
from glossator.cli.sessions import sessions
from glossator.errors import SessionUnknown
from glossator.model import Contract, Feedback, Owner
from support.records_story import ALICE, BOB, Records, answer, opened

Run = Callable[..., Result]


@pytest.fixture
def run(database_url: str, tmp_path) -> Run:
    """`glossator sessions …` on records in which three readers have asked."""
    asyncio.run(_three_readers(database_url))
    environment = {"GLOSSATOR_HOME": str(tmp_path), "GLOSSATOR_DATABASE_URL": database_url, "NO_COLOR": "1"}

    def invoke(*words: str, typed: str = "") -> Result:
        assert commands.commands["sessions"] is sessions
        return CliRunner(env=environment).invoke(commands, ["sessions", *words], input=typed)

    return invoke


async def _three_readers(url: str) -> None:
    async with opened(url) as records:
        records.clock.now = datetime.now(UTC) - timedelta(days=2)
        await records.ask("old", Owner("key-9"), question="Is it late?", contract=Contract.GROUNDING)
        records.clock.now = datetime.now(UTC) - timedelta(hours=2)
        await records.ask("1", ALICE, question="Alice asks?", contract=Contract.COURSE)
        told = await records.ask("1", BOB, question="Bob asks?", reply=answer("Bob hears."))
        await records.exchanges.judge(Feedback(told.id, helpful=True), BOB, records.clock.now)
        records.clock.now = datetime.now(UTC)
        await records.turns.accept(records.turn("new", Owner("key-9")))


def test_list_shows_every_session_and_whose_it_is(run: Run):
    lines = run("list").stdout.splitlines()
    assert [line.split("  ")[:5] for line in lines] == [
        ["new", "key-9", "native", "created", "0 exchanges"],
        ["1", "key-1/bob", "native", "inactive", "1 exchange"],
        ["1", "key-1/alice", "course", "active", "1 exchange"],
        ["old", "key-9", "grounding", "expired", "1 exchange"],
    ]


def test_list_can_be_narrowed_and_read_by_machines(run: Run):
    listed = json.loads(
        run("list", "--contract", "course", "--state", "active", "--limit", "5", "--json").stdout
    )
    (session,) = listed["sessions"]
    assert (session["id"], session["owner"]) == ("1", {"key": "key-1", "user": "alice", "book": ""})
    nothing = run("list", "--contract", "threads")
    assert (nothing.stdout, nothing.stderr, nothing.exit_code) == ("", "There is no such session.\n", 0)


def test_show_tells_what_was_asked_and_answered(run: Run):
    shown = run("show", "1", "--owner", "key-1/bob").stdout
    assert "Bob asks?\nBob hears." in shown
    assert "Alice" not in shown


@pytest.mark.parametrize("command", ["show", "export", "delete"])
def test_an_id_that_several_owners_have_needs_its_owner(run: Run, command: str):
    refused = run(command, "1")
    assert refused.exit_code == 2
    assert "--owner, one of key-1/alice, key-1/bob" in refused.stderr


@pytest.mark.parametrize("command", ["show", "export", "delete"])
def test_what_is_not_there_is_told_in_a_line(run: Run, command: str):
    for words in (["nowhere"], ["1", "--owner", "key-1"], ["1", "--owner", "key-1/carol"]):
        assert isinstance(run(command, *words).exception, SessionUnknown)


def test_export_prints_everything_that_is_kept(run: Run):
    exported = json.loads(run("export", "1", "--owner", "key-1/bob").stdout)
    assert exported["session"]["owner"] == {"key": "key-1", "user": "bob", "book": ""}
    (exchange,) = exported["exchanges"]
    assert (exchange["question"], exchange["answer"]["text"]) == ("Bob asks?", "Bob hears.")
    assert exchange["answer"]["citations"][0]["quote"] == "Nodes talk over topics."
    assert exported["feedback"] == [{"exchange_id": exchange["id"], "helpful": True, "reason": ""}]


def test_delete_asks_first(run: Run):
    kept = run("delete", "1", "--owner", "key-1/bob", typed="n\n")
    assert kept.exit_code == 1
    assert "Delete 1 session for good?" in kept.stderr
    assert run("show", "1", "--owner", "key-1/bob").exit_code == 0
    done = run("delete", "1", "--owner", "key-1/bob", typed="y\n")
    assert done.exit_code == 0
    assert "Deleted 1 session." in done.stderr
    assert "Alice asks?" in run("show", "1").stdout


def test_delete_of_all_owners_takes_every_session_of_that_id(run: Run):
    assert "Deleted 2 sessions." in run("delete", "1", "--all", "--yes").stderr
    assert [line.split("  ")[0] for line in run("list").stdout.splitlines()] == ["new", "old"]


def test_erase_asks_first_and_says_what_is_gone(run: Run):
    assert run("erase", "alice", typed="n\n").exit_code == 1
    assert run("erase", "../alice", "--yes").stdout.startswith("Erased: 0 sessions")
    erased = json.loads(run("erase", "alice", "--yes", "--json").stdout)
    assert erased == {
        "user": "alice",
        "erased": {"sessions": 1, "exchanges": 1, "feedback": 0, "unanswered": 0},
    }
    assert "alice" not in run("list").stdout
    assert "bob" in run("list").stdout


def test_purge_says_what_it_would_do_and_then_does_it(run: Run):
    would = run("purge", "--dry-run").stdout
    assert (
        would
        == "1 session would be archived, 1 session would be deleted, 0 left by a crash would be ended.\n"
    )
    assert json.loads(run("purge", "--dry-run", "--json").stdout)["deleted"] == ["old"]
    assert "old" in run("list").stdout
    assert run("purge").stdout == "1 session archived, 1 session deleted, 0 left by a crash ended.\n"
    assert "old" not in run("list").stdout


def test_purge_leaves_it_to_the_process_that_is_at_it(run: Run, database_url: str):
    async def story():
        async with opened(database_url) as records:
            await _while_sweeping(records)

    async def _while_sweeping(records: Records):
        async with records.database.exclusive():
            said = await asyncio.to_thread(run, "purge")
            assert said.stdout == "Another process is at it; nothing was done here.\n"

    asyncio.run(story())
