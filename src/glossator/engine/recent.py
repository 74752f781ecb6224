"""What was worked out last, so that it need not be again."""

from __future__ import annotations

from collections import OrderedDict
from hashlib import sha256
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """By the digest of some words: a reader's own, once deleted, are not in memory either."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values = OrderedDict[bytes, Value]()

    def __contains__(self, words: str) -> bool:
        return _digest(words) in self._values

    def __getitem__(self, words: str) -> Value:
        self._values.move_to_end(_digest(words))
        return self._values[_digest(words)]

    def __setitem__(self, words: str, value: Value) -> None:
        self._values[_digest(words)] = value
        while len(self._values) > self._most:
            self._values.popitem(last=False)


def _digest(words: str) -> bytes:
    return sha256(words.encode()).digest()
