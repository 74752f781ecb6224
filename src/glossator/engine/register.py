"""The turns of this process that somebody may ask for again."""

from __future__ import annotations

from collections import OrderedDict

from glossator.engine.asking import Asking
from glossator.engine.running import Running
from glossator.errors import IdempotencyMismatch
from glossator.model import Owner

_MOST_FORGETFUL = 64
"""Finished turns that are kept here because the records may not have them."""

Name = tuple[str, Owner, str]


class Register:
    def __init__(self) -> None:
        self._by_id = dict[str, Running]()
        self._by_name = dict[Name, list[Running]]()
        self._forgetful = OrderedDict[str, Running]()

    def add(self, running: Running) -> None:
        self._by_id[running.turn_id] = running
        if name := _name(running.asking):
            self._by_name.setdefault(name, []).append(running)

    def find(self, turn_id: str) -> Running | None:
        return self._by_id.get(turn_id)

    def asked(self, asking: Asking) -> Running | None:
        """The same request, if it came before; which of two others has the name, the records decide.

        Where one of them is not to be remembered, they cannot: it is whichever came first.
        """
        name = _name(asking)
        for running in self._by_name.get(name, ()) if name else ():
            if running.asking.idempotency == asking.idempotency:
                return running
            if not (running.asking.remember and asking.remember):
                raise IdempotencyMismatch
        return None

    def release(self, running: Running) -> None:
        """It ended: what was stored is found in the records from now on."""
        if running.asking.remember or running.failure:
            self._drop(running)
            return
        self._forgetful[running.turn_id] = running
        while len(self._forgetful) > _MOST_FORGETFUL:
            self._drop(self._forgetful.popitem(last=False)[1])

    def _drop(self, running: Running) -> None:
        self._by_id.pop(running.turn_id, None)
        name = _name(running.asking)
        if name and name in self._by_name:
            self._by_name[name].remove(running)
            if not self._by_name[name]:
                del self._by_name[name]


def _name(asking: Asking) -> Name | None:
    named = asking.idempotency
    return (asking.contract, asking.owner, named.key) if named else None
