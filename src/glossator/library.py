"""Glossator in a Python program or a notebook: ingest a book, search it, ask it.

Everything runs on one event loop in a thread of the book's own, so the plain methods work where a loop is
running already, as in a notebook; each has a twin that can be awaited.
"""

from __future__ import annotations

import asyncio
import dataclasses
import threading
from collections.abc import AsyncGenerator, Coroutine, Generator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

from glossator.adapters.lock import ingest_lock
from glossator.answer.book import ServedBook
from glossator.ingest.pipeline import ingest
from glossator.ingest.sites import SiteKind, SiteOptions
from glossator.model import (
    HISTORY_EXCHANGES,
    Answer,
    AnswerFinished,
    ClaimChecked,
    Event,
    Exchange,
    Filters,
    Hit,
    IngestReport,
    Question,
    Selection,
)
from glossator.ports import Progress
from glossator.sessions.turns import recent_exchanges
from glossator.settings import load_settings
from glossator.testing import SilentProgress
from glossator.wiring import assistant_of, ingest_tools_of
from glossator.wiring.sources import source_of

Result = TypeVar("Result")


class Book:
    """The book in the index of a home folder.

    Settings are those of `glossator.toml` and the environment; each can be given by name instead.
    """

    report: IngestReport | None = None
    """The report of the ingest, if this object was made by one."""

    def __init__(self, home: str | Path | None = None, **settings: Any) -> None:
        chosen = {"home": Path(home), **settings} if home else settings
        with ExitStack() as resources:
            assistant = resources.enter_context(assistant_of(load_settings(**chosen)))
            self._served = ServedBook(assistant)
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._loop.run_forever, name="glossator", daemon=True)
            self._thread.start()
            resources.callback(self._stop)
            self._resources = resources.pop_all()

    @classmethod
    def ingest(
        cls,
        path: str | Path,
        home: str | Path | None = None,
        *,
        site: str | None = None,
        base_url: str | None = None,
        route_base: str | None = None,
        locale: str | None = None,
        title: str | None = None,
        replace: bool = False,
        progress: Progress | None = None,
        **settings: Any,
    ) -> Book:
        """Read the book at `path`, or at the address of a site, into the index, and open it.

        Run again, only what changed is embedded.
        Raises BookWouldShrink where much of the book in the index would be lost, unless `replace` is set.
        """
        chosen = {"home": Path(home), **settings} if home else settings
        loaded = load_settings(**chosen)
        options = SiteOptions(SiteKind(site) if site else None, base_url, route_base, locale, title)
        with ingest_lock(loaded.index_home):
            tools = ingest_tools_of(loaded, progress or SilentProgress(), lambda message: None)
            source = source_of(str(path), options, loaded, tools.progress)
            report = ingest(source.path, source.site, tools, replace_book=replace)
        report = dataclasses.replace(report, skipped=(*source.skipped, *report.skipped))
        book = cls(home, **settings)
        book.report = report
        return book

    def search(self, text: str, *, top_k: int = 5, filters: Filters | None = None) -> Sequence[Hit]:
        """The places where the book speaks of `text`, best first."""
        return self.run(self._search(text, top_k, filters))

    async def search_async(
        self, text: str, *, top_k: int = 5, filters: Filters | None = None
    ) -> Sequence[Hit]:
        return await self.run_async(self._search(text, top_k, filters))

    async def _search(self, text: str, top_k: int, filters: Filters | None) -> Sequence[Hit]:
        question = Question(text, filters=filters or Filters(), top_k=top_k)
        return (await self._served.search(question)).hits

    def events(self, question: Question) -> AsyncGenerator[Event]:
        """The events of one answer; must be iterated on the book's own loop."""
        assistant = self._served.assistant
        history = recent_exchanges(question.history, assistant.embedder)
        return assistant.stream(dataclasses.replace(question, history=history))

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Runs it on the book's own loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def run_async(self, work: Coroutine[Any, Any, Result]) -> Result:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    def close(self) -> None:
        self._resources.close()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> Book:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Assistant:
    """A conversation about a book: follow-up questions are understood."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.history: tuple[Exchange, ...] = ()
        """The last exchanges, oldest first; what a follow-up question is read with."""
        self.answer: Answer | None = None
        """The last one: a stream has it when it has ended."""

    def ask(self, text: str, *, selection: str | None = None, filters: Filters | None = None) -> Answer:
        """The whole answer, with its citations; about `selection` alone, where one is given."""
        for _ in self.stream(text, selection=selection, filters=filters):
            pass
        return self._finished()

    async def ask_async(
        self, text: str, *, selection: str | None = None, filters: Filters | None = None
    ) -> Answer:
        async for _ in self.stream_async(text, selection=selection, filters=filters):
            pass
        return self._finished()

    def stream(
        self, text: str, *, selection: str | None = None, filters: Filters | None = None
    ) -> Generator[str]:
        """The answer's sentences, each as soon as it is checked; a refusal is one piece."""
        pieces = self._pieces(text, selection, filters)
        try:
            while (piece := self.book.run(_next(pieces))) is not None:
                yield piece
        finally:
            self.book.run(pieces.aclose())

    async def stream_async(
        self, text: str, *, selection: str | None = None, filters: Filters | None = None
    ) -> AsyncGenerator[str]:
        pieces = self._pieces(text, selection, filters)
        try:
            while (piece := await self.book.run_async(_next(pieces))) is not None:
                yield piece
        finally:
            await self.book.run_async(pieces.aclose())

    async def _pieces(
        self, text: str, selection: str | None, filters: Filters | None
    ) -> AsyncGenerator[str, None]:
        selected = Selection(selection, only=True) if selection else None
        question = Question(text, selected, filters or Filters(), history=self.history)
        has_text = False
        async for event in self.book.events(question):
            match event:
                case ClaimChecked(claim):
                    has_text = True
                    yield claim.text
                case AnswerFinished(answer):
                    self.answer = answer
                    self.history = (*self.history, Exchange(text, answer.text))[-HISTORY_EXCHANGES:]
                    if not has_text:
                        yield answer.text
                case _:
                    continue

    def _finished(self) -> Answer:
        assert self.answer is not None, "every stream ends with its answer"
        return self.answer


async def _next(pieces: AsyncGenerator[str]) -> str | None:
    return await anext(pieces, None)
