"""What was read last, so that it need not be read again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """So many values at most, and any number of threads; what nobody asked for longest makes room."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values = OrderedDict[Key, Value]()
        self._changing = threading.Lock()

    def get(self, keys: Iterable[Key]) -> dict[Key, Value]:
        """Of those that are there."""
        with self._changing:
            found = {key: self._values[key] for key in keys if key in self._values}
            for key in found:
                self._values.move_to_end(key)
            return found

    def put(self, values: Mapping[Key, Value]) -> None:
        with self._changing:
            self._values |= values
            while len(self._values) > self._most:
                self._values.popitem(last=False)
