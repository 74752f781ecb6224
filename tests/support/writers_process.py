"""One answer in a process of its own, which reports every address that anything in it wanted to reach.

    python -m support.writers_process URL chat|responses|extractive [--trace]

Nothing but this machine can be reached: the report comes from the hook that forbids it.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import sys

from glossator.adapters.writers.extractive import ExtractiveWriter
from glossator.adapters.writers.language_model import LanguageModelWriter
from glossator.adapters.writers.service import Api, ModelService
from glossator.ports import Writer
from support.writers_briefs import brief, collect

wanted: set[str] = set()


def watch(event: str, args: tuple[object, ...]) -> None:
    if event == "socket.getaddrinfo":
        host = args[0].decode() if isinstance(args[0], bytes) else str(args[0])
    elif event == "socket.connect" and isinstance(args[1], tuple):
        host = str(args[1][0])
    else:
        return
    wanted.add(host)
    if host != "127.0.0.1":
        raise OSError("this test does not leave the machine")


def writer_of(url: str, kind: str, tracing: bool) -> Writer:
    if kind == "extractive":
        return ExtractiveWriter(lambda asked: ["Over topics [1]."])
    return LanguageModelWriter(ModelService("m", url, "sk-ours", Api(kind)), tracing=tracing)


def main() -> None:
    url, kind, *options = sys.argv[1:]
    # First in, last out: whatever is sent on the way out has been wanted by then.
    atexit.register(lambda: print(json.dumps({"text": text, "wanted": sorted(wanted)})))
    sys.addaudithook(watch)
    text = "".join(asyncio.run(collect(writer_of(url, kind, "--trace" in options).write(brief()))))


if __name__ == "__main__":
    main()
