"""Decides by grammar whether a question can only be understood with the conversation before it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile

from glossator.model import Span
from glossator.text.spans import Spans
from glossator.text.words import word_spans

# English function words, by their role in a question.


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


QUESTION_WORDS = _word_set("what whats who whom whose which when where why how hows whether")
AUXILIARIES = _word_set(
    """is are was were be been being am do does did done doing has have had having can could will would shall
    should may might must isn't aren't wasn't don't doesn't didn't can't couldn't won't wouldn't shouldn't
    cannot let's lets"""
)
CONJUNCTIONS = _word_set("and but or so then also plus because if when while since though although")
BOUNDARIES = CONJUNCTIONS | _word_set("that which who where why how what after before until unless as")
PREPOSITIONS = _word_set(
    """about above across after against along among around as at before behind below beside between by during
    except for from in inside into like near of off on onto out outside over per since than through to toward
    towards under until up upon using via versus vs with within without"""
)
DETERMINERS = _word_set(
    """a an the my your our his her each every some any no all both either neither another such many much few
    several two three four five"""
)
PERSONS = _word_set("i me we us you he him she i'm i've i'd you're one")
PRONOUNS = _word_set("it its it's they them their theirs this that that's these those")
_REQUESTS = _word_set(
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
"""Words that do not name the subject of a question."""

ASPECT_WORDS = _word_set(
    """example examples detail details detailed more further elaborate continue simpler simply simple shorter
    briefly summary summarize summarise explanation clarify expand rephrase code snippet step steps difference
    differences advantage advantages disadvantage disadvantages benefit benefits drawback drawbacks limitation
    limitations purpose reason reasons meaning definition syntax uses usage alternative alternatives instead
    else different better best worse first second third fourth last next previous former latter other others
    one ones same mentioned said answer case cases concept idea sense true important matter work compare
    differ depth"""
)
"""Words for an aspect of something that they do not name."""


_SHORT = 4
"""Words of a question without a verb."""

_ASKS_DEFINITION = re.compile(r"\W*(?:what|who)(?:['’]?s| is| are) (?:an? )?(\w+)\W*$", re.IGNORECASE)
_WHAT_ABOUT = re.compile(r"\W*(?:and |but |so |ok |then )*(?:what|how) about\b", re.IGNORECASE)
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
_BOOK_NOUNS = frozenset(
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
    """Words that refer to something said before."""

    span: Span
    stands_alone: bool
    """Whether the thing itself can replace it: `it` yes, `its` no."""


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    span: Span
    after_mark: bool
    """Whether punctuation comes before it."""
    is_name: bool


def needs_context(question: str) -> bool:
    """Whether the question has no subject, or refers to one that it does not name."""
    question_words = _words(question)
    definition = _ASKS_DEFINITION.match(question)
    if not question_words or (
        definition and definition[1].lower() not in FUNCTION_WORDS | {"more", "else", "next"}
    ):
        return False
    content = content_words(question)
    return (
        all(word in ASPECT_WORDS for word in content)
        or bool(_WHAT_ABOUT.match(question))
        or _is_elliptic(question_words)
        or _compares_with_nothing(question)
        or any(True for _ in _anaphors(question, question_words))
    )


def anaphors(question: str) -> list[Anaphor]:
    return list(_anaphors(question, _words(question)))


def content_words(text: str) -> list[str]:
    """The words that name the subject, in lower case."""
    return [word.text for word in _words(text) if word.text not in FUNCTION_WORDS]


def _words(text: str) -> list[_Word]:
    words, end = list[_Word](), 0
    for span in word_spans(text):
        word = text[span.start : span.end]
        gap = text[end : span.start]
        is_name = bool(words) and (not word.islower() or "_" in gap or "`" in gap)
        words.append(_Word(_base(word), span, bool(re.search(r"[,;:.!?—]", gap)), is_name))
        end = span.end
    return words


def _base(text: str) -> str:
    """In lower case; `What's` becomes `what`."""
    word = text.lower().replace("’", "'")
    before, mark, _ = word.partition("'")
    return before if mark and before in FUNCTION_WORDS else word


def _is_elliptic(question_words: Sequence[_Word]) -> bool:
    """Part of a sentence whose rest was said before: `And in Python?`, `for two arms?`."""
    rest = list(dropwhile(lambda word: word.text in CONJUNCTIONS, question_words))
    first, second = _text_at(rest, 0), _text_at(rest, 1)
    opens = (
        len(rest) < len(question_words)
        or first in PREPOSITIONS
        or (first in ASPECT_WORDS and second in _SETTINGS)
    )
    has_verb = any(word.text in AUXILIARIES | QUESTION_WORDS for word in rest)
    return opens and len(rest) <= _SHORT and not has_verb


def _compares_with_nothing(question: str) -> bool:
    """`How do services differ?`: the other thing was named before."""
    match = _COMPARES.search(question)
    return bool(match and not _WITH_WHAT.search(_OPENING.sub("", question)))


def _anaphors(question: str, question_words: Sequence[_Word]) -> Iterator[Anaphor]:
    empty = Spans(Span(*match.span()) for match in _EMPTY_IT.finditer(question))
    for match in _THE_ONE.finditer(question):
        yield Anaphor(Span(*match.span()), stands_alone=not match[0].lower().startswith("which"))
    first_noun = next(
        (position for position, is_noun in enumerate(_nouns(question_words)) if is_noun), len(question_words)
    )
    clauses = _clauses(question_words)
    for position, word in enumerate(question_words):
        match word.text:
            case "it" | "they" | "them":
                # It may refer to a noun in an earlier clause; in the same clause it would be `itself`.
                if not empty.cover(word.span) and not first_noun < clauses[position]:
                    yield Anaphor(word.span, stands_alone=True)
            case "its" | "their" | "theirs":
                if not first_noun < position:
                    yield Anaphor(word.span, stands_alone=False)
            case "this" | "these" | "those" | "that" if _points_back(question_words, position):
                following = _text_at(question_words, position + 1)
                yield Anaphor(word.span, stands_alone=following in _NO_CONTENT or not following)
            case urdu if urdu in _URDU:
                yield Anaphor(word.span, stands_alone=False)
            case _:
                continue


def _clauses(question_words: Sequence[_Word]) -> list[int]:
    """For each word the position where its clause starts; a conjunction belongs to the clause before it."""
    start, clauses = 0, list[int]()
    for position, word in enumerate(question_words):
        start = position if word.after_mark else start
        clauses.append(start)
        start = position if word.text in BOUNDARIES else start
    return clauses


def _nouns(question_words: Sequence[_Word]) -> Iterator[bool]:
    """For each word whether it is a noun, guessed from the words before it."""
    is_noun = False
    for position, word in enumerate(question_words):
        before = _text_at(question_words, position - 1)
        is_other = word.text in _NO_CONTENT or before in _NO_NOUN_AFTER
        is_noun = not is_other and (word.is_name or before in _NOUN_AFTER or is_noun)
        yield is_noun


_NO_CONTENT = FUNCTION_WORDS | ASPECT_WORDS
_NO_NOUN_AFTER = PERSONS | {"to", ""}
_NOUN_AFTER = (
    DETERMINERS
    | PREPOSITIONS
    | AUXILIARIES
    | {"explain", "describe", "show", "give", "tell", "about", "which", "what", "whose", "compare", "define"}
)


def _points_back(question_words: Sequence[_Word], position: int) -> bool:
    following, before = _text_at(question_words, position + 1), _text_at(question_words, position - 1)
    if following in _BOOK_NOUNS:
        return False
    if question_words[position].text != "that":
        return True
    # In `A node that publishes` and `make sure that it runs`, `that` only joins clauses.
    return not following or ((before in _NO_CONTENT or not before) and before not in _SAYS_THAT)


def _text_at(question_words: Sequence[_Word], position: int) -> str:
    return question_words[position].text if 0 <= position < len(question_words) else ""
