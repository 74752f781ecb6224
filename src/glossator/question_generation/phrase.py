"""Turns a heading into a question; English only."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from glossator.question_generation.sections import paragraphs
from glossator.text.english import (
    AUXILIARIES,
    CONJUNCTIONS,
    DETERMINERS,
    EMPTY_WORDS,
    PREPOSITIONS,
    QUESTION_WORDS,
)
from glossator.text.words import words

_LABEL = re.compile(
    r"^(?:(?:chapter|lesson|module|part|unit|section|appendix|topic|§)\s*)?"
    r"(?:\d+(?:\.\d+)*|[ivx]+(?=[.):])|[a-z](?=[.):]\s|\s[-—–]\s))(?:[.):]+\s*|\s+)(?:[-—–:]\s*)?(?=\D)",
    re.IGNORECASE,
)
_STEP = re.compile(
    r"^(?:step|phase|week|day|option|pitfall|mistake|error|exercise|listing|figure|table|task|quiz|question|"
    r"problem|solution|scenario|method|approach|stage|tier|level|tip|example|demo|lab|milestone|"
    r"use case|case)\s+(?:\d|[a-z]\b)",
    re.IGNORECASE,
)
_EDGES = re.compile(r"^[^\w(\"“]++|(?<=[\w)\]\"”’'?!*+#`%>])[^\w)\]\"”’'?!*+#`%>]++$")
_NOUN = re.compile(
    r"\b(?:(?P<article>an?|the|each|every|its)|of|for|with|by|from|in)\s+[*`]*(?P<noun>[\w-]+)[*`]*"
    r"(?:[.,;:)?]|(?=\s+(?:is|are|was|of|for|in|on|to|and|or|that|which|can|has|from|with|at)\b))"
)
_AFTER_THE = re.compile(r"the (?=(\S++) (\S++))")
_PARENTHESES = re.compile(r"(?<!\s)\s*+\([^()]*+\)$")
_COMPARED = re.compile(r"^(.+?)(?:,)? (?:compared|in comparison)$", re.IGNORECASE)
_PROCESS = re.compile(r"\S+ \S+(?:tion|ment|ance|sis)", re.IGNORECASE)
"""The rest of a name such as `Training data generation`, whose first word is no task."""
_ENDS_NAME = re.compile(rf"{'|'.join(sorted(PREPOSITIONS))}|\w+ed", re.IGNORECASE)
_ADJECTIVE = re.compile(r"[A-Z][a-z]+(?:ed|al|ly|ive|ble)")
_NUMBERED = re.compile(r"^(?:two|three|four|five|six|seven|eight|nine|ten)\b", re.IGNORECASE)
_DIFFERENCE = re.compile(r"^(.+?)\s+(?:vs\.?|versus|compared (?:to|with))\s+(.+)$", re.IGNORECASE)
_STATES_WHAT = re.compile(r"^(.{3,40}?)\s+(?:is|are)\s+(?:an?|the|not)\b", re.IGNORECASE)
_STATEMENT = re.compile(
    r"\S\s+(?:avoids?|increases?|changes|contains?|provides?|allows?|requires?|enables?|prevents?|decides?|handles?|"
    r"becomes?|makes?|does|has|have|can|cannot|must|should|will|happens?|means?|returns|finds?|asks?|divides?|"
    r"causes?|lets|helps?|needs?|manages?|is|are)\s+\S",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^(?:(?:an?\s+)?(?:introduction|intro|overview|basics|fundamentals|definition|concept|anatomy|understanding|"
    r"introducing|meet)(?:\s+(?:to|of))?|(?:all\s+)?about)\s+",
    re.IGNORECASE,
)
_ARTICLES = frozenset(["a", "an", "the"])
_NO_VERBS = DETERMINERS | PREPOSITIONS | CONJUNCTIONS
_WHAT_IT_IS = re.compile(r"^what\s+(.+?)\s+(?:is|are)$", re.IGNORECASE)
_NAME_RATIO = 3
"""A word is a name if it is written with a capital so many times as often as without."""
_SHORTEST_STEM = 2
_MOST_WORDS = 14
_LONGEST_NAME = 5
"""Words; a longer title is more often a statement than a name."""


@dataclass(frozen=True, slots=True)
class Phrasing:
    """Phrases questions with the book's own spelling and nouns."""

    vocabulary: Counter[str]
    nouns: frozenset[str]
    """Nouns after an article or a preposition, in the singular."""
    counted: frozenset[str]
    """Nouns after an article, in the singular."""
    named: Sequence[str]
    """Pairs of words after `the` that might begin the name of a task, sorted."""

    @classmethod
    def of(cls, texts: Iterable[str]) -> Phrasing:
        """Uses only prose, because code has other capitals."""
        vocabulary, nouns, counted, named = Counter[str](), set[str](), set[str](), set[str]()
        for text in texts:
            prose = "\n".join(paragraphs(text))
            lowered = prose.lower()
            vocabulary.update(words(prose))
            found = [(match["noun"].rstrip("s"), match["article"]) for match in _NOUN.finditer(lowered)]
            nouns.update(noun for noun, _ in found)
            counted.update(noun for noun, article in found if article)
            named.update(map(" ".join, filter(_may_begin_task, _AFTER_THE.findall(lowered))))
        return cls(vocabulary, frozenset(nouns), frozenset(counted), sorted(named))

    def ask(self, heading: str) -> str | None:
        """None for a heading without a subject, such as `Summary`, `Step 2` or `How it works`."""
        title = _without_label(heading)
        title_words = [word.lower() for word in title.split()]
        if not title_words or len(title_words) > _MOST_WORDS or LEANS & set(title_words) or is_generic(title):
            return None
        return self._question(title)

    def what_is(self, name: str) -> str:
        name = self.lowered(name)
        return f"What {'are' if is_plural(name) else 'is'} {name}?"

    def is_noun(self, phrase: str) -> bool:
        """Whether the book uses its last word as a noun."""
        return _head_noun(phrase) in self.nouns

    def is_counted(self, phrase: str) -> bool:
        """Whether it can have an article, unlike a proper name."""
        return _head_noun(phrase) in self.counted and not EMPTY_WORDS & set(phrase.lower().split())

    def lowered(self, title: str) -> str:
        """Removes the capitals that only a heading has."""
        return " ".join(map(self._lowered, title.split()))

    def _question(self, title: str) -> str | None:
        first, _, rest = title.partition(" ")
        opening = first.lower()
        if title.endswith("?"):
            return _capitalized(title)
        if what := _WHAT_IT_IS.match(title):
            return self.what_is(what[1])
        if opening in QUESTION_WORDS and not (AUXILIARIES | {"to"}) & set(title.lower().split()[1:3]):
            return f"Can you explain {opening} {self.lowered(rest)}?"
        if opening in QUESTION_WORDS | AUXILIARIES:
            return _capitalized(f"{first} {self.lowered(rest)}?")
        if compared := _COMPARED.match(title):
            return f"How do {self.lowered(compared[1])} compare?"
        if difference := _DIFFERENCE.match(title):
            first_name, second_name = map(self.lowered, difference.groups())
            return f"What is the difference between {first_name} and {second_name}?"
        if self._is_statement(title):
            return f"Is it true that {self.lowered(title)}?"
        if opened := _OPENING.match(title):
            return self.what_is(title[opened.end() :] or title)
        if verb := self._verb(opening, rest):
            return f"How do you {verb} {self.lowered(rest)}?"
        return self._name_question(title, opening)

    def _is_statement(self, title: str) -> bool:
        """`Cloning avoids moves` is a statement, `Using if in what is made` is not."""
        statement = _STATEMENT.search(title)
        first = title.split()[0].lower()
        return (
            bool(statement)
            and not _STATES_WHAT.match(title)
            and (not first.endswith("ing") or statement.start() < len(first))
        )

    def _name_question(self, title: str, opening: str) -> str | None:
        """None for a title that is not a name, as `From here to there` and `A wall seen by a robot`."""
        if states := _STATES_WHAT.match(title):
            return self.what_is(states[1])
        title_words = title.split()
        if opening in PREPOSITIONS or len(title_words) > _LONGEST_NAME or "," in title:
            return None
        if len(title_words) == 1 and _ADJECTIVE.fullmatch(title) and not self.is_noun(title):
            return None
        return self.what_is(f"the {title}" if _NUMBERED.match(title) else title)

    def _verb(self, opening: str, rest: str) -> str | None:
        """The infinitive of the task that the heading names, if it names one."""
        following = rest.split()[0].lower() if rest else ""
        if opening in SURELY_VERBS and following in ("and", "or", "&"):
            return opening
        is_name = following in ("", "and", "or", "&", "of", "in", "as", "for")
        if is_name or f"{opening}_{following}" in NOUNS_FIRST or self._is_named(f"{opening} {following}"):
            return None
        is_made = opening.endswith(("ize", "ify"))
        if opening in SURELY_VERBS or is_made or (following in _ARTICLES and opening not in _NO_VERBS):
            return self._infinitive(opening) if opening.endswith("ing") else opening
        if opening in PERHAPS_VERBS:
            return opening if following in DETERMINERS | {"up", "out", "with"} else None
        if _PROCESS.fullmatch(rest):
            return None
        is_gerund = len(opening) > 4 and opening.endswith("ing") and opening not in NOT_GERUNDS
        return self._infinitive(opening) if is_gerund else None

    def _is_named(self, beginning: str) -> bool:
        """Whether these words follow `the` in the book; the last may be the beginning of a word."""
        place = bisect_left(self.named, beginning)
        return place < len(self.named) and self.named[place].startswith(beginning)

    def _infinitive(self, gerund: str) -> str:
        """The form that the book uses, otherwise the likeliest."""
        prefix, hyphen, gerund = gerund.rpartition("-")
        return prefix + hyphen + self._base(gerund)

    def _base(self, gerund: str) -> str:
        stem = gerund.removesuffix("ing")
        if len(stem) < _SHORTEST_STEM:
            return gerund
        forms = [stem, f"{stem}e"]
        if stem[-1] == stem[-2]:
            forms.append(stem[:-1])
        likeliest = max(forms, key=lambda form: self.vocabulary[form] + (form in SURELY_VERBS))
        if self.vocabulary[likeliest] or likeliest in SURELY_VERBS:
            return likeliest
        if stem[-1] == stem[-2]:
            return stem if stem[-1] in "lsfz" else stem[:-1]
        return f"{stem}e" if re.search(r"(?:[cvzu]|[aeiou][gks]|[^aeiou]l|at|ut|ur|id|od)$", stem) else stem

    def _lowered(self, word: str) -> str:
        if "-" in word:
            return "-".join(map(self._lowered, word.split("-")))
        small = word.lower()
        is_capitalized = word[:1].isupper() and word[1:] == small[1:]
        core = next(iter(words(small)), "")
        is_name = self.vocabulary[core.capitalize()] > _NAME_RATIO * self.vocabulary[core]
        is_ordinary = core in DETERMINERS | PREPOSITIONS or not is_name
        return small if is_capitalized and is_ordinary else word


