"""Questions made from the headings of a book."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from glossator.answer.question_generation.phrase import Phrasing, is_plural
from glossator.answer.question_generation.sections import (
    BookSection,
    GeneratedQuestion,
    common_stems,
    joined,
    paragraphs,
)
from glossator.answer.route.lean import PREPOSITIONS
from glossator.answer.weigh import asked_for
from glossator.text.words import words

_LEAST_WORDS = 15
"""Of prose under a heading; with less there is nothing to answer from."""
_MOST_OFTEN = 2
"""A heading that stands over more sections says what kind of section it is, not what it is about."""
_CODE = re.compile(r"\w[_(:/.]\S|::|\(\)|^[-/.@$<]")


def heading_questions(sections: Sequence[BookSection], language: str) -> list[GeneratedQuestion]:
    """One for each heading that says what is under it, in the order of the sections."""
    phrasing = Phrasing.of(section.body for section in sections) if language == "english" else None
    often = Counter(_key(section.title) for section in sections)
    common = common_stems(sections, language)
    questions = list[GeneratedQuestion]()
    for section in sections:
        if often[_key(section.title)] <= _MOST_OFTEN and _is_about_something(section, common, language):
            # Other languages have grammars of their own; there the bare heading is asked.
            asked = phrasing.ask(section.title) if phrasing else section.title
            if asked:
                questions.append(GeneratedQuestion(asked, section.title, (section.place,)))
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


# Questions that lean on the one before them.

_TASK = re.compile(r"(?P<frame>(?:How do you|What is the (?:code|command) to) [\w-]+) (?P<object>.+)\?")
_DIFFERENCE = re.compile(r"What is the difference between (?P<one>.+) and (?P<other>.+)\?")
_ARTICLE = re.compile(r"^(?:an?|the) ")


def follow_ups(
    terms: Sequence[GeneratedQuestion], questions: Sequence[GeneratedQuestion]
) -> list[GeneratedQuestion]:
    """`What is a node?`, then `How do you create one?`."""
    known = {term.about.lower(): term.text for term in terms}
    return [
        GeneratedQuestion(text, question.about, question.places, question.facts, after=known[term])
        for question in questions
        for term, text in _leaning(question.text)
        if term in known
    ]


def _leaning(question: str) -> Iterator[tuple[str, str]]:
    """Names in a question, each with what is asked once it was spoken of."""
    if difference := _DIFFERENCE.fullmatch(question):
        yield _bare(difference["one"]), f"How does it differ from {difference['other']}?"
    if task := _TASK.fullmatch(question):
        said = task["object"].split()
        end = next((at for at, word in enumerate(said) if word.lower() in PREPOSITIONS), len(said))
        if end == 0:
            return
        name, rest = " ".join(said[:end]), "".join(f" {word}" for word in said[end:])
        single = "one" if name.startswith(("a ", "an ")) else "them" if is_plural(name) else "it"
        for plural, pronoun in (("", single), ("s", "them")):
            if name.endswith(plural):
                yield _bare(name.removesuffix(plural)), f"{task['frame']} {pronoun}{rest}?"


def _bare(name: str) -> str:
    return _ARTICLE.sub("", name).lower()
