"""Everything a contract may reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from glossator.engine.ask import Asker
from glossator.engine.asking import Asking
from glossator.engine.book import Book
from glossator.engine.health import Health
from glossator.engine.running import Running
from glossator.model import Contract, Lifecycle, Owner
from glossator.ports import Desk, Exchanges, Keeper, Sessions


@dataclass(frozen=True, slots=True)
class Engine:
    asker: Asker
    book: Book
    sessions: Sessions
    exchanges: Exchanges
    keeper: Keeper
    desk: Desk
    health: Health
    lifecycles: Mapping[Contract, Lifecycle]

    async def ask(self, asking: Asking, *, linger: bool = False) -> Running:
        return await self.asker.ask(asking, linger=linger)

    async def resume(self, exchange_id: str, owner: Owner) -> Running:
        return await self.asker.resume(exchange_id, owner)
