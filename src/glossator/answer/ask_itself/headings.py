"""Questions made from the headings of a book."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from glossator.answer.ask_itself.phrase import Phrasing
from glossator.answer.ask_itself.sections import BookSection, common_stems, paragraphs
from glossator.answer.ask_itself.self_question import SelfQuestion, joined
from glossator.answer.weigh import asked_for
from glossator.text.words import words

_LEAST_WORDS = 15
"""Of prose under a heading; with less there is nothing to answer from."""
_MOST_OFTEN = 2
"""A heading that stands over more sections says what kind of section it is, not what it is about."""
_CODE = re.compile(r"\w[_(:/.]\S|::|\(\)|^[-/.@$<]")


def heading_questions(sections: Sequence[BookSection], language: str) -> list[SelfQuestion]:
    """One for each heading that says what is under it, in the order of the sections."""
    phrasing = Phrasing.of(section.body for section in sections) if language == "english" else None
    often = Counter(_key(section.title) for section in sections)
    common = common_stems(sections, language)
    questions = list[SelfQuestion]()
    for section in sections:
        if often[_key(section.title)] <= _MOST_OFTEN and _is_about_something(section, common, language):
            # Other languages have grammars of their own; there the bare heading is asked.
            asked = phrasing.ask(section.title) if phrasing else section.title
            if asked:
                questions.append(SelfQuestion(asked, section.title, (section.place,)))
    return joined(questions, language)


def _key(title: str) -> str:
    return " ".join(words(title.lower()))


def _is_about_something(section: BookSection, common: frozenset[str], language: str) -> bool:
    if all(_CODE.search(word) for word in section.title.split()):
        return False
    if set(asked_for(section.title, language)) <= common:
        return False
    return sum(_prose(section)) >= _LEAST_WORDS


def _prose(section: BookSection) -> Iterator[int]:
    return (len(words(paragraph)) for paragraph in paragraphs(section.body))
