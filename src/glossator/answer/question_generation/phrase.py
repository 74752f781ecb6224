"""A heading as the question that a reader would ask."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from glossator.answer.question_generation.sections import paragraphs
from glossator.answer.route.lean import (
    AUXILIARIES,
    CONJUNCTIONS,
    DETERMINERS,
    FUNCTION_WORDS,
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
_ASIDE = re.compile(r"(?<!\s)\s*+\([^()]*+\)$")
_COMPARED = re.compile(r"^(.+?)(?:,)? (?:compared|in comparison)$", re.IGNORECASE)
_PROCESS = re.compile(r"\S+ \S+(?:tion|ment|ance|sis)", re.IGNORECASE)
"""What stands behind `Training` in `Training data generation`, which is a name."""
_ENDS_NAME = re.compile(rf"{'|'.join(sorted(PREPOSITIONS))}|\w+ed", re.IGNORECASE)
_ADJECTIVE = re.compile(r"[A-Z][a-z]+(?:ed|al|ly|ive|ble)")
_NUMBERED = re.compile(r"^(?:two|three|four|five|six|seven|eight|nine|ten)\b", re.IGNORECASE)
_DIFFERENCE = re.compile(r"^(.+?)\s+(?:vs\.?|versus|compared (?:to|with))\s+(.+)$", re.IGNORECASE)
_STATES = re.compile(r"^(.{3,40}?)\s+(?:is|are)\s+(?:an?|the|not)\b", re.IGNORECASE)
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
_LOST_E = re.compile(r"(?:[cvzu]|[aeiou][gks]|[^aeiou]l|at|ut|ur|id|od|un)$")
_NAMES = 3
"""How many times as often a name is written with a capital than without."""
_SHORTEST_TRUNK = 2
_MOST_WORDS = 14
_PHRASE = 5
"""Words; what is longer is more often a statement than a name."""


@dataclass(frozen=True, slots=True)
class Phrasing:
    """Knows how the book writes its words."""

    vocabulary: Counter[str]
    nouns: frozenset[str]
    """Words that end what an article or a preposition names, without their plural."""
    counted: frozenset[str]
    """Those that an article names."""
    whole: str
    """All of its prose, in small letters."""

    @classmethod
    def of(cls, texts: Iterable[str]) -> Phrasing:
        """From its prose: code has other capitals."""
        every = "\n".join(paragraph for text in texts for paragraph in paragraphs(text))
        whole = every.lower()
        found = list(_NOUN.finditer(whole))
        return cls(
            vocabulary=Counter(words(every)),
            nouns=frozenset(one["noun"].rstrip("s") for one in found),
            counted=frozenset(one["noun"].rstrip("s") for one in found if one["article"]),
            whole=whole,
        )

    def ask(self, heading: str) -> str | None:
        """None for a heading that says nothing by itself, such as `Summary`, `Step 2` or `How it works`."""
        title = _bare(heading)
        said = [word.lower() for word in title.split()]
        if not said or len(said) > _MOST_WORDS or LEANS & set(said) or is_generic(title):
            return None
        return self._asked(title)

    def what_is(self, name: str) -> str:
        name = self.lowered(name)
        return f"What {'are' if is_plural(name) else 'is'} {name}?"

    def is_noun(self, phrase: str) -> bool:
        """Whether the book uses it as the name of something."""
        return _last(phrase) in self.nouns

    def is_counted(self, phrase: str) -> bool:
        """Whether an article can stand before it, as before no proper name."""
        return _last(phrase) in self.counted and not FUNCTION_WORDS & set(phrase.lower().split())

    def lowered(self, title: str) -> str:
        """Without the capitals that only the heading gives."""
        return " ".join(map(self._lowered, title.split()))

    def _asked(self, title: str) -> str | None:
        first, _, rest = title.partition(" ")
        opening = first.lower()
        if title.endswith("?"):
            return _opened(title)
        if what := _WHAT_IT_IS.match(title):
            return self.what_is(what[1])
        if opening in QUESTION_WORDS and not (AUXILIARIES | {"to"}) & set(title.lower().split()[1:3]):
            return f"Can you explain {opening} {self.lowered(rest)}?"
        if opening in QUESTION_WORDS | AUXILIARIES:
            return _opened(f"{first} {self.lowered(rest)}?")
        if compared := _COMPARED.match(title):
            return f"How do {self.lowered(compared[1])} compare?"
        if difference := _DIFFERENCE.match(title):
            one, other = map(self.lowered, difference.groups())
            return f"What is the difference between {one} and {other}?"
        if self._states(title):
            return f"Is it true that {self.lowered(title)}?"
        if opened := _OPENING.match(title):
            return self.what_is(title[opened.end() :] or title)
        if verb := self._verb(opening, rest):
            return f"How do you {verb} {self.lowered(rest)}?"
        return self._named(title, opening)

    def _states(self, title: str) -> bool:
        """`Cloning avoids moves` does, and `Using if in what is made` does not."""
        found = _STATEMENT.search(title)
        first = title.split()[0].lower()
        return (
            bool(found)
            and not _STATES.match(title)
            and (not first.endswith("ing") or found.start() < len(first))
        )

    def _named(self, title: str, opening: str) -> str | None:
        """None for a title that is no name, as `From here to there` and `A wall seen by a robot`."""
        if states := _STATES.match(title):
            return self.what_is(states[1])
        said = title.split()
        if opening in PREPOSITIONS or len(said) > _PHRASE or "," in title:
            return None
        if len(said) == 1 and _ADJECTIVE.fullmatch(title) and not self.is_noun(title):
            return None
        return self.what_is(f"the {title}" if _NUMBERED.match(title) else title)

    def _verb(self, opening: str, rest: str) -> str | None:
        """What the heading tells to do, or speaks of doing."""
        following = rest.split()[0].lower() if rest else ""
        if opening in SURELY_VERBS and following in ("and", "or", "&"):
            return opening
        is_name = following in ("", "and", "or", "&", "of", "in", "as", "for")
        if is_name or f"{opening}_{following}" in NOUNS_FIRST or f"the {opening} {following}" in self.whole:
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
        is_name = self.vocabulary[core.capitalize()] > _NAMES * self.vocabulary[core]
        is_ordinary = core in DETERMINERS | PREPOSITIONS or not is_name
        return small if is_capitalized and is_ordinary else word


def _last(phrase: str) -> str:
    """Nothing of a cell that is empty."""
    return "".join(phrase.lower().split()[-1:]).rstrip("s")


def is_generic(title: str) -> bool:
    """Whether any book may have this heading."""
    return all(word in GENERIC or word.rstrip("s") in GENERIC for word in words(title.lower()))


def _bare(heading: str) -> str:
    """Without its number; of `Chapter 2: Nodes` and `Example: Nodes`, what is behind the colon."""
    title = _EDGES.sub("", " ".join(heading.split()))
    if _STEP.match(title) or title.lower().startswith("worked example"):
        return ""
    title = _ASIDE.sub("", _EDGES.sub("", _LABEL.sub("", title)))
    before, colon, after = title.partition(": ")
    if not colon:
        return title
    return _EDGES.sub("", after) if is_generic(before) or "example" in before.lower() else before


def is_plural(name: str) -> bool:
    said = name.split()
    if "and" in said or "&" in said:
        return True
    place = next(
        (place for place, word in enumerate(said) if place and _ENDS_NAME.fullmatch(word)), len(said)
    )
    head = said[place - 1]
    is_ordinary = head.islower() or head[:-1].isupper()
    return head.endswith("s") and is_ordinary and not re.search(r"(?:ss|us|is|ics|['’]s)$", head)


def _opened(question: str) -> str:
    return question[0].upper() + question[1:]


# The words by which a heading is told from a name, a task and a mere label.

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
"""Words of a heading that lean on what stands before it."""
GENERIC = frozenset(_GENERIC.split())
"""Words of headings that any book has."""
SURELY_VERBS = frozenset(_SURELY_VERBS.split())
"""First words of a heading that tell what to do."""
PERHAPS_VERBS = frozenset(_PERHAPS_VERBS.split())
"""The same, before an article; elsewhere they name a thing."""
NOUNS_FIRST = frozenset(_NOUNS_FIRST.split())
"""Names that begin like something to do."""
NOT_GERUNDS = frozenset(_NOT_GERUNDS.split())
"""Words that only end like one."""
NO_SUBJECTS = frozenset(_NO_SUBJECTS.split())
"""Words of no term that a sentence defines."""
