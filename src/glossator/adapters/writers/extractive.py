"""The writer that needs no key and no network: the book's own sentences."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence

from glossator.adapters.writers.service import ready
from glossator.model import Brief


class ExtractiveWriter:
    """Ends without a piece when nothing could be composed."""

    name = "extractive"
    model = "extractive"

    def __init__(self, compose: Callable[[Brief], Sequence[str]]) -> None:
        self._compose = compose

    async def write(self, brief: Brief) -> AsyncGenerator[str]:
        await ready()
        from glossator.adapters.writers.sdk.compose import compose
        from glossator.adapters.writers.sdk.extractive_model import ExtractiveModel

        for piece in await compose(ExtractiveModel(self._compose, brief), brief.question):
            yield piece
