"""What `glossator ask` prints about the sample book, as a terminal shows it."""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

from rich.console import Console
from rich.text import Text

GLOSSATOR = Path(sys.executable).with_name("glossator")
QUESTIONS = ("What is domain randomization good for?", "Which company makes the best robot arm?")


def picture_terminal(home: Path, picture: Path) -> None:
    console = Console(record=True, width=96, file=io.StringIO(), force_terminal=True)
    for question in QUESTIONS:
        console.print(
            Text.from_ansi(f'$ glossator ask "{question}"\n\n{asked(question, home)}'), soft_wrap=True
        )
    drawn = console.export_svg(title="glossator")
    # A picture in a repository asks nobody for fonts.
    picture.write_text(re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL), encoding="utf-8")


def asked(question: str, home: Path) -> str:
    """What the command prints on a terminal of its own."""
    main_end, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 92, 0, 0))
    with subprocess.Popen(
        [GLOSSATOR, "ask", question],
        stdout=terminal,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "GLOSSATOR_HOME": str(home)},
    ) as process:
        os.close(terminal)
        said = b""
        with contextlib.suppress(OSError):
            while some := os.read(main_end, 65536):
                said += some
        process.wait()
    return said.decode().replace("\r\n", "\n")
