"""Questions that lean on the one before them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from glossator.answer.ask_itself.phrase import is_plural
from glossator.answer.ask_itself.self_question import SelfQuestion
from glossator.answer.route.grammar import PREPOSITIONS

_TASK = re.compile(r"(?P<frame>(?:How do you|What is the (?:code|command) to) [\w-]+) (?P<object>.+)\?")
_DIFFERENCE = re.compile(r"What is the difference between (?P<one>.+) and (?P<other>.+)\?")
_ARTICLE = re.compile(r"^(?:an?|the) ")


def follow_ups(terms: Sequence[SelfQuestion], questions: Sequence[SelfQuestion]) -> list[SelfQuestion]:
    """`What is a node?`, then `How do you create one?`."""
    known = {term.about.lower(): term.text for term in terms}
    return [
        SelfQuestion(text, question.about, question.places, question.facts, after=known[term])
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
