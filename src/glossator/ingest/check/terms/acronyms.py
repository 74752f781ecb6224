"""Words in capitals that stand for others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from glossator.ingest.check.terms.occurrence import Occurrence
from glossator.ingest.check.terms.prose import Prose
from glossator.ingest.check.terms.words import FUNCTION_WORDS, WORD
from glossator.model import Span

_ACRONYM = re.compile(
    r"(?<![\w.@#$\\/-])(?=[A-Za-z0-9]{2,6}s?\b)"
    r"([A-Z][A-Z0-9]*(?:[a-z][A-Z0-9]*)?[A-Z])s?(?![\w@\\]|[-/][A-Z0-9]|\.\w)"
)
_ROMAN_NUMERAL = re.compile(r"X{0,3}(?:IX|IV|V?I{0,3})")
_AXES = re.compile(r"[XYZUVW]+")
_NAME_BEFORE = re.compile(r"\b([A-Z][a-z]+)\s$")
_NAME_AFTER = re.compile(r"\s[A-Z][a-z]+")
_MOSTLY = 0.8
_LONG_WORD = 5

_KNOWN_TO_ALL = """
    AI AM ANSI API ASCII AWS BIOS BSD CAD CD CEO CI CLI CMD CPU CSS CSV CTO DIY DNA DNS DVD EU FAQ FPS
    FTP GB GiB GIF GNU GPL GPS GPU GUI HD HTML HTTP HTTPS IBM ID IDE IEC IEEE IO IP ISO IT JPEG JPG JS
    JSON KB KiB LAN LED LGPL LTS MB MiB MIT NASA NB NOTE OK OS PC PDF PhD PHP PM PNG PR PS PyPI QA RAM
    RGB ROM RPM RTX SD SDK SI SMS SQL SSD SSH SSL SVG TB TCP TLS TV UDP UI UK UN URI URL US USA USB UTC
    UTF UX VM VPN VS WAV WWW XML YAML ZIP
    GET POST PUT PATCH EOF NULL TRUE FALSE NaN README MD MDX JSX TSX TS
    TODO FIXME WIP INFO WARN ERROR DEBUG FATAL TRACE DONE PASS FAIL
    AMD ARM NVIDIA CUDA GTX ACM CMU ETH UCLA
"""
_WELL_KNOWN = frozenset(_KNOWN_TO_ALL.split())
"""What any reader of a technical book knows, and names that are never spelled out."""


def acronyms(written: Sequence[Prose]) -> Iterator[Occurrence]:
    """Every place of every one that is not well known, not a symbol, and not a word merely shouted."""
    found = [occurrence for part in written for occurrence in _in(part)]
    uses = Counter(occurrence.term for occurrence in found)
    parts = Counter(
        occurrence.term for occurrence in found if _is_in_name(occurrence) or _is_product(occurrence)
    )
    plain = _uncapitalized({term.lower() for term in uses}, written)
    terms = {
        term
        for term, times in uses.items()
        if not _ROMAN_NUMERAL.fullmatch(term)
        and not _AXES.fullmatch(term)
        and not _is_shouted(term, times, plain[term.lower()])
        and parts[term] < _MOSTLY * times
    }
    return (occurrence for occurrence in found if occurrence.term in terms)


def _in(part: Prose) -> Iterator[Occurrence]:
    for match in _ACRONYM.finditer(part.text):
        span = Span(*match.span())
        if not part.is_code(span) and match[1] not in _WELL_KNOWN:
            yield Occurrence(match[1], part, span)


def _is_in_name(occurrence: Occurrence) -> bool:
    """`Jetson AGX`: a part of what a thing is called."""
    before = _NAME_BEFORE.search(occurrence.before)
    is_after_name = before is not None and before[1].lower() not in FUNCTION_WORDS
    return is_after_name or bool(_NAME_AFTER.match(occurrence.after))


def _is_product(occurrence: Occurrence) -> bool:
    """`BA`, where the matrices `A` and `B` stand beside it."""
    return len(occurrence.term) == 2 and occurrence.prose.letters.issuperset(occurrence.term)


def _uncapitalized(words: set[str], written: Sequence[Prose]) -> Counter[str]:
    """How often each word stands in the book as an ordinary one."""
    return Counter(word for part in written for word in WORD.findall(part.text) if word in words)


def _is_shouted(term: str, times: int, times_plain: int) -> bool:
    """An acronym may happen to be a word as well, but then mostly a short one, and a rare one."""
    return times_plain * (10 if len(term) >= _LONG_WORD else 1) >= times
