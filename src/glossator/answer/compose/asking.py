"""What kind of answer a question wants, as far as its own words tell."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from glossator.answer.route.grammar import FUNCTION_WORDS, LEANING_WORDS
from glossator.model import UnitKind
from glossator.text.words import words


class Kind(Enum):
    DEFINITION = auto()
    COMPARISON = auto()
    EXAMPLE = auto()
    """Code, a command, something to copy."""
    HOW_TO = auto()
    WHY = auto()
    WHICH = auto()
    """Several things: a list, a table, steps."""
    QUANTITY = auto()
    TIME = auto()
    PERSON = auto()
    ANYTHING = auto()


_OPENS = r"(?:^|[,.!?:;]\s*|\b(?:and|so|but|please|explain|tell me|know)\s+)"
_LEFT_OPEN = r"(?:is|are)(?: an?| the| called| defined as)?\s*+(?:\.\.++|…|:|_++)\W*+$"
_RULES = [
    (Kind.COMPARISON, r"\b(?:differences?|differs?|compared?|comparison|versus|vs)\b"),
    (
        Kind.COMPARISON,
        r"\b(?:better|faster|rather) than\b|(?m:^)(?>.*?\b(?:when|should|why)\b).+\binstead of\b",
    ),
    (Kind.EXAMPLE, r"\b(?:examples?|code|snippet|commands?|syntax|sample)\b|\b(?:show|write|implement)\b.+"),
    (
        Kind.QUANTITY,
        rf"{_OPENS}(?:at |in |by |to |for )?(?:how|what) "
        r"(?:many|much|long|far|fast|often|large|big|small|high|deep|old)\b",
    ),
    (
        Kind.QUANTITY,
        r"\bwhat (?:is|are|was) the (?:\w+ )?"
        r"(?:number|rate|size|value|limit|percentage|speed|frequency|depth|range|cost)\b",
    ),
    (
        Kind.HOW_TO,
        rf"{_OPENS}how (?:to|(?:do|does|can|could|should|would|might|must|did) "
        r"(?:i|you|we|one|someone|people))\b"
        r"|\bsteps? (?:to|for)\b",
    ),
    (Kind.WHY, rf"{_OPENS}why\b|\breasons?\b|\bwhat (?:causes?|caused|makes?)\b|\bhow come\b"),
    (Kind.WHICH, r"\b(?:list|enumerate)\b|\bname (?:the|all|some|two|three|four|five)\b|\bsteps\b"),
    (Kind.WHICH, r"\b(?:kinds|types|sorts|steps|stages|phases|parts|components|layers) of\b"),
    (Kind.WHICH, rf"{_OPENS}what (?:are the|kinds|types)\b"),
    (
        Kind.WHICH,
        rf"{_OPENS}(?:which|what) (?:\w+ )?\w+s (?:are|is|do|does|did|can|should|exist|have|make)\b",
    ),
    (Kind.DEFINITION, rf"{_OPENS}(?:what|who)(?: is|['’]s| are| was| were)\b"),
    (Kind.DEFINITION, r"\bdefine\b|\bdefinition of\b|\bmeaning of\b|^\W*(?:explain|describe)\b"),
    (
        Kind.DEFINITION,
        r"(?m:^)(?:(?>.*?\bwhat (?:does|do) ).+ (?:mean|stand for)\b|(?>.*?\bhow (?:does|do) ).+ works?\b)",
    ),
    (Kind.DEFINITION, rf"^\W*[^.?!]{{2,60}} {_LEFT_OPEN}"),
    (Kind.TIME, rf"{_OPENS}(?:in )?(?:when|what year|which year|what date)\b"),
    (Kind.PERSON, rf"{_OPENS}(?:who|whose|whom|by whom)\b"),
]
_COMPILED = [(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _RULES]

_BLOCKS = {
    Kind.EXAMPLE: frozenset({UnitKind.CODE}),
    Kind.HOW_TO: frozenset({UnitKind.CODE, UnitKind.ITEM}),
    Kind.WHICH: frozenset({UnitKind.ITEM, UnitKind.ROW}),
    Kind.COMPARISON: frozenset({UnitKind.ROW, UnitKind.ITEM}),
}
# A subject has 60 characters at most.
_SUBJECT = re.compile(
    r"(?:\bwhat|\bwho)(?: is| are| was| were|['’]s) (?:meant by )?(?P<is>.{1,60}?)\W*+$"
    r"|\b(?:what|how) (?:does|do) (?P<means>.{1,60}?) (?:mean|stand for|work)\b"
    r"|\b(?:define|explain|describe|definition of|meaning of) (?P<named>.{1,60}?)\W*+$"
    rf"|^\W*+(?P<left_open>.{{1,60}}?) {_LEFT_OPEN}",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:an?|the)\s+|[*_`\"“”]", re.IGNORECASE)
_TAIL = re.compile(
    r"\s+and\s+(?:how|why|what|when|where|who|which)\b.*$|\s+(?:in|for|of|on|with|used|according|from|inside|within|as)\b.*$|\s+\(.*$|,.*$",
    re.IGNORECASE,
)
_CODE = re.compile(r"`[^`]+`")
_EXAM_WORDS = frozenset({"following", "statement", "statements", "describes", "correct", "select", "choose"})
_SAYS_NOTHING = FUNCTION_WORDS | LEANING_WORDS | _EXAM_WORDS


@dataclass(frozen=True, slots=True)
class Asking:
    question: str
    kind: Kind
    trunks: tuple[str, ...]
    """Of the words that say what it is about: what is left of each in all its forms, nearly."""
    subject: str
    """What is to be defined, in small letters; empty where nothing is."""

    @property
    def blocks(self) -> frozenset[UnitKind]:
        """What the answer should show whole, where there is one."""
        return _BLOCKS.get(self.kind, frozenset())


def asking(question: str) -> Asking:
    kind = next((kind for kind, rule in _COMPILED if rule.search(question)), Kind.ANYTHING)
    code = {word for part in _CODE.findall(question.lower()) for word in words(part)}
    about = [word for word in words(question.lower()) if word in code or word not in _SAYS_NOTHING]
    is_bare = len(question.split()) <= 2 and kind is Kind.ANYTHING
    subject = _subject(question) if kind is Kind.DEFINITION else question if is_bare else ""
    return Asking(
        question,
        Kind.DEFINITION if is_bare else kind,
        tuple(dict.fromkeys(_trunk(word) for word in about)),
        _ARTICLE.sub("", subject.strip("?!.,;: ")).lower(),
    )


def _subject(question: str) -> str:
    found = _SUBJECT.search(question)
    if not found:
        return ""
    named = next(name for name in found.groups() if name)
    return _TAIL.sub("", _ARTICLE.sub("", named).strip())


def _trunk(word: str) -> str:
    """Long enough to mean the same, short enough to leave out most endings."""
    if len(word) <= 3:
        return word
    return word[: max(4, len(word) - 2)] if len(word) > 5 else word.rstrip("s")
