"""The extractive writer: what was composed, at once, and nothing else."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

import pytest

from glossator.adapters.writers.extractive import ExtractiveWriter
from glossator.errors import IndexUnavailable
from glossator.model import Brief
from glossator.ports import Writer
from support.writers_briefs import brief, written

PIECES = ["Nodes talk over topics [1].", " A topic has a type [1].", "\n\n```python\nspin(node)\n```"]
WHOLE = "".join(PIECES) + "\n\n"


def compose(asked: Brief) -> Sequence[str]:
    return PIECES


def test_all_pieces_come_at_once_as_they_were_composed() -> None:
    assert written(ExtractiveWriter(compose), brief()) == [WHOLE]


def test_the_composer_gets_the_whole_brief() -> None:
    asked = brief("What is a topic?")
    assert written(ExtractiveWriter(lambda given: [str(given is asked)]), asked) == ["True\n\n"]


def test_it_is_composed_without_the_sdk() -> None:
    check = (
        "import asyncio, sys\n"
        "from glossator.adapters.writers.extractive import ExtractiveWriter\n"
        "from glossator.model import Brief\n"
        "writer = ExtractiveWriter(lambda brief: ['Yes.'])\n"
        "async def first():\n    return await anext(writer.write(Brief('Is it?', ())))\n"
        "print(asyncio.run(first()).strip(), 'agents' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "Yes. False"


@pytest.mark.parametrize("nothing", [[], [""]])
def test_nothing_composed_is_nothing_written(nothing: Sequence[str]) -> None:
    assert written(ExtractiveWriter(lambda asked: nothing), brief()) == []


def test_an_error_of_the_composer_is_not_hidden() -> None:
    def fail(asked: Brief) -> Sequence[str]:
        raise IndexUnavailable

    with pytest.raises(IndexUnavailable):
        written(ExtractiveWriter(fail), brief())


def test_it_says_who_it_is() -> None:
    writer: Writer = ExtractiveWriter(compose)
    assert (writer.name, writer.model) == ("extractive", "extractive")


def test_many_questions_at_once_do_not_mix() -> None:
    writer = ExtractiveWriter(lambda asked: [asked.question, " again: ", asked.question])

    async def ask_all() -> list[str]:
        async def ask(number: int) -> str:
            return "".join([piece async for piece in writer.write(brief(f"q{number}"))])

        return await asyncio.gather(*(ask(number) for number in range(20)))

    assert asyncio.run(ask_all()) == [f"q{number} again: q{number}\n\n" for number in range(20)]


def test_a_reader_who_leaves_after_the_first_sentence_leaves_nothing_running() -> None:
    async def leave() -> tuple[str, set[asyncio.Task[object]]]:
        async with aclosing(ExtractiveWriter(compose).write(brief())) as pieces:
            first = await anext(pieces)
        return first, asyncio.all_tasks() - {asyncio.current_task()}  # type: ignore[return-value]

    assert asyncio.run(leave()) == (WHOLE, set())


def test_a_question_that_is_given_up_at_any_moment_leaves_nothing_running() -> None:
    async def give_up(steps: int) -> set[asyncio.Task[Any]]:
        async def ask() -> list[str]:
            return [piece async for piece in ExtractiveWriter(compose).write(brief())]

        asking = asyncio.create_task(ask())
        for _ in range(steps):
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.wait([asking])
        return {task for task in asyncio.all_tasks() if task is not asyncio.current_task()}

    written(ExtractiveWriter(compose), brief())
    assert not any(asyncio.run(give_up(steps)) for steps in range(60))
