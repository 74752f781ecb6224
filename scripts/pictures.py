"""The picture of the README: what `glossator ask` prints about the sample book, as a terminal shows it.

Run `make demo` first.
"""

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

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "ask.svg"
GLOSSATOR = Path(sys.executable).with_name("glossator")
QUESTIONS = ("What is domain randomization good for?", "Which battery chemistry lasts longest?")


def main() -> None:
    console = Console(record=True, width=96, file=io.StringIO(), force_terminal=True)
    for question in QUESTIONS:
        console.print(Text.from_ansi(f'$ glossator ask "{question}"\n\n{asked(question)}'), soft_wrap=True)
    picture = console.export_svg(title="glossator")
    # A picture in a repository asks nobody for fonts.
    PICTURE.write_text(re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL), encoding="utf-8")


def asked(question: str) -> str:
    """What the command prints on a terminal of its own."""
    main_end, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 92, 0, 0))
    with subprocess.Popen(
        [GLOSSATOR, "ask", question], stdout=terminal, stderr=subprocess.DEVNULL
    ) as process:
        os.close(terminal)
        said = b""
        with contextlib.suppress(OSError):
            while some := os.read(main_end, 65536):
                said += some
        process.wait()
    return said.decode().replace("\r\n", "\n")


if __name__ == "__main__":
    main()
