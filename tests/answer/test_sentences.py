"""Where sentences end."""

from __future__ import annotations

import pytest

from glossator.text.sentences import sentences


def cut(text: str) -> list[str]:
    return [text[span.start : span.end] for span in sentences(text)]


@pytest.mark.parametrize(
    "text",
    [
        'It prints "Hello, World! I am ROS" to the console.',
        "The robot says “Stop! Go back.” to everybody.",
        'Type "Is it on? Check. Yes" and press Enter.',
    ],
)
def test_what_ends_inside_quotation_marks_does_not_end_the_sentence(text: str):
    assert cut(f"{text} The next one.") == [text, "The next one."]


def test_a_sentence_may_end_with_its_quotation():
    assert cut('It says "Stop! Now!" The robot stands.') == ['It says "Stop! Now!"', "The robot stands."]


def test_inches_and_long_quotations_protect_nothing():
    assert cut('A 5" screen. A 7" one.') == ['A 5" screen.', 'A 7" one.']
    said = "This sentence is here to be long. " * 10
    assert len(cut(f'"{said}"')) == 11
