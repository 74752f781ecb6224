"""A heading as the question that a reader would ask."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from glossator.answer.ask_itself.word_lists import (
    GENERIC,
    LEANS,
    NOT_GERUNDS,
    NOUNS_FIRST,
    PERHAPS_VERBS,
    SURELY_VERBS,
)
from glossator.answer.route.grammar import AUXILIARIES, DETERMINERS, PREPOSITIONS, QUESTION_WORDS
from glossator.text.words import words

_LABEL = re.compile(
    r"^(?:(?:chapter|lesson|module|part|unit|section|appendix|topic|§)\s*)?"
    r"(?:\d+(?:\.\d+)*|[ivx]+(?=[.):])|[a-z](?=[.):]\s|\s[-—–]\s))(?:[.):]+\s*|\s+)(?:[-—–:]\s*)?(?=\D)",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"^(?:step|phase|week|day|option|pitfall|mistake|error|exercise|listing|figure|table|task|quiz|question|"
    r"problem|solution|scenario|level|tip|example|demo|lab|milestone|use case|case)\s+(?:\d|[a-z]\b)",
    re.IGNORECASE,
)
_EDGES = re.compile(r"^[^\w(\"“]++|(?<![\s:;,.…—–-])[\s:;,.…—–-]++$")
_DIFFERENCE = re.compile(r"^(.+?)\s+(?:vs\.?|versus|compared (?:to|with))\s+(.+)$", re.IGNORECASE)
_STATES = re.compile(r"^(.{3,40}?)\s+(?:is|are)\s+(?:an?|the|not)\b", re.IGNORECASE)
_STATEMENT = re.compile(
    r"\S\s+(?:avoids?|increases?|changes|contains?|provides?|allows?|requires?|enables?|prevents?|decides?|handles?|"
    r"becomes?|makes?|does|has|have|can|cannot|must|should|will|happens?|means?|returns|finds?|asks?|divides?|"
    r"causes?|lets?|helps?|needs?)\s+\S",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^(?:(?:an?\s+)?(?:introduction|intro|overview|basics|fundamentals|definition|concept|anatomy|understanding|"
    r"introducing|meet)(?:\s+(?:to|of))?|(?:all\s+)?about)\s+",
    re.IGNORECASE,
)
_WHAT_IT_IS = re.compile(r"^what\s+(.+?)\s+(?:is|are)$", re.IGNORECASE)
_LOST_E = re.compile(r"(?:[cvzu]|[aeiou][gks]|[^aeiou]l|at|ut|ur|id|od|un)$")
_SHORTEST_TRUNK = 2
_MOST_WORDS = 14
_PHRASE = 5
"""Words; what is longer is more often a statement than a name."""


@dataclass(frozen=True, slots=True)
class Phrasing:
    """Knows how the book writes its words."""

    vocabulary: Counter[str]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Phrasing:
        return cls(Counter(word for text in texts for word in words(text)))

    def ask(self, heading: str) -> str | None:
        """None for a heading that says nothing by itself, such as `Summary`, `Step 2` or `How it works`."""
        title = _bare(heading)
        said = [word.lower() for word in title.split()]
        if not said or len(said) > _MOST_WORDS or LEANS & set(said) or is_generic(title):
            return None
        return self._asked(title)

    def what_is(self, name: str) -> str:
        name = self.lowered(name)
        return f"What {'are' if _is_plural(name) else 'is'} {name}?"

    def lowered(self, title: str) -> str:
        """Without the capitals that only the heading gives."""
        return " ".join(map(self._lowered, title.split()))

    def _asked(self, title: str) -> str:
        first, _, rest = title.partition(" ")
        opening = first.lower()
        if title.endswith("?"):
            return title
        if what := _WHAT_IT_IS.match(title):
            return self.what_is(what[1])
        if opening in QUESTION_WORDS | AUXILIARIES:
            return _opened(f"{first} {self.lowered(rest)}?")
        if difference := _DIFFERENCE.match(title):
            one, other = map(self.lowered, difference.groups())
            return f"What is the difference between {one} and {other}?"
        if _STATEMENT.search(title):
            return _opened(f"{self.lowered(title)}?")
        if opened := _OPENING.match(title):
            return self.what_is(title[opened.end() :] or title)
        if verb := self._verb(opening, rest):
            return f"How do you {verb} {self.lowered(rest)}?"
        return self._named(title, opening)

    def _named(self, title: str, opening: str) -> str:
        if states := _STATES.match(title):
            return self.what_is(states[1])
        if opening in PREPOSITIONS or len(title.split()) > _PHRASE:
            return _opened(f"{self.lowered(title)}?")
        return self.what_is(title)

    def _verb(self, opening: str, rest: str) -> str | None:
        """What the heading tells to do, or speaks of doing."""
        following = rest.split()[0].lower() if rest else ""
        is_name = following in ("", "and", "or", "&", "of", "in", "as")
        if is_name or f"{opening}_{following}" in NOUNS_FIRST:
            return None
        if opening in SURELY_VERBS:
            return opening
        if opening in PERHAPS_VERBS:
            return opening if following in DETERMINERS | {"up", "out", "with"} else None
        is_gerund = len(opening) > 4 and opening.endswith("ing") and opening not in NOT_GERUNDS
        return self._infinitive(opening) if is_gerund else None

    def _infinitive(self, gerund: str) -> str:
        """The one that the book itself uses, or else the likeliest."""
        before, hyphen, gerund = gerund.rpartition("-")
        return before + hyphen + self._base(gerund)

    def _base(self, gerund: str) -> str:
        trunk = gerund.removesuffix("ing")
        if len(trunk) < _SHORTEST_TRUNK:
            return gerund
        forms = [trunk, f"{trunk}e"]
        if trunk[-1] == trunk[-2]:
            forms.append(trunk[:-1])
        likeliest = max(forms, key=lambda form: self.vocabulary[form] + (form in SURELY_VERBS))
        if self.vocabulary[likeliest] or likeliest in SURELY_VERBS:
            return likeliest
        if trunk[-1] == trunk[-2]:
            return trunk if trunk[-1] in "lsfz" else trunk[:-1]
        return (
            f"{trunk}e" if re.search(r"(?:[cvzu]|[aeiou][gks]|[^aeiou]l|at|ut|ur|id|od)$", trunk) else trunk
        )

    def _lowered(self, word: str) -> str:
        if "-" in word:
            return "-".join(map(self._lowered, word.split("-")))
        small = word.lower()
        is_capitalized = word[:1].isupper() and word[1:] == small[1:]
        core = next(iter(words(small)), "")
        is_ordinary = core in DETERMINERS | PREPOSITIONS or self.vocabulary[core] > 0
        return small if is_capitalized and is_ordinary else word


def is_generic(title: str) -> bool:
    """Whether any book may have this heading."""
    return all(word in GENERIC or word.rstrip("s") in GENERIC for word in words(title.lower()))


def _bare(heading: str) -> str:
    """Without its number; of `Chapter 2: Nodes` and `Example: Nodes`, what is behind the colon."""
    title = _EDGES.sub("", " ".join(heading.split()))
    if _STEP.match(title):
        return ""
    title = _EDGES.sub("", _LABEL.sub("", title))
    before, colon, after = title.partition(": ")
    if not colon:
        return title
    return _EDGES.sub("", after) if is_generic(before) or "example" in before.lower() else before


def _is_plural(name: str) -> bool:
    said = name.split()
    if "and" in said or "&" in said:
        return True
    place = next(
        (place for place, word in enumerate(said) if place and word.lower() in PREPOSITIONS), len(said)
    )
    head = said[place - 1]
    return head.endswith("s") and head.islower() and not re.search(r"(?:ss|us|is|ics|['’]s)$", head)


def _opened(question: str) -> str:
    return question[0].upper() + question[1:]
