"""Conversations of the command line, one small file each, in the home folder."""

from __future__ import annotations

import os
import re
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from glossator.errors import SettingsError
from glossator.model import Exchange

_EXCHANGE = TypeAdapter(Exchange)
_NAME = re.compile(r"[\w.:-]{1,128}")
_KEPT = 20
"""Exchanges that a later question may lean on."""


class Conversations:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, name: str) -> tuple[Exchange, ...]:
        """Oldest first; a line that a crash cut short is passed over."""
        path = self._path(name)
        if not path.is_file():
            return ()
        lines = path.read_text("utf-8").splitlines()[-_KEPT:]
        return tuple(exchange for line in lines if (exchange := _read(line)))

    def add(self, name: str, question: str, answer: str) -> None:
        """In one write, so that an exchange is there whole or not at all."""
        path = self._path(name)
        self._folder.mkdir(parents=True, exist_ok=True)
        line = _EXCHANGE.dump_json(Exchange(question, answer)) + b"\n"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, line)
        finally:
            os.close(descriptor)

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name) or name.startswith("."):
            raise SettingsError("A session's name has 1 to 128 letters, digits and . _ : - only.")
        return self._folder / f"{name}.jsonl"


def _read(line: str) -> Exchange | None:
    try:
        return _EXCHANGE.validate_json(line)
    except ValidationError:
        return None
