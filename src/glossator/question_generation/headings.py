"""Generates questions from the headings of a book, and follow-ups to them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from glossator.question_generation.phrase import Phrasing, is_plural
from glossator.question_generation.sections import (
    BookSection,
    GeneratedQuestion,
    common_stems,
    merge_by_subject,
    paragraphs,
)
from glossator.text.english import PREPOSITIONS
from glossator.text.words import content_stems, words

_LEAST_WORDS = 15
"""Words of prose under a heading; with fewer there is nothing to answer from."""
_MOST_OFTEN = 2
"""A heading of more sections names a kind of section, not a subject."""
_CODE = re.compile(r"\w[_(:/.]\S|::|\(\)|^[-/.@$<]")


def heading_questions(sections: Iterable[BookSection], language: str) -> list[GeneratedQuestion]:
    """Makes a question for each subject that a heading names, in the order of the sections."""
    return merge_by_subject(questions_of_headings(sections, language), language)


def questions_of_headings(sections: Iterable[BookSection], language: str) -> Iterator[GeneratedQuestion]:
    """A question for each heading, unmerged. Goes through the sections four times, and holds only words."""
    phrasing = Phrasing.of(section.body for section in sections) if language == "english" else None
    counts = Counter(_key(section.title) for section in sections)
    common = common_stems(sections, language)
    for section in sections:
        if counts[_key(section.title)] <= _MOST_OFTEN and _is_about_something(section, common, language):
            # Phrasing knows only English; in other languages the heading itself is the question.
            text = phrasing.ask(section.title) if phrasing else section.title
            if text:
                yield GeneratedQuestion(text, section.title, (section.place,))


def _key(title: str) -> str:
    return " ".join(words(title.lower()))


def _is_about_something(section: BookSection, common: frozenset[str], language: str) -> bool:
    if all(_CODE.search(word) for word in section.title.split()):
        return False
    if set(content_stems(section.title, language)) <= common:
        return False
    return sum(_paragraph_sizes(section)) >= _LEAST_WORDS


def _paragraph_sizes(section: BookSection) -> Iterator[int]:
    return (len(words(paragraph)) for paragraph in paragraphs(section.body))


# Follow-up questions.

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
        for term, text in _with_pronouns(question.text)
        if term in known
    ]


def _with_pronouns(question: str) -> Iterator[tuple[str, str]]:
    """Each name in the question, with the question that has a pronoun for that name."""
    if difference := _DIFFERENCE.fullmatch(question):
        yield _without_article(difference["one"]), f"How does it differ from {difference['other']}?"
    if task := _TASK.fullmatch(question):
        object_words = task["object"].split()
        end = next(
            (index for index, word in enumerate(object_words) if word.lower() in PREPOSITIONS),
            len(object_words),
        )
        if end == 0:
            return
        name, rest = " ".join(object_words[:end]), "".join(f" {word}" for word in object_words[end:])
        single = "one" if name.startswith(("a ", "an ")) else "them" if is_plural(name) else "it"
        for plural, pronoun in (("", single), ("s", "them")):
            if name.endswith(plural):
                yield _without_article(name.removesuffix(plural)), f"{task['frame']} {pronoun}{rest}?"


def _without_article(name: str) -> str:
    return _ARTICLE.sub("", name).lower()
