"""A second writer for when the first cannot write."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol, runtime_checkable

from glossator.errors import WriterError
from glossator.model import Brief
from glossator.ports import Writer


class WithFallback:
    """Hands over when the first writer fails before its first piece; later its error travels.

    Half an answer of one writer and half of another would be nobody's. Who wrote is told by what
    `write` returns, because two questions at once may get two different writers.
    """

    def __init__(self, first: Writer, second: Writer) -> None:
        self._first = first
        self._second = second

    @property
    def name(self) -> str:
        return self._first.name

    @property
    def model(self) -> str:
        return self._first.model

    def write(self, brief: Brief) -> Handover:
        return Handover(self._first, self._second, brief)


class Handover(AsyncIterator[str]):
    """The pieces of one answer; `name` and `model` are its writer's from the first piece, or the end, on."""

    def __init__(self, first: Writer, second: Writer, brief: Brief) -> None:
        self._writer = first
        self._second = second
        self._brief = brief
        self._pieces = first.write(brief)
        self._has_begun = False
        self.failure: WriterError | None = None
        """Why the first writer did not write."""

    @property
    def name(self) -> str:
        return self._writer.name

    @property
    def model(self) -> str:
        return self._writer.model

    async def __anext__(self) -> str:
        try:
            piece = await anext(self._pieces)
        except WriterError as failure:
            if self._has_begun or self.failure:
                raise
            self._hand_over(failure)
            return await anext(self)
        self._has_begun = True
        return piece

    async def aclose(self) -> None:
        if isinstance(self._pieces, _Closable):
            await self._pieces.aclose()

    def _hand_over(self, failure: WriterError) -> None:
        self.failure = failure
        self._writer = self._second
        self._pieces = self._second.write(self._brief)


@runtime_checkable
class _Closable(Protocol):
    async def aclose(self) -> None: ...
