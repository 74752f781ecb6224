"""A real server for a real browser: `glossator serve` on the sample book, and pages that have the widget."""

from __future__ import annotations

import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from support.serve_command import Command, serve

__all__ = ["SAMPLE", "Command", "pages", "serve"]

SAMPLE = Path(__file__).parents[2] / "examples" / "physical-ai-book"


@contextmanager
def pages(folder: Path, written: Mapping[str, str] | None = None) -> Generator[str]:
    """A site of static files on an origin of its own; `written` are files put into the folder first."""
    for name, text in (written or {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass
