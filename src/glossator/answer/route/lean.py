"""Decides by grammar whether a question can only be understood with the conversation before it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile

from glossator.model import Span
from glossator.text.english import (
    ASPECT_WORDS,
    AUXILIARIES,
    BOUNDARIES,
    CONJUNCTIONS,
    DETERMINERS,
    EMPTY_WORDS,
    PERSONS,
    PREPOSITIONS,
    QUESTION_WORDS,
)
from glossator.text.spans import Spans
from glossator.text.words import word_spans

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
"""What follows names only the surroundings: `limits in C++?` leaves open of what."""
_SAYS_THAT = frozenset(
    ["mean", "means", "say", "know", "tell", "think", "so", "now", "given", "provided", "such", "see"]
)
"""Words before a `that` which joins clauses and refers to nothing."""
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
"""`this chapter` is one of the book, not something said before."""
_URDU = frozenset(["اس", "یہ", "وہ", "ان", "اسے", "انہیں", "اسکی", "اسکا", "اسکے", "انکی", "انکا"])
"""Pronouns of Urdu, a language of the widget, which the English rules would not know."""


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
        definition and definition[1].lower() not in EMPTY_WORDS | {"more", "else", "next"}
    ):
        return False
    content = content_words(question)
    return (
        all(word in ASPECT_WORDS for word in content)
        or bool(_WHAT_ABOUT.match(question))
        or _is_elliptic(question_words)
        or _compares_with_nothing(question)
        or _refers_back(question, question_words)
    )


def content_words(text: str) -> list[str]:
    """The words that name the subject, in lower case."""
    return [word.text for word in _words(text) if word.text not in EMPTY_WORDS]


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
    """The word in lower case; `What's` becomes `what`."""
    word = text.lower().replace("’", "'")
    before, mark, _ = word.partition("'")
    return before if mark and before in EMPTY_WORDS else word


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


def _refers_back(question: str, question_words: Sequence[_Word]) -> bool:
    """Whether a word stands for something said before."""
    empty = Spans(Span(*match.span()) for match in _EMPTY_IT.finditer(question))
    first_noun = next(
        (position for position, is_noun in enumerate(_nouns(question_words)) if is_noun), len(question_words)
    )
    clauses = _clauses(question_words)

    def stands_for_another(position: int, word: _Word) -> bool:
        match word.text:
            case "it" | "they" | "them":
                # It may refer to a noun in an earlier clause; in the same clause it would be `itself`.
                return not empty.cover(word.span) and not first_noun < clauses[position]
            case "its" | "their" | "theirs":
                return not first_noun < position
            case "this" | "these" | "those" | "that":
                return _points_back(question_words, position)
            case text:
                return text in _URDU

    return bool(_THE_ONE.search(question)) or any(
        stands_for_another(position, word) for position, word in enumerate(question_words)
    )


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


_NO_CONTENT = EMPTY_WORDS | ASPECT_WORDS
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