def _may_begin_task(pair: tuple[str, str]) -> bool:
    first, second = pair
    return (
        first in SURELY_VERBS | PERHAPS_VERBS
        or first.endswith(("ing", "ize", "ify"))
        or second.startswith(tuple(_ARTICLES))
    )


def _head_noun(phrase: str) -> str:
    """The last word in the singular; empty for an empty phrase."""
    return "".join(phrase.lower().split()[-1:]).rstrip("s")


def is_generic(title: str) -> bool:
    """Whether any book might have this heading."""
    return all(word in GENERIC or word.rstrip("s") in GENERIC for word in words(title.lower()))


def _without_label(heading: str) -> str:
    """Removes its number; of `Chapter 2: Nodes` and `Example: Nodes` it leaves the text after the colon."""
    title = _EDGES.sub("", " ".join(heading.split()))
    if _STEP.match(title) or title.lower().startswith("worked example"):
        return ""
    title = _PARENTHESES.sub("", _EDGES.sub("", _LABEL.sub("", title)))
    before, colon, after = title.partition(": ")
    if not colon:
        return title
    return _EDGES.sub("", after) if is_generic(before) or "example" in before.lower() else before


def is_plural(name: str) -> bool:
    name_words = name.split()
    if "and" in name_words or "&" in name_words:
        return True
    end = next(
        (end for end, word in enumerate(name_words) if end and _ENDS_NAME.fullmatch(word)), len(name_words)
    )
    head = name_words[end - 1]
    is_ordinary = head.islower() or head[:-1].isupper()
    return head.endswith("s") and is_ordinary and not re.search(r"(?:ss|us|is|ics|['’]s)$", head)


