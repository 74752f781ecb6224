"""Write docs/commands.md from the command line itself; a test compares them.

python scripts/reference.py
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import click

from glossator.cli import commands

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"
HEAD = """# Commands

Every command with its options; `glossator COMMAND --help` prints the same. This page is written by `make reference`.

Answers go to standard output and everything else to standard error, so that `glossator ask … > answer.md` keeps the answer alone. The exit code is 0 when all went well, 1 for an
error, which is one line on standard error, and 2 for a wrong option or when an ingest had to leave pages out. Most commands print JSON with `--json`.

Commands read the [settings](settings.md) from the environment and from `glossator.toml` in the folder where they run.

## Completion

Let the shell complete commands and options, in bash (`~/.bashrc`), zsh (`~/.zshrc`) or fish (`~/.config/fish/config.fish`):

```sh
eval "$(_GLOSSATOR_COMPLETE=bash_source glossator)"
eval "$(_GLOSSATOR_COMPLETE=zsh_source glossator)"
_GLOSSATOR_COMPLETE=fish_source glossator | source
```
"""
GUIDES = {
    "ask": "ask.md",
    "backup": "operate.md",
    "books": "books.md",
    "calibrate": "exam.md#see-what-similarity-means",
    "check": "check.md",
    "doctor": "operate.md",
    "exam": "exam.md",
    "export": "search.md#export-the-chunks",
    "gaps": "gaps.md",
    "import": "sessions.md#from-another-server",
    "info": "search.md",
    "ingest": "ingest.md",
    "keys": "keys.md",
    "mcp": "mcp.md",
    "restore": "operate.md",
    "rollback": "operate.md#go-back",
    "search": "search.md",
    "serve": "serve.md",
    "sessions": "sessions.md",
}
"""The page that explains a command."""


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    sections = [_section(name, command) for name, command in every_command(commands)]
    return "\n".join([HEAD, *sections])


def every_command(group: click.Group, above: str = "glossator") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield f"{above} {name}", command
        if isinstance(command, click.Group):
            yield from every_command(command, f"{above} {name}")


def _section(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=name)
    usage = " ".join(filter(str.strip, command.collect_usage_pieces(context)))
    words = name.split()
    parts = [f"{'#' * min(len(words), 3)} {name}", f"```\n{name} {usage}\n```", _prose(command.help or "")]
    if isinstance(command, click.Group):
        names = ", ".join(
            f"[{child}](#{'-'.join([*words, child])})" for child in command.list_commands(context)
        )
        parts.append(f"Its commands: {names}.")
    elif options := [
        _option(option, context) for option in command.params if isinstance(option, click.Option)
    ]:
        parts.append("\n".join(["| option | meaning |", "|---|---|", *options]))
    if len(words) == 2 and (guide := GUIDES.get(words[1])):
        parts.append(f"[More about it]({guide}).")
    return "\n\n".join(parts) + "\n"


def _prose(help_text: str) -> str:
    paragraphs = inspect.cleandoc(help_text.replace("\b", "")).split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _option(option: click.Option, context: click.Context) -> str:
    names, text = option.get_help_record(context) or ("", "")
    return f"| `{_cell(names)}` | {_cell(text)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    main()
