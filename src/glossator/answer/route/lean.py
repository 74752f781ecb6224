"""Whether a question leans on the conversation: signs of grammar, not of subject."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile

from glossator.model import Span
from glossator.text.spans import Spans
from glossator.text.words import word_spans

# The little words of English that hold a question together, by what they do in it.


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


QUESTION_WORDS = _listed("what whats who whom whose which when where why how hows whether")
AUXILIARIES = _listed(
    """is are was were be been being am do does did done doing has have had having can could will would shall
    should may might must isn't aren't wasn't don't doesn't didn't can't couldn't won't wouldn't shouldn't
    cannot let's lets"""
)
CONJUNCTIONS = _listed("and but or so then also plus because if when while since though although")
BOUNDARIES = CONJUNCTIONS | _listed("that which who where why how what after before until unless as")
PREPOSITIONS = _listed(
    """about above across after against along among around as at before behind below beside between by during
    except for from in inside into like near of off on onto out outside over per since than through to toward
    towards under until up upon using via versus vs with within without"""
)
DETERMINERS = _listed(
    """a an the my your our his her each every some any no all both either neither another such many much few
    several two three four five"""
)
PERSONS = _listed("i me we us you he him she i'm i've i'd you're one")
PRONOUNS = _listed("it its it's they them their theirs this that that's these those")
_REQUESTS = _listed(
    """please tell give show explain describe say mean means know want like get go help try ask think
    understand see look let make use used using work works happen happens need there here not just only
    really actually exactly very too even still ever again ok okay yes no well oh bit little some kind
    sort thing things something anything stuff way"""
)
FUNCTION_WORDS = (
    QUESTION_WORDS
    | AUXILIARIES
    | CONJUNCTIONS
    | BOUNDARIES
    | PREPOSITIONS
    | DETERMINERS
    | PERSONS
    | PRONOUNS
    | _REQUESTS
)
"""Words that say nothing of what a question is about."""

LEANING_WORDS = _listed(
    """example examples detail details detailed more further elaborate continue simpler simply simple shorter
    briefly summary summarize summarise explanation clarify expand rephrase code snippet step steps difference
    differences advantage advantages disadvantage disadvantages benefit benefits drawback drawbacks limitation
    limitations purpose reason reasons meaning definition syntax uses usage alternative alternatives instead
    else different better best worse first second third fourth last next previous former latter other others
    one ones same mentioned said answer case cases concept idea sense true important matter work compare
    differ depth"""
)
"""Words that ask for a side of something which they do not name."""


_SHORT = 4
"""Words of a question that has no verb of its own."""

_ASKS_ANEW = re.compile(r"\W*(?:what|who)(?:['’]?s| is| are) (?:an? )?(\w+)\W*$", re.IGNORECASE)
_OTHERWISE = re.compile(r"\W*(?:and |but |so |ok |then )*(?:what|how) about\b", re.IGNORECASE)
_EMPTY_IT = re.compile(
    r"\bit (?:takes?|took)\b"
    r"|\bit (?:make sense|mean|matter)s? (?:to|that|if|when|for|whether)\b"
    r"|\b(?:is|was|isn['’]t|be) it (?!\w+ed\b|similar|equal|identical|equivalent|close|due|next)"
    r"(?:\w+ ){1,3}?(?:to|that|if|whether|when)\b(?! (?:an?|the)\b)",
    re.IGNORECASE,
)
_THE_ONE = re.compile(
    r"\b(?:(?:the|this|that|another|which|each)(?: \w+)? ones?|the (?:former|latter)"
    r"|the (?:above|same|others?|first|second|third|fourth|last)"
    r"(?=\W*$| (?:is|are|was|does|do|to|with|for|as|in)\b))\b",
    re.IGNORECASE,
)
_COMPARES = re.compile(r"\b(?:differ(?:s|ent|ence|ences)?|compares?|compared)\b", re.IGNORECASE)
_WITH_WHAT = re.compile(r"\b(?:from|than|between|and|or|to|with|vs|versus|of|in|among)\b", re.IGNORECASE)
_OPENING = re.compile(r"^\W*(?:and|or|but|so)\b", re.IGNORECASE)
_SETTINGS = frozenset(["in", "with", "using", "without"])
_SAYS_THAT = frozenset(
    ["mean", "means", "say", "know", "tell", "think", "so", "now", "given", "provided", "such", "see"]
)
_OF_THE_BOOK = frozenset(
    [
        "book",
        "textbook",
        "chapter",
        "page",
        "section",
        "module",
        "course",
        "manual",
        "guide",
        "lesson",
        "part",
        "unit",
        "site",
        "documentation",
        "tutorial",
    ]
)
_URDU = frozenset(["اس", "یہ", "وہ", "ان", "اسے", "انہیں", "اسکی", "اسکا", "اسکے", "انکی", "انکا"])


@dataclass(frozen=True, slots=True)
class Anaphor:
    """Words that stand for something said before."""

    span: Span
    stands_alone: bool
    """Whether it could be replaced by what it stands for, as `it` can and `its` cannot."""


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    span: Span
    after_mark: bool
    """Whether a comma or the like stands before it."""
    is_name: bool


