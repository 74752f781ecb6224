"""Work on texts happens in threads: the event loop serves everybody and reads nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from pathlib import Path
from threading import Event
from typing import Any, cast

from glossator.answer.stream import CheckedStream, Unsupported
from glossator.answer.verify import Verifier
from glossator.model import Brief, Evidence
from glossator.ports import Embedder
from glossator.testing import WordReader
from support.web_app import serving
from support.writers_briefs import evidence


def is_on_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


class WatchedEvidence(list[Evidence]):
    """Notes where it is read."""

    def __init__(self, *evidence: Evidence) -> None:
        super().__init__(evidence)
        self.readings = list[bool]()

    def __iter__(self) -> Iterator[Evidence]:
        self.readings.append(is_on_loop())
        return super().__iter__()


class Dictated:
    """A writer that adds evidence between its sentences, as one that searches does."""

    name, model = "dictated", "none"

    async def write(self, brief: Brief) -> AsyncGenerator[str]:
        yield "A node is a program. "
        assert isinstance(brief.evidence, list)
        brief.evidence.append(evidence(2, "A topic is a stream."))
        yield "A topic is a stream. "


def test_evidence_is_read_in_a_thread() -> None:
    watched = WatchedEvidence(evidence(1, "A node is a program."))

    async def told() -> list[str]:
        stream = CheckedStream(Brief("What?", watched), Verifier(WordReader(), "english"), Unsupported.DROP)
        async with aclosing(stream.tell(Dictated(), seconds=60)) as claims:
            return [claim.text async for claim in claims]

    assert asyncio.run(told()) == ["A node is a program. [1]", " A topic is a stream. [2]"]
    assert watched.readings
    assert not any(watched.readings)


class WatchedEmbedder:
    """Notes where tokens are counted."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.counts = list[bool]()
        self.has_counted_answer = Event()

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        self.counts.append(is_on_loop())
        if any("named stream" in text for text in texts[1:]):
            self.has_counted_answer.set()
        return self._embedder.count_tokens(texts)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)


def test_tokens_are_counted_in_a_thread(home: Path, embedder: Embedder, tmp_path: Path) -> None:
    watched = WatchedEmbedder(embedder)
    with serving(home, cast("Embedder", watched), tmp_path / "records.sqlite") as client:
        for question in ("What is a topic?", "Tell me more about it!"):
            assert client.post("/v1/ask", json={"question": question}).status_code == 200
        assert watched.has_counted_answer.wait(60)
    assert not any(watched.counts)
