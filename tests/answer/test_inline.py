"""A sentence's Markdown, made fit for an answer."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from glossator.text.markdown import clean, escape, plain


@pytest.mark.parametrize(
    "source",
    [
        "A *node* is **one** program, `x_1 * y`.",
        "snake_case, 5 * 3 and 5*3 stay",
        "The mean is $0.5/\\sqrt{100}$ of it.",
        "R&amp;D and \\*stars\\*",
        "the interval [0, 1]",
        "کیا **یہ** ہے؟ 👩‍💻",
        "use ``a`b`` here",
        "`fn f() { ... }` is `{.x}`",
    ],
)
def test_words_code_emphasis_and_formulas_stay(source: str):
    assert clean(source) == source


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ('A [topic](./topics.md#x "title") is *a [stream](y)*.', "A topic is *a stream*."),
        ("see [generics][ch10] and [`Vec`]", "see generics and `Vec`"),
        ("![an arm](arm.png) The arm <b>moves</b>.<br/>Fast.", "The arm moves. Fast."),
        ("up to 2<sup>8</sup> − 1", "up to 2^8 − 1"),
        ("It drifts[^1].", "It drifts."),
        ("wrapped\n  > over\n> lines", "wrapped over lines"),
        ("> - [ ] `ros2 run` prints", "`ros2 run` prints"),
        ("12. Twelfth step", "Twelfth step"),
        ("> [!NOTE]\n> Mind the gap.", "Mind the gap."),
        ("**Do not wait.", "Do not wait."),
        ("Send it.**", "Send it."),
        ("A heading {#custom-id}{/* hidden */}", "A heading"),
        ("found by Hotz [7]", "found by Hotz \\[7\\]"),
        ("<https://example.org> is a link", "https://example.org is a link"),
        (":::note\nWords.\n:::", "Words."),
        ("![only an image](x.png)", ""),
        (
            "**:simple-python: pip** :octicons-heart-24:{ .pulse } it: `:material-x:`",
            "**pip** it: `:material-x:`",
        ),
    ],
)
def test_links_images_tags_and_marks_go(source: str, shown: str):
    assert clean(source) == shown


def test_plain_leaves_only_words():
    assert plain("- **A** [`b`](c) *d* &amp; \\* e[^1] $x_1$") == "A b d & * e x_1"
    assert plain("plain words") == "plain words"


def test_escaped_words_are_shown_as_they_are():
    for words in ("*not* emphasis", "[1]", "a_b _c_", "<b>", "`x`", "back\\slash"):
        rendered = MarkdownIt("commonmark").renderInline(escape(words))
        assert "<em>" not in rendered
        assert plain(escape(words)) == words


@given(st.text(alphabet=st.sampled_from("ab *_`[]()<>!$\\&;#~\n^|-1.:{}/"), max_size=60))
def test_whatever_the_source_looks_like_no_word_is_added_and_no_link_or_image_is_left(source: str):
    shown = clean(source)
    letters = iter(source)
    assert all(any(letter == other for other in letters) for letter in re.findall(r"[ab1]", shown))
    rendered = MarkdownIt("commonmark").renderInline(shown)
    assert "<a href" not in rendered
    assert "<img" not in rendered