def leans(question: str) -> bool:
    """Whether it has no subject of its own, or points at one that it does not name."""
    said = _words(question)
    anew = _ASKS_ANEW.match(question)
    if not said or (anew and anew[1].lower() not in FUNCTION_WORDS | {"more", "else", "next"}):
        return False
    about = content_words(question)
    return (
        all(word in LEANING_WORDS for word in about)
        or bool(_OTHERWISE.match(question))
        or _is_elliptic(said)
        or _compares_with_nothing(question)
        or any(True for _ in _anaphors(question, said))
    )


def anaphors(question: str) -> list[Anaphor]:
    return list(_anaphors(question, _words(question)))


def content_words(text: str) -> list[str]:
    """The words that say what it is about, in small letters."""
    return [word.text for word in _words(text) if word.text not in FUNCTION_WORDS]


def _words(text: str) -> list[_Word]:
    words, end = list[_Word](), 0
    for span in word_spans(text):
        shown = text[span.start : span.end]
        gap = text[end : span.start]
        is_name = bool(words) and (not shown.islower() or "_" in gap or "`" in gap)
        words.append(_Word(_base(shown), span, bool(re.search(r"[,;:.!?—]", gap)), is_name))
        end = span.end
    return words


def _base(shown: str) -> str:
    """`What's` is a form of `what`."""
    word = shown.lower().replace("’", "'")
    before, mark, _ = word.partition("'")
    return before if mark and before in FUNCTION_WORDS else word


def _is_elliptic(said: Sequence[_Word]) -> bool:
    """`And in Python?`, `for two arms?`: a part of a sentence whose rest was said before."""
    rest = list(dropwhile(lambda word: word.text in CONJUNCTIONS, said))
    first, second = _text_at(rest, 0), _text_at(rest, 1)
    opens = len(rest) < len(said) or first in PREPOSITIONS or (first in LEANING_WORDS and second in _SETTINGS)
    has_verb = any(word.text in AUXILIARIES | QUESTION_WORDS for word in rest)
    return opens and len(rest) <= _SHORT and not has_verb


def _compares_with_nothing(question: str) -> bool:
    """`How do services differ?`: the other side was said before."""
    found = _COMPARES.search(question)
    return bool(found and not _WITH_WHAT.search(_OPENING.sub("", question)))


def _anaphors(question: str, said: Sequence[_Word]) -> Iterator[Anaphor]:
    empty = Spans(Span(*match.span()) for match in _EMPTY_IT.finditer(question))
    for found in _THE_ONE.finditer(question):
        yield Anaphor(Span(*found.span()), stands_alone=not found[0].lower().startswith("which"))
    first_noun = next((place for place, is_noun in enumerate(_nouns(said)) if is_noun), len(said))
    clauses = _clauses(said)
    for place, word in enumerate(said):
        match word.text:
            case "it" | "they" | "them":
                # Something in an earlier clause; what stands in the same clause would be called by `itself`.
                if not empty.cover(word.span) and not first_noun < clauses[place]:
                    yield Anaphor(word.span, stands_alone=True)
            case "its" | "their" | "theirs":
                if not first_noun < place:
                    yield Anaphor(word.span, stands_alone=False)
            case "this" | "these" | "those" | "that" if _points_back(said, place):
                following = _text_at(said, place + 1)
                yield Anaphor(word.span, stands_alone=following in _SAYS_NOTHING or not following)
            case urdu if urdu in _URDU:
                yield Anaphor(word.span, stands_alone=False)
            case _:
                continue


def _clauses(said: Sequence[_Word]) -> list[int]:
    """For each word, where its clause begins; a word that joins clauses begins none for itself."""
    begins, clauses = 0, list[int]()
    for place, word in enumerate(said):
        begins = place if word.after_mark else begins
        clauses.append(begins)
        begins = place if word.text in BOUNDARIES else begins
    return clauses


def _nouns(said: Sequence[_Word]) -> Iterator[bool]:
    """For each word whether it is one, as far as the words before it tell."""
    is_noun = False
    for place, word in enumerate(said):
        before = _text_at(said, place - 1)
        is_other = word.text in _SAYS_NOTHING or before in _NO_NOUN_AFTER
        is_noun = not is_other and (word.is_name or before in _NOUN_AFTER or is_noun)
        yield is_noun


_SAYS_NOTHING = FUNCTION_WORDS | LEANING_WORDS
_NO_NOUN_AFTER = PERSONS | {"to", ""}
_NOUN_AFTER = (
    DETERMINERS
    | PREPOSITIONS
    | AUXILIARIES
    | {"explain", "describe", "show", "give", "tell", "about", "which", "what", "whose", "compare", "define"}
)


def _points_back(said: Sequence[_Word], place: int) -> bool:
    following, before = _text_at(said, place + 1), _text_at(said, place - 1)
    if following in _OF_THE_BOOK:
        return False
    if said[place].text != "that":
        return True
    # `A node that publishes`, `make sure that it runs`: these join clauses and point at nothing.
    return not following or ((before in _SAYS_NOTHING or not before) and before not in _SAYS_THAT)


def _text_at(said: Sequence[_Word], place: int) -> str:
    return said[place].text if 0 <= place < len(said) else ""
