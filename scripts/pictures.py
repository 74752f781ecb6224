"""Pictures of everything people see, into build/pictures; those of the README go to docs/pictures.

make pictures        then look at them
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from picture_pages import ANSWERED, REFUSED, picture_pages
from picture_readers import ask_for_weeks
from picture_terminal import picture_terminal

ROOT = Path(__file__).parents[1]
BOOK = ROOT / "examples" / "physical-ai-book"
ALL, SHOWN = ROOT / "build" / "pictures", ROOT / "docs" / "pictures"
IN_README = ("demo.png", "desk-gaps.png")
TOPICS = (ANSWERED, "When should I use a service instead of a topic?", REFUSED)
GLOSSATOR = Path(sys.executable).with_name("glossator")


def main() -> None:
    ALL.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        environment = {
            **os.environ,
            "GLOSSATOR_HOME": folder,
            "GLOSSATOR_TOPICS": json.dumps(TOPICS),
            "GLOSSATOR_REQUESTS_PER_MINUTE": "100000",
            # On a busy machine a worker may wait longer for a core than it may be silent.
            "GLOSSATOR_WATCHDOG_SECONDS": "60",
        }
        subprocess.run([GLOSSATOR, "ingest", BOOK], env=environment, check=True)
        picture_terminal(home, SHOWN / "ask.svg")
        with served(environment) as url:
            ask_for_weeks(url, home, home / "records.sqlite")
            picture_pages(url, ALL)
    for name in IN_README:
        shutil.copy(ALL / name, SHOWN / name)


@contextmanager
def served(environment: dict[str, str]) -> Generator[str]:
    command = [GLOSSATOR, "serve", "--port", "0", "--preview", BOOK]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            line = next(line for line in process.stderr if line.startswith("Glossator serves"))
            # A pipe that nobody reads is full in the end, and the server waits for it.
            Thread(target=process.stderr.read, daemon=True).start()
            yield line.rpartition(" at ")[2].strip()
        finally:
            process.terminate()


if __name__ == "__main__":
    main()
