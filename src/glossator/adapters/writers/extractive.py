"""The writer that needs no key and no network: it quotes sentences of the book."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence

from glossator.model import Brief
from glossator.work import in_thread


class ExtractiveWriter:
    """Yields nothing if no answer could be composed."""

    name = "extractive"
    model = "extractive"

    def __init__(self, compose: Callable[[Brief], Sequence[str]]) -> None:
        self._compose = compose

    async def write(self, brief: Brief) -> AsyncGenerator[str]:
        if text := "".join(await in_thread(self._compose, brief)):
            # The blank line says that nothing more belongs to the last paragraph.
            yield f"{text}\n\n"
