"""What every reader does: the bundled one, and the one in memory that tests use."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import isfinite

import pytest

from glossator.answer.windows import windows
from glossator.model import Part, Reading, Span, Support, Window
from glossator.ports import Reader
from glossator.settings import Settings
from glossator.testing import WordReader
from glossator.wiring import reader_of
from support.answer_pages import passages_of, window

OPENERS: dict[str, Callable[[], Reader]] = {"words": WordReader, "bundled": lambda: reader_of(Settings())}

BATTERIES = window(
    "# Batteries\n\nThe battery pack lasts four hours of walking. The pack is blue. Charge it over night."
)
BREAD = window("# Bread\n\nSourdough bread is baked in a hot oven. The crust turns brown.")
CODE = window("# Run\n\nRun this:\n\n```sh\nros2 run demo talker\nros2 topic list\n```\n")
WINDOWS = [BATTERIES, BREAD, CODE, BATTERIES]

TEXTS = [
    "How long does the battery pack last?",
    "",
    " \n\t ",
    "?",
    "یہ کتاب روبوٹ کے بارے میں ہے",
    "🤖 e\u0301 [SEP] ==========",
    "half a pair \ud83e of surrogates",
    "words " * 600,
    "a" * 10_000,
]


@pytest.fixture(scope="module", params=OPENERS)
def reader(request: pytest.FixtureRequest) -> Reader:
    return OPENERS[request.param]()


def near(one: Reading | Support, other: Reading | Support) -> bool:
    return _numbers(one) == pytest.approx(_numbers(other), abs=1e-4)


def _numbers(scores: Reading | Support) -> list[float]:
    if isinstance(scores, Support):
        return list(scores)
    return [scores.answers, *scores.belongs, *scores.facts]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_every_window_is_read_part_by_part(reader: Reader, text: str) -> None:
    readings = reader.read(text, WINDOWS)
    assert len(readings) == len(WINDOWS)
    for reading, given in zip(readings, WINDOWS, strict=True):
        assert len(reading.belongs) == len(reading.facts) == len(given.parts)
        assert all(map(isfinite, _numbers(reading)))


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_support_is_probabilities(reader: Reader, text: str) -> None:
    for support in reader.check(text, WINDOWS):
        assert all(0.0 <= probability <= 1.0 for probability in support)
        assert sum(support) == pytest.approx(1.0, abs=1e-4)


def test_without_windows_there_is_nothing_to_read(reader: Reader) -> None:
    assert reader.read(TEXTS[0], []) == []
    assert reader.check(TEXTS[0], []) == []


def test_a_window_is_read_by_itself_whatever_its_company(reader: Reader) -> None:
    together = [*reader.read(TEXTS[0], WINDOWS), *reader.check(TEXTS[0], WINDOWS)]
    alone = [
        *(reader.read(TEXTS[0], [window])[0] for window in WINDOWS),
        *(reader.check(TEXTS[0], [window])[0] for window in WINDOWS),
    ]
    assert all(map(near, together, alone))
    assert near(together[0], together[3])


def test_several_threads_may_ask_at_once(reader: Reader) -> None:
    questions = [f"How long does battery number {number} last?" for number in range(12)]
    expected = [reader.read(question, WINDOWS)[0] for question in questions]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda question: reader.read(question, WINDOWS)[0], questions))
    assert all(map(near, found, expected))


def test_parts_that_are_longer_than_any_room_are_read_too(reader: Reader) -> None:
    text = "The battery lasts four hours and " * 200 + "that is all."
    for given in windows(passages_of(f"# Batteries\n\n{text}")[0]):
        [reading] = reader.read(TEXTS[0], [given])
        assert len(reading.belongs) == len(given.parts)
        assert all(map(isfinite, _numbers(reading)))


def test_a_part_of_nothing_is_read_as_nothing(reader: Reader) -> None:
    passage = BATTERIES.passage
    hollow = Window(passage, (BATTERIES.parts[0], Part(0, Span(3, 3), 0)), 0, BATTERIES.parts[0].tokens)
    [reading] = reader.read(TEXTS[0], [hollow])
    assert len(reading.belongs) == len(reading.facts) == 2
    assert all(map(isfinite, _numbers(reading)))


def test_a_window_that_answers_is_told_from_one_about_something_else(reader: Reader) -> None:
    batteries, bread = reader.read("How long does the battery pack last?", [BATTERIES, BREAD])
    assert batteries.answers > bread.answers
    batteries, bread = reader.read("How is sourdough bread baked?", [BATTERIES, BREAD])
    assert bread.answers > batteries.answers


def test_the_sentence_that_answers_belongs_to_the_answer_more_than_its_neighbours(reader: Reader) -> None:
    [reading] = reader.read("How many hours of walking does the pack last?", [BATTERIES])
    assert reading.belongs[0] == max(reading.belongs)


def test_a_claim_is_supported_where_it_stands_and_not_elsewhere(reader: Reader) -> None:
    here, there = reader.check("The battery pack lasts four hours of walking.", [BATTERIES, BREAD])
    assert here.supported > there.supported
    assert here.supported > 0.5 > there.supported
