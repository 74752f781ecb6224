"""An answer's Markdown on a terminal."""

from __future__ import annotations

import click
import pytest

from glossator.cli.show_markdown import MarkdownPrinter


def printed(text: str) -> str:
    written = list[str]()
    printer = MarkdownPrinter(written.append, 80)
    printer.write(text)
    printer.finish()
    return "".join(written).rstrip("\n")


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"Brackets \[1\], stars \*x\* and `\n`.", r"Brackets [1], stars *x* and \n."),
        ("A `Vec<T>` is a Vec&lt;T&gt; &amp; more.", "A Vec<T> is a Vec<T> & more."),
        ("A Box<T>, 2 * 3 * 4 and snake_case_name [1][2]", "A Box<T>, 2 * 3 * 4 and snake_case_name [1][2]"),
        ("Read [the page](/docs/a).", "Read the page."),
        ("Read [the page](https://a.example/b).", "Read the page (https://a.example/b)."),
    ],
)
def test_a_reader_sees_the_words_without_marks(source: str, shown: str):
    assert click.unstyle(printed(source)) == shown


def test_emphasis_and_code_have_styles():
    assert printed("**Stop** it") == click.style("Stop", bold=True) + " it"
    assert printed("*never* stop") == click.style("never", italic=True) + " stop"
    assert printed("Use `**options`") == "Use " + click.style("**options", fg="cyan")
