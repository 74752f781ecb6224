"""Who does what to whom: two things must not have changed places round the word that joins them."""

from __future__ import annotations

from glossator.answer.verify.phrase import Phrase
from glossator.answer.verify.signs.english import BEING, FUNCTION_WORDS, TURNS
from glossator.answer.verify.signs.opposites import is_opposite

_NEAR = 6
"""Words on either side that are looked at."""


def is_swapped(claim: Phrase, window: Phrase) -> bool:
    """Whether the claim says of B and A what the window says of A and B, at some word that both have."""
    return any(
        _is_crossed(claim, here, window, there)
        for here in range(len(claim))
        if _joins(claim, here)
        for there in _counterparts(claim.stems[here], window)
    )


def _counterparts(stem: str, window: Phrase) -> list[int]:
    """Where the window has the word, or else its opposite."""
    same = [place for place, other in enumerate(window.stems) if other == stem]
    return same or [
        place for place, other in enumerate(window.stems) if is_opposite(stem, other, window.language)
    ]


def _joins(phrase: Phrase, place: int) -> bool:
    return phrase.small[place] in TURNS or phrase.small[place] not in FUNCTION_WORDS


def _is_crossed(claim: Phrase, here: int, window: Phrase, there: int) -> bool:
    if _is_passive(claim, here) != _is_passive(window, there):
        return False
    if claim.stems[here] == window.stems[there]:
        return has_changed_sides(claim, here, window, there)
    # A before B is B after A, and not A after B.
    left, right = _sides(claim, here)
    its_left, its_right = _sides(window, there)
    return bool(left & its_left - its_right) and bool(right & its_right - its_left)


def has_changed_sides(claim: Phrase, here: int, window: Phrase, there: int) -> bool:
    """Whether what stands left of the one word stands right of the other, and the other way round."""
    left, right = _sides(claim, here)
    its_left, its_right = _sides(window, there)
    gone_right = (left & its_right) - its_left - right
    gone_left = (right & its_left) - its_right - left
    return bool(gone_right) and bool(gone_left)


def _is_passive(phrase: Phrase, place: int) -> bool:
    is_done = phrase.small[place].endswith("ed") or not BEING.isdisjoint(
        phrase.small[max(0, place - 2) : place]
    )
    return is_done and "by" in phrase.small[place + 1 : place + 3]


def _sides(phrase: Phrase, place: int) -> tuple[frozenset[str], frozenset[str]]:
    """What stands before and behind a word; a sentence that opens with it has the first part last."""
    left = _run(phrase, range(place - 1, -1, -1), place)
    right = _run(phrase, range(place + 1, len(phrase)), place)
    after = place + len(right) + 1
    if not left and after < len(phrase) and phrase.pauses[after]:
        left = [after, *_run(phrase, range(after + 1, len(phrase)), after)]
    return _content(phrase, left), _content(phrase, right)


def _run(phrase: Phrase, places: range, start: int) -> list[int]:
    """The places from `start` on, up to the next pause."""
    run = list[int]()
    for place in places[:_NEAR]:
        if phrase.pauses[max(place, run[-1] if run else start)]:
            break
        run.append(place)
    return run


def _content(phrase: Phrase, places: list[int]) -> frozenset[str]:
    return frozenset(phrase.stems[place] for place in places if phrase.small[place] not in FUNCTION_WORDS)
