"""Another process at the same index, held still until its input is closed or it is killed.

python -m support.index_process read HOME     opens the book, says what it found, waits
python -m support.index_process build HOME    fills a generation, says so, waits, publishes
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from glossator.adapters.index.embedded_index import EmbeddedIndex
from glossator.adapters.index.embedded_store import EmbeddedIndexStore
from support.index_books import TOY, asking, fill, manifest_of, numbered_book, pages
from support.process import command, environment


@contextmanager
def another_process(task: str, home: Path) -> Iterator[subprocess.Popen[str]]:
    """Killed on the way out, if it still runs."""
    process = subprocess.Popen(
        command(__name__, task, str(home)),
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def read(home: Path) -> None:
    with closing(EmbeddedIndex(home)) as index:
        print(pages(index, asking("joints", axis=2))[0], flush=True)
        sys.stdin.read()


def build(home: Path) -> None:
    entries = numbered_book(500, "robot")
    with EmbeddedIndexStore(home).build(TOY, "english") as generation:
        fill(generation, entries)
        print(generation.number, flush=True)
        sys.stdin.read()
        generation.publish(manifest_of(generation.number, entries))


if __name__ == "__main__":
    {"read": read, "build": build}[sys.argv[1]](Path(sys.argv[2]))
