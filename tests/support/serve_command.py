"""`glossator serve`, as an operator types it, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.serve_process import is_soon

COMMAND = [sys.executable, "-c", "import glossator.cli.serve; from glossator.cli import main; main()"]


@dataclass(frozen=True)
class Command:
    process: subprocess.Popen[str]
    written: Path

    @property
    def said(self) -> str:
        return self.written.read_text("utf-8")

    @property
    def url(self) -> str:
        (line,) = [line for line in self.said.splitlines() if line.startswith("Glossator serves")]
        return line.rpartition(" at ")[2]

    def lines(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.said.splitlines() if line.startswith("{")]


@contextmanager
def serve(folder: Path, home: Path, *options: str, **settings: str) -> Generator[Command]:
    environment = {
        **os.environ,
        "GLOSSATOR_HOME": str(home),
        "GLOSSATOR_DATABASE_URL": f"sqlite:///{folder / 'records.sqlite'}",
        **{f"GLOSSATOR_{name.upper()}": value for name, value in settings.items()},
    }
    written = folder / "said"
    with written.open("w") as file:
        process = subprocess.Popen(
            [*COMMAND, "serve", "--port", "0", *options], cwd=folder, env=environment, stderr=file, text=True
        )
    with process:
        command = Command(process, written)
        try:
            assert is_soon(lambda: "Glossator serves" in command.said or process.poll() is not None)
            yield command
        finally:
            process.kill()