def _capitalized(question: str) -> str:
    return question[0].upper() + question[1:]


# Word lists that distinguish names, tasks and labels.

_LEANS = """
    here i it it's its let's me my our so that their them there these they this those us we we'll you
    you'll you're your yours
"""
_GENERIC = """
    case study helpful term library tool characteristic factor feature
    a about abstract acknowledgement acknowledgment activity additional advanced agenda also an and
    answer appendix assessment assignment author background basic bibliography challenge changelog
    chapter check checklist closing code coding common companion complete conclusion contact content
    contents course credit criteria curriculum deliverable demo demonstration detail discussion
    engineering example exercise expected experiment explanation extension faq feedback final first for
    foreword foundation full further future general get getting global glossary goal hand help history
    home homework implementation in index info information interactive intro introduction intuition key
    knowledge lab learning lesson licence license look mathematical milestone misc mistake module more
    motivation next note objective of on opening other our outcome outlook output overview part pitfall
    plan point practical practice preface prerequisite problem project question question's quick quiz
    reading recap reference related remark requirement resource result review roadmap schedule section
    see self setup simple solution start started step success summary support symptom table takeaway
    test the thing thought timeline tip to topic troubleshooting try up usage version visual walkthrough
    warning welcome what what's where go work worked wrap your yourself
"""
_SURELY_VERBS = """
    add adjust allow analyze apply avoid build calculate choose clone combine compare compile compute
    configure connect convert create customize debug declare define delete deploy describe detect
    disable download enable enforce ensure evaluate explore expose fetch find fix generate get handle
    implement import improve include initialize insert inspect install integrate invoke keep launch
    learn load make manage measure migrate modify move optimize organize parse prepare prevent provide
    publish read recover reduce refactor register remove rename replace resolve retrieve return run send
    serialize simulate solve specify split store subscribe switch train transform understand uninstall
    update upload use validate verify visualize write
"""
_PERHAPS_VERBS = """
    access call change check control design display document drive edit extend filter format group map
    merge mock monitor name open order pass plan plot process program query record report request reset
    search set show sort start stop style test trace track turn view work wrap
"""
_NOUNS_FIRST = """
    building_block building_blocks learning_path learning_rate operating_system operating_systems
    programming_language programming_languages string_theory use_case use_cases working_directory
"""
_NOT_GERUNDS = """
    anything being bring ceiling during evening everything existing following interesting king learning
    missing morning nothing remaining ring sibling siblings something spring string strings thing things
    upcoming
"""
_NO_SUBJECTS = """
    week day phase milestone
    above anything approach bad below biggest chapter common default default's easiest everyone
    everything figure following goal good great idea important key least line listing main most new next
    nobody note nothing now old once only part problem question recommended result result's section
    simplest someone something step table terminal thing tip today total typical warning
"""

LEANS = frozenset(_LEANS.split())
"""Words of a heading that refer to the text before it."""
GENERIC = frozenset(_GENERIC.split())
"""Words of headings that any book has."""
SURELY_VERBS = frozenset(_SURELY_VERBS.split())
"""First words of a heading that names a task."""
PERHAPS_VERBS = frozenset(_PERHAPS_VERBS.split())
"""The same, but only before a determiner; otherwise they are nouns."""
NOUNS_FIRST = frozenset(_NOUNS_FIRST.split())
"""Names that begin like a task."""
NOT_GERUNDS = frozenset(_NOT_GERUNDS.split())
"""Words that only end like a gerund."""
NO_SUBJECTS = frozenset(_NO_SUBJECTS.split())
"""Words that a defined term never contains."""
