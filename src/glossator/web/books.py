"""Serves every book below its name, as the server serves the default book at its root.

Which books there are is read about once a second, so a server follows when one is ingested or removed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from starlette.types import ASGIApp, Receive, Scope, Send

from glossator.errors import IndexFault
from glossator.model import DEFAULT_BOOK
from glossator.web.middleware.observe import note
from glossator.work import in_thread

_REFRESH_SECONDS = 1.0


class Books:
    """`Mount("/b/{book}", Books(…))`."""

    def __init__(
        self,
        read_names: Callable[[], Collection[str]],
        make_app: Callable[[str | None], ASGIApp],
        forget: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`make_app` is called once for each book, and with None for all names that no book has."""
        self._read_names = read_names
        self._make_app = make_app
        self._forget = forget
        self._clock = clock
        self._names: Collection[str] | None = None
        self._refresh_at = clock()
        self._apps = dict[str | None, ASGIApp]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name: str = scope["path_params"]["book"]
        await (await self._app(name))(scope, receive, send)

    async def _app(self, name: str) -> ASGIApp:
        book = await self._find(name)
        if book is not None:
            note(book=name)
        if book not in self._apps:
            self._apps[book] = self._make_app(book)
        return self._apps[book]

    async def _find(self, name: str) -> str | None:
        """The default book's own name is empty. None where no book has the name."""
        if name == DEFAULT_BOOK:
            return ""
        return name if name in await self._current_names() else None

    async def _current_names(self) -> Collection[str]:
        """The names read last where the index does not answer. Raises IndexUnavailable where none were."""
        if self._names is not None and self._clock() < self._refresh_at:
            return self._names
        # Set first, so that meanwhile other requests go on with the names that are known.
        self._refresh_at = self._clock() + _REFRESH_SECONDS
        try:
            self._names = names = await in_thread(self._read_names)
        except IndexFault:
            if self._names is None:
                raise
            return self._names
        for book in [book for book in self._apps if book and book not in names]:
            del self._apps[book]
            self._forget(book)
        return names
