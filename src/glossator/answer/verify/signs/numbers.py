"""Numbers with their units: one that the evidence does not have is the surest sign of an invention."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isclose

from glossator.answer.verify.phrase import Phrase
from glossator.answer.verify.signs.english import ABOUT, FUNCTION_WORDS, MULTIPLES, NUMBER_WORDS

_DIGITS = re.compile(
    r"(?<![\w.,])(?P<sign>[-−](?=[\d.]))?"
    r"(?P<digits>\d{1,3}(?:[,\u00a0\u2009\u202f]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"(?:st|nd|rd|th)?"
    r"(?:[ \u00a0\u202f]?(?P<unit>%|°C?|[A-Za-zµμΩ]{1,7}(?:[·/][A-Za-z]{1,4}[²³]?)*))?(?!\d)"
)
_SCALES: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("ns", "nanosecond", "nanoseconds"), ("time", 1e-9)),
    **dict.fromkeys(("µs", "μs", "us", "microsecond", "microseconds"), ("time", 1e-6)),
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds"), ("time", 1e-3)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), ("time", 1.0)),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), ("time", 60.0)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), ("time", 3600.0)),
    **dict.fromkeys(("day", "days"), ("time", 86400.0)),
    **dict.fromkeys(("week", "weeks"), ("time", 604800.0)),
    **dict.fromkeys(("month", "months"), ("months", 1.0)),
    **dict.fromkeys(("year", "years"), ("months", 12.0)),
    **dict.fromkeys(("nm", "nanometers", "nanometres"), ("length", 1e-9)),
    **dict.fromkeys(("µm", "μm", "micrometers", "micrometres", "microns"), ("length", 1e-6)),
    **dict.fromkeys(("mm", "millimeter", "millimeters", "millimetre", "millimetres"), ("length", 1e-3)),
    **dict.fromkeys(("cm", "centimeter", "centimeters", "centimetre", "centimetres"), ("length", 1e-2)),
    **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), ("length", 1.0)),
    **dict.fromkeys(("km", "kilometer", "kilometers", "kilometre", "kilometres"), ("length", 1e3)),
    **dict.fromkeys(("mg", "milligram", "milligrams"), ("mass", 1e-6)),
    **dict.fromkeys(("g", "gram", "grams"), ("mass", 1e-3)),
    **dict.fromkeys(("kg", "kilogram", "kilograms"), ("mass", 1.0)),
    **dict.fromkeys(("Hz", "hertz"), ("rate", 1.0)),
    **dict.fromkeys(("kHz", "kilohertz"), ("rate", 1e3)),
    **dict.fromkeys(("MHz", "megahertz"), ("rate", 1e6)),
    **dict.fromkeys(("GHz", "gigahertz"), ("rate", 1e9)),
    **dict.fromkeys(("%", "percent"), ("share", 1.0)),
    **dict.fromkeys(("°", "deg", "degree", "degrees", "°C"), ("degrees", 1.0)),
    **dict.fromkeys(("rad", "radian", "radians"), ("radians", 1.0)),
    **dict.fromkeys(("N", "newton", "newtons"), ("force", 1.0)),
    **dict.fromkeys(("mV", "millivolts"), ("voltage", 1e-3)),
    **dict.fromkeys(("V", "volt", "volts"), ("voltage", 1.0)),
    **dict.fromkeys(("mA", "milliamps"), ("current", 1e-3)),
    **dict.fromkeys(("A", "amp", "amps", "ampere", "amperes"), ("current", 1.0)),
    **dict.fromkeys(("mW", "milliwatts"), ("power", 1e-3)),
    **dict.fromkeys(("W", "watt", "watts"), ("power", 1.0)),
    **dict.fromkeys(("kW", "kilowatts"), ("power", 1e3)),
    **dict.fromkeys(("B", "byte", "bytes"), ("size", 1.0)),
    **dict.fromkeys(("kB", "KB", "kilobyte", "kilobytes"), ("size", 1e3)),
    **dict.fromkeys(("MB", "megabyte", "megabytes"), ("size", 1e6)),
    **dict.fromkeys(("GB", "gigabyte", "gigabytes"), ("size", 1e9)),
    **dict.fromkeys(("TB", "terabyte", "terabytes"), ("size", 1e12)),
    "m/s": ("speed", 1.0),
    "km/h": ("speed", 1 / 3.6),
    "rad/s": ("turning", 1.0),
    "N·m": ("torque", 1.0),
}
_BLURRED = 0.06
"""How far a number may be off that is said to be about right."""


@dataclass(frozen=True, slots=True)
class Number:
    written: float
    scale: float
    measure: str
    """What its unit measures; empty without a known unit."""
    of: str
    """The stem of what is counted, where that can be told."""
    is_about: bool
    is_loose: bool
    """A word such as "one" or "both", which often counts nothing."""
    named: str
    """With the name before it, as in "ROS 2", in small letters."""
    places: tuple[int, ...]
    """Its words and its unit's."""


