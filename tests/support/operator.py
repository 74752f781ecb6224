"""Somebody with a terminal who looks after a small book."""

from __future__ import annotations

import subprocess
from pathlib import Path

from support.glossator_command import run_command


class Operator:
    """Somebody with a terminal, a book of four pages and a home folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        for name, text in PAGES.items():
            (folder / "book").mkdir(exist_ok=True)
            (folder / "book" / name).write_text(text)

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return run_command(self.folder, *words, **{"GLOSSATOR_HOME": str(self.home), **environment})

    def does(self, *words: str, **environment: str) -> str:
        done = self.run(*words, **environment)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    def is_refused(self, *words: str, **environment: str) -> str:
        done = self.run(*words, **environment)
        assert (done.returncode, done.stdout) == (1, "")
        assert "Traceback" not in done.stderr
        return done.stderr


PAGES = {
    "nodes.md": "# Nodes\n\nA node is a process that computes the position of an arm.\n",
    "topics.md": "# Topics\n\nA topic carries messages from publishers to subscribers.\n",
    "services.md": "# Services\n\nA service answers one request with one reply.\n",
    "frames.md": "# Frames\n\nA frame is a coordinate system with an origin and axes.\n",
}
