"""Lies one step away from a true sentence, made by script: beside the twins that were written, thousands more.

A lie changes one thing: a number, a name, a direction, a negation, or the places of two names.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\w)")
_NAME = re.compile(
    r"`[^`\n]+`|(?<=[a-z,;] )[A-Z][\w-]+(?: [A-Z][\w-]+)*|\b[A-Za-z]+(?:_\w+)+\b|\b[a-z]+[A-Z]\w*"
)
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|can|could|will|would|must|should|does|do|has|have|may)\b(?! not)", re.I
)
_DENIAL = re.compile(r"\b(?:not|never)\b |(?<=[a-z])n't\b")
_PAIRS = """
    before/after first/last more/less most/least higher/lower increase/decrease increases/decreases
    larger/smaller greater/fewer faster/slower always/never all/some every/no only/also
    minimum/maximum enable/disable enabled/disabled enables/disables start/stop starts/stops
    client/server parent/child input/output open/close add/remove adds/removes allow/prevent
    allows/prevents with/without inside/outside above/below global/local public/private
    automatically/manually required/optional same/different synchronous/asynchronous static/dynamic
    true/false left/right read/write upper/lower early/late old/new single/multiple cheap/expensive
    can/cannot must/may default/optional hard/soft internal/external before/during success/failure
    succeeds/fails mutable/immutable safe/unsafe include/exclude includes/excludes
"""
_TURNED = [pair.split("/") for pair in _PAIRS.split()]
_TURN = {one: other for a, b in _TURNED for one, other in ((a, b), (b, a))}
_WORD = re.compile(r"[A-Za-z]+")


def lie_of(sentence: str, others: Sequence[str], chance: random.Random) -> str | None:
    """One of the lies that can be made of it; `others` are sentences of the same page, for names to put in its place."""
    made = [lie for lie in _lies(sentence, others, chance) if lie.lower() != sentence.lower()]
    return chance.choice(made) if made else None


def _lies(sentence: str, others: Sequence[str], chance: random.Random) -> Iterator[str]:
    numbers, names = list(_NUMBER.finditer(sentence)), list(_NAME.finditer(sentence))
    if numbers:
        number = chance.choice(numbers)
        yield _put(sentence, number.span(), _other_number(number[0], others, chance))
    if names:
        name = chance.choice(names)
        elsewhere = [found[0] for text in others for found in _NAME.finditer(text)]
        elsewhere = [
            candidate
            for candidate in elsewhere
            if candidate not in sentence and candidate[0] == name[0][0] == "`"
        ] or [candidate for candidate in elsewhere if candidate not in sentence]
        if elsewhere:
            yield _put(sentence, name.span(), chance.choice(elsewhere))
    if len({name[0] for name in names}) > 1:
        one, other = sorted(chance.sample(names, 2), key=lambda name: name.start())
        # "a and b" is true the other way round too.
        if len(sentence[one.end() : other.start()]) > 8:
            yield _put(_put(sentence, other.span(), one[0]), one.span(), other[0])
    turns = [word for word in _WORD.finditer(sentence) if word[0].lower() in _TURN]
    for word in chance.sample(turns, min(2, len(turns))):
        turned = _TURN[word[0].lower()]
        yield _put(sentence, word.span(), turned.capitalize() if word[0][0].isupper() else turned)
    denial = _DENIAL.search(sentence)
    auxiliary = _AUXILIARY.search(sentence)
    if denial:
        yield _put(sentence, denial.span(), "")
    elif auxiliary:
        yield _put(sentence, (auxiliary.end(), auxiliary.end()), " not")


def _put(text: str, span: tuple[int, int], other: str) -> str:
    return text[: span[0]] + other + text[span[1] :]


def _other_number(number: str, others: Sequence[str], chance: random.Random) -> str:
    """One of the same page, or one near it."""
    elsewhere = [found[0] for text in others for found in _NUMBER.finditer(text) if found[0] != number]
    if elsewhere and chance.random() < 0.5:
        return chance.choice(elsewhere)
    if "." in number:
        return f"{float(number) * chance.choice((0.1, 0.5, 2, 10)):g}"
    value = int(number)
    return str(
        chance.choice([value + 1, max(value - 1, 0) if value > 1 else value + 2, value * 10, value * 2 + 1])
    )
