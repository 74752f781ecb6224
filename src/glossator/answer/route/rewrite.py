"""A question that leans on the conversation is made to stand alone, with the conversation's own words.

What it leans on is what the last questions were about: `can you give an example of it?` after `What is a
ROS 2 service?` becomes `can you give an example of a ROS 2 service?`. Nothing is said that was not said
before, by the reader or in a cited answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from glossator.answer.route.courtesy import courtesy, without_courtesy
from glossator.answer.route.grammar import FUNCTION_WORDS, LEANING_WORDS
from glossator.answer.route.lean import anaphors, content_words, leans
from glossator.model import Exchange
from glossator.text.inline import plain
from glossator.text.marks import marks
from glossator.text.words import stemmed, word_spans, words

Rarity = Callable[[str], float]

_MOST_EXCHANGES = 6
_MOST_WORDS = 12
"""Of a subject; a longer question gives its rarest."""
_MOST_TERMS = 2
"""Of an answer."""
_LONGEST = 200
"""Characters of a subject or a term."""

_AUXILIARY = r"(?:is|are|was|were|does|do|did|can|could|should|would|will|must|may|has|have)"
_FRAME = re.compile(
    rf"""\W*(?:(?:please|so|and|but|ok|then|now|also)\b\W*)*
    (?:(?:can|could|would)\s+you\s+)?
    (?:(?:explain|describe|define|compare|tell\s+me|show(?:\s+me)?|give(?:\s+me)?)\b\s*)?
    (?:about\s+|(?:an?\s+)?examples?\s+of\s+)?
    (?:(?:what|who|which|when|where|why|how)(?:['’]s)?\b\s*(?:about\b|{_AUXILIARY}\b)?|{_AUXILIARY}\b)?\s*
    (?:(?:i|you|we|one|to|there)\b\s*)?""",
    re.IGNORECASE | re.VERBOSE,
)
_OTHERWISE = re.compile(r"\W*(?:and\s+|but\s+)?(?:what|how)\s+about\b", re.IGNORECASE)
_COMPARES = re.compile(r"\b(?:differ\w*|compare\w*|which one|which is|both|better|faster)\b", re.IGNORECASE)
_NAME = re.compile(r"(?:(?:an?|the|my|your|our)\s+)?[\w`.+/-]+(?:\s+[\w`.+/-]+){0,4}", re.IGNORECASE)
_JOINS_NAMES = frozenset({"and", "or", "of"})

_ORDINALS = {"first": 0, "former": 0, "second": 1, "latter": 1, "third": 2, "fourth": 3, "last": -1}
_ORDINAL = re.compile(rf"\bthe ({'|'.join(_ORDINALS)})\b", re.IGNORECASE)
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(.+)$", re.MULTILINE)
_ITEM_NAME = re.compile(r"\*\*(.{1,200}?)\*\*|([^:.–—]{3,60})")
_PAIR = re.compile(
    r"(?<![\w-])(?:between\s++)?-*+(\w[\w-]*+)\s++(?:and|or|vs\.?|versus)\s++(?:an?\s++|the\s++)?([\w-]++)",
    re.IGNORECASE,
)
_TERM = re.compile(r"`[^`\n]+`|\*\*[^*\n]+\*\*|\*[^*\n]+\*|\b[A-Z]\w*[A-Z0-9_]\w*\b")


def rewrite(question: str, history: Sequence[Exchange], rarity: Rarity, language: str) -> str:
    """The question as it came where the conversation names no subject."""
    recent = history[-_MOST_EXCHANGES:]
    subject = _shortened(_subject_of(recent, both=bool(_COMPARES.search(question))), rarity, language)
    chosen = _chosen(question, recent)
    alone = _replaced(question, chosen or subject)
    added = [part for part in (chosen, subject) if not _is_within(part, alone)]
    if recent and (anaphors(question) or not _own_words(question)):
        added += _terms(recent[-1].answer, [alone, *added])
    return " ".join([alone, *(f"({part})" for part in added)])


def _subject_of(history: Sequence[Exchange], *, both: bool) -> str:
    """What was last spoken about; the last two things, for a question that compares."""
    subjects = [""]
    for exchange in history:
        subject = _subject(exchange.question, subjects[-1])
        subjects += [subject] if subject != subjects[-1] else []
    last_two = [subject for subject in subjects[-2:] if subject]
    return " and ".join(last_two) if both and not _PAIR.search(subjects[-1]) else subjects[-1]


def _subject(question: str, before: str) -> str:
    """What a question is about; one that leans on another keeps the other's subject."""
    asked = without_courtesy(question)
    if not words(asked) or courtesy(question) or (leans(asked) and not _own_words(asked)):
        return before
    own = _without_frame(asked)
    return f"{own} {before}".strip() if leans(asked) and not _OTHERWISE.match(asked) else own


def _own_words(question: str) -> list[str]:
    return [word for word in content_words(question) if word not in LEANING_WORDS]


def _without_frame(question: str) -> str:
    """`What is a ROS 2 service?` asks about `a ROS 2 service`."""
    spans = word_spans(question)
    frame = _FRAME.match(question)
    begin = frame.end() if frame else 0
    said = [span for span in spans if span.start >= begin] or spans
    while len(said) > 1 and question[said[-1].start : said[-1].end].lower() in FUNCTION_WORDS:
        said.pop()
    rest = question[min(begin, said[0].start) : said[-1].end]
    tail = re.match(r"[`+#)\]}]*", question[said[-1].end :])
    return (rest + (tail[0] if tail else "")).strip()


def _shortened(subject: str, rarity: Rarity, language: str) -> str:
    """As it was said, or the rarest words of it in their order."""
    said = list(dict.fromkeys(words(subject)))
    if len(said) <= _MOST_WORDS:
        return subject[:_LONGEST]
    telling = [word for word in said if word.lower() not in FUNCTION_WORDS | LEANING_WORDS]
    rarities = [rarity(stem) for stem in stemmed([word.lower() for word in telling], language)]
    least = sorted(rarities, reverse=True)[:_MOST_WORDS][-1:] or [0.0]
    kept = [word for word, its in zip(telling, rarities, strict=True) if its >= least[0]]
    return " ".join(kept[:_MOST_WORDS])[:_LONGEST]


def _chosen(question: str, history: Sequence[Exchange]) -> str:
    """What `the second one` is: of the list that was answered, or of the two that were asked about."""
    ordinal = _ORDINAL.search(question)
    if not ordinal or not history:
        return ""
    items = [_item_name(item) for item in _ITEM.findall(history[-1].answer)]
    pair = _PAIR.search(history[-1].question)
    candidates = items or (list(pair.groups()) if pair else [])
    place = _ORDINALS[ordinal[1].lower()]
    return candidates[place][:_LONGEST] if candidates and place < len(candidates) else ""


def _item_name(item: str) -> str:
    found = _ITEM_NAME.search(item)
    return plain(found[1] or found[2]).rstrip(" .:") if found else plain(item)


def _replaced(question: str, subject: str) -> str:
    """With the subject in the place of the first word that stands for it, where it is a name."""
    places = [anaphor.span for anaphor in anaphors(question) if anaphor.stands_alone]
    if not places or not _is_name(subject):
        return question
    return question[: places[0].start] + subject + question[places[0].end :]


def _is_name(subject: str) -> bool:
    inner = [word.lower() for word in subject.split()][1:]
    return bool(_NAME.fullmatch(subject)) and not (FUNCTION_WORDS - _JOINS_NAMES) & set(inner)


def _is_within(subject: str, text: str) -> bool:
    return _are_among(subject, set(words(text.lower())))


def _are_among(subject: str, said: set[str]) -> bool:
    return all(word in said for word in words(subject.lower()) if word not in FUNCTION_WORDS)


def _terms(answer: str, said: Sequence[str]) -> Iterator[str]:
    """Names, code and what is emphasised in the first cited sentence, unless it was said already."""
    known = set(words(" ".join(said).lower()))
    found = dict.fromkeys(term.strip("`*") for term in _TERM.findall(_first_cited(answer)))
    new = (term for term in found if len(term) <= _LONGEST and not _are_among(term, known))
    return islice(new, _MOST_TERMS)


def _first_cited(answer: str) -> str:
    """What stands before the first mark, on its line."""
    for mark in marks(answer):
        if said := answer[: mark.start()].rstrip():
            return said.rpartition("\n")[2]
    return ""
