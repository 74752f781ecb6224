"""Another process at the same records.

python -m support.records_process migrate URL       makes the tables, says so
python -m support.records_process ask URL NAME N    asks N questions in the session NAME, says the id of each stored exchange
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from support.process import command, environment
from support.records_story import opened


@contextmanager
def another_process(*words: str) -> Iterator[subprocess.Popen[str]]:
    """Killed on the way out, if it still runs."""
    with subprocess.Popen(
        command(__name__, *words), env=environment(), stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


async def migrate(url: str) -> None:
    async with opened(url, seconds=30):
        print("migrated", flush=True)


async def ask(url: str, name: str, number: str) -> None:
    async with opened(url, seconds=30) as records:
        for n in range(int(number)):
            records.clock.now = datetime.now(UTC)
            told = await records.ask(
                name, question=f"{name} {n}", id=f"{name}-{records.clock.now.timestamp()}"
            )
            print(told.id, flush=True)


if __name__ == "__main__":
    asyncio.run({"migrate": migrate, "ask": ask}[sys.argv[1]](*sys.argv[2:]))
