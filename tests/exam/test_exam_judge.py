"""Whether a reply says what carries the answer."""

from __future__ import annotations

import pytest

from glossator.exam.run import says_one_of

BOARD = "A tally board is a painted plank on which the warden chalks every boat that passes a gate."
CODE = "sluice --turns 8 --wait level"


@pytest.mark.parametrize(
    ("reply", "facts", "says"),
    [
        (
            "A *tally board* is a painted plank on which the warden chalks every boat that passes a gate [1].",
            [BOARD],
            True,
        ),
        ("On a painted plank the wardens chalk boats that pass the gate.", [BOARD], True),
        ("The tally board is wiped at noon [1].", [BOARD], False),
        ("A tin lasts one lamp eleven nights [2].", ["eleven nights"], True),
        ("Eleven lamps burn for many nights.", ["eleven nights"], False),
        ("It is lit every night.", ["40 crowns", "every night"], True),
        ("See there [40].", ["40"], False),
        (f"Do this:\n\n```sh\n{CODE}\n```\n\n[1]", [CODE], True),
        ("Turn the sluice until it is level.", [CODE], False),
    ],
)
def test_a_reply_says_a_fact_when_the_words_that_carry_it_are_there(reply: str, facts: list[str], says: bool):
    assert says_one_of(reply, facts, "What is a tally board?", "english") is says


def test_nobody_knows_where_no_fact_is_known():
    assert says_one_of("Anything.", [], "What?", "english") is None
