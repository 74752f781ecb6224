"""`glossator` as somebody types it, each command in a process of its own.

Importing all that a command needs takes a second of the processor, and the tests type hundreds of them: one process
imports it once, and forks for each. Tests of how a command starts begin with the script itself.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import click

from glossator.cli import main
from glossator.cli.group import commands
from support.process import environment

# In `-c`, so that usage texts speak of `glossator`, as its script has them do.
_FORKING = [sys.executable, "-c", "from support.glossator_command import fork_commands; fork_commands()"]


def run_command(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """In this folder, with these variables besides those that there are."""
    command = ["glossator", *words]
    with tempfile.TemporaryDirectory(prefix="glossator-command-") as written:
        out, err = Path(written, "out"), Path(written, "err")
        order = [command, str(folder), {**os.environ, "NO_COLOR": "1", **variables}, str(out), str(err)]
        forking = _forking()
        assert forking.stdin
        assert forking.stdout
        forking.stdin.write(f"{json.dumps(order)}\n")
        forking.stdin.flush()
        code = int(forking.stdout.readline())
        return subprocess.CompletedProcess(command, code, out.read_text("utf-8"), err.read_text("utf-8"))


@cache
def _forking() -> subprocess.Popen[str]:
    # A process with threads must not fork: it is told to have one for the arithmetic.
    variables = environment(OPENBLAS_NUM_THREADS="1")
    process = subprocess.Popen(
        _FORKING, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=variables, cwd="/", text=True
    )
    atexit.register(_end, process)
    return process


def _end(process: subprocess.Popen[str]) -> None:
    with process:
        process.kill()


def fork_commands() -> None:
    """Takes orders until there are no more; in a fork this returns as the command does."""
    context = click.Context(commands)
    for name in commands.list_commands(context):
        commands.get_command(context, name)
    gc.freeze()
    for line in sys.stdin:
        if pid := os.fork():
            _, status = os.waitpid(pid, 0)
            print(os.waitstatus_to_exitcode(status), flush=True)
        else:
            _become(*json.loads(line))
            main()


def _become(command: list[str], folder: str, variables: dict[str, str], out: str, err: str) -> None:
    sys.argv = command
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    for number, (path, flags) in enumerate(
        [(os.devnull, os.O_RDONLY), (out, os.O_WRONLY | os.O_CREAT), (err, os.O_WRONLY | os.O_CREAT)]
    ):
        opened = os.open(path, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