def numbers(phrase: Phrase) -> tuple[Number, ...]:
    return (*_digits(phrase), *_words(phrase))


def _digits(phrase: Phrase) -> Iterator[Number]:
    for match in _DIGITS.finditer(phrase.text):
        value = float(re.sub(r"[,\u00a0\u2009\u202f]", "", match["digits"])) * (-1 if match["sign"] else 1)
        place = _word_at(phrase, match.start("digits"))
        after = place + 1
        following = phrase.small[after] if after < len(phrase) else ""
        if following in MULTIPLES:
            value, after = value * MULTIPLES[following], after + 1
        measure, scale = _SCALES.get(match["unit"] or "", ("", 1.0))
        counted = measure or _counted(phrase, place, after)
        about, named = _is_about(phrase, place), _named(phrase, place)
        places = _places(phrase, match.start("digits"), match.end("unit" if measure else "digits"))
        yield Number(value, scale, measure, counted, about, False, named, places)


def _words(phrase: Phrase) -> Iterator[Number]:
    for place, word in enumerate(phrase.small):
        if word not in NUMBER_WORDS or (place and phrase.small[place - 1] in ("no", "each", "this", "that")):
            continue
        value, after = NUMBER_WORDS[word], place + 1
        following = phrase.small[after] if after < len(phrase) else ""
        if following in MULTIPLES:
            value, after = value * MULTIPLES[following], after + 1
        unit = phrase.words[after] if after < len(phrase) else ""
        measure, scale = _SCALES.get(unit, ("", 1.0)) if len(unit) > 2 else ("", 1.0)
        is_loose = word in ("one", "single", "both", "half", "double")
        counted = measure or _counted(phrase, place, after)
        places = tuple(range(place, after + bool(measure)))
        yield Number(value, scale, measure, counted, _is_about(phrase, place), is_loose, "", places)


def _places(phrase: Phrase, start: int, end: int) -> tuple[int, ...]:
    return tuple(place for place, span in enumerate(phrase.spans) if span.start < end and start < span.end)


def _word_at(phrase: Phrase, position: int) -> int:
    return next((place for place, span in enumerate(phrase.spans) if span.end > position), len(phrase) - 1)


def _counted(phrase: Phrase, place: int, after: int) -> str:
    """The next word, or that before "of"."""
    if after < len(phrase) and not phrase.pauses[after] and phrase.small[after] not in FUNCTION_WORDS:
        return phrase.stems[after]
    return phrase.stems[place - 2] if place > 1 and phrase.small[place - 1] == "of" else ""


def _is_about(phrase: Phrase, place: int) -> bool:
    return any(word in ABOUT for word in phrase.small[max(0, place - 2) : place])


def _named(phrase: Phrase, place: int) -> str:
    is_named = place > 0 and not phrase.pauses[place] and phrase.words[place - 1][0].isupper()
    return f"{phrase.small[place - 1]} {phrase.small[place]}" if is_named else ""


def is_among(number: Number, others: Sequence[Number]) -> bool:
    return any(_is_same(number, other) for other in others)


def _is_same(one: Number, other: Number) -> bool:
    if one.measure and other.measure and one.measure != other.measure:
        return False
    near = _BLURRED if one.is_about else 1e-6
    scales = (one.scale, other.scale) if one.measure and other.measure else (1.0, 1.0)
    return isclose(one.written * scales[0], other.written * scales[1], rel_tol=near, abs_tol=1e-12)


def is_disputed(number: Number, others: Sequence[Number]) -> bool:
    """Whether the same thing is counted there, and differently."""
    rivals = [other for other in others if number.of and other.of == number.of]
    return bool(rivals) and not is_among(number, rivals)


def other_units(claim: Phrase, window: Phrase) -> int:
    """Units without a number, as in "an hour", where the window has only others that measure the same."""
    said, meant = _bare_units(claim), _bare_units(window)
    measures = {measure for measure, _ in meant}
    return sum(unit not in meant and unit[0] in measures for unit in said)


def _bare_units(phrase: Phrase) -> set[tuple[str, float]]:
    return {
        _SCALES[word]
        for place, word in enumerate(phrase.words)
        if len(word) > 2 and word in _SCALES and not (place and phrase.small[place - 1][-1].isdigit())
    }
