"""Recognises questions about the book itself: its contents, a numbered or named part, the assistant."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

CHAPTER_WORDS = ("chapter", "module", "part", "unit", "week")
"""Names for the largest parts of a book."""
PART_WORDS = (*CHAPTER_WORDS, "lesson", "lecture", "session", "day")

_COUNTED = (
    "one two three four five six seven eight nine ten eleven twelve",
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
    "i ii iii iv v vi vii viii ix x xi xii",
)
_NUMBERS = {word: number for line in _COUNTED for number, word in enumerate(line.split(), start=1)}

_ANY_PART = f"(?:{'|'.join(PART_WORDS)})"
SMALL_WORDS = ("section", "page")
_ANY_NAMED = f"(?:{'|'.join((*PART_WORDS, *SMALL_WORDS))})"
_ANY_NUMBER = rf"(?:\d{{1,3}}|{'|'.join(_NUMBERS)})"
_BOOK = re.compile(
    r"\b(?:(?:this|the|your|that|our) )(?:whole |entire )?"
    r"(?:book|textbook|course|manual|guide|tutorial|handbook|documentation|docs|site|website|curriculum)\b"
)
_NUMBERED = re.compile(
    rf"\b(?:the )?(?:(?P<word>{_ANY_PART}) (?:number |no )?(?P<number>{_ANY_NUMBER})"
    rf"|(?P<ordinal>{_COUNTED[1].replace(' ', '|')}) (?P<ordinal_word>{_ANY_PART}))\b"
)
_COVERS = r"(?:covers?|contains?|teach(?:es)?|discuss(?:es)?|includes?|deals? with|talks? about|says?)"
_NAMED = re.compile(
    rf"\b(?:the )?(?P<word>{_ANY_NAMED}) (?:on|about|called|titled|named) (?P<after>(?:\S+ ){{0,7}}?\S+)"
    rf"(?= {_COVERS}$| about$|$)"
    rf"|\bthe (?P<before>(?:(?!the )\S+ ){{1,6}}?)(?P<word_after>{_ANY_NAMED})\b"
)

_PARTS = (
    r"(?:chapters|modules|parts|units|weeks|lessons|pages|topics|contents|outline|structure|toc"
    r"|table of contents)"
)
_READERS = r"(?:i|you|we|one|readers|students)"
_LEARN = rf"(?:can|will|do|would|should|could) {_READERS} (?:learn|find|expect|read)(?: about)?"
_SUMMARY = (
    r"(?:summari[sz]e|sum up|recap"
    r"|(?:(?:give|show|tell)(?: me)? |what is |what are )?(?:an? |the )?(?:short |brief |quick )?"
    r"(?:summary|outline|overview|gist|essence|main idea|key points|main points) of)"
)
_FRAMES = [
    r"what is THIS about",
    r"what is (?:in|inside|covered in) THIS",
    rf"what(?: topics| subjects)? (?:do|does|will) THIS {_COVERS}",
    rf"(?:what|which) (?:topics|subjects|things|{_PARTS}) (?:is|are) (?:covered |there )?(?:in|by) THIS",
    rf"what {_LEARN} (?:in|from) THIS",
    rf"{_SUMMARY} (?:what )?THIS(?: {_COVERS}| is about)?",
    rf"(?:(?:list|show|name|give|what are)(?: me)? )?(?:(?:the|all|{_ANY_NUMBER}) )*{_PARTS} (?:of|in) THIS",
    rf"how many {_PARTS} (?:are (?:there )?in THIS|does THIS have)",
    rf"how is THIS (?:organi[sz]ed|structured|divided)(?: into {_PARTS})?",
    rf"(?:what|which) {_PARTS} does THIS have",
]
_FRAMES_OF_A_NUMBER = [r"THIS", r"what is THIS", r"(?:tell me|talk) about THIS", r"(?:describe|explain) THIS"]
_FRAMES_OF_NOTHING = [
    rf"(?:(?:list|show|name|give|what is|what are)(?: me)? )(?:the |all )*{_PARTS}",
    r"(?:the )?(?:table of contents|toc|list of chapters)",
    rf"(?:what|which|how many) {_PARTS} (?:are there|do you have)",
    r"table des matières|sommaire|inhaltsverzeichnis|índice|tabla de contenidos?|فہرست",
]
_ANY_FRAME = re.compile("|".join(_FRAMES))
_NUMBER_FRAME = re.compile("|".join(_FRAMES + _FRAMES_OF_A_NUMBER))
_NOTHING_FRAME = re.compile("|".join(_FRAMES_OF_NOTHING))

_CONTENTS = re.compile(rf"\b{_PARTS}\b")
_ABILITIES = re.compile(
    r"what (?:can|do) you do(?: for me)?|what can i ask(?: you| here)?|how (?:can|do) you help(?: me)?"
    r"|(?:who|what) are you|how do you work|what is this (?:bot|chat|chatbot|assistant|widget)|help(?: me)?"
)
_WHERE = re.compile(
    r"\W*(?:(?:so|and|ok|but) )?"
    r"(?:where\b|(?:(?:in|on) )?(?:which|what) (?:page|chapter|section|lesson|file)\b)",
    re.IGNORECASE,
)
_ABOUT_IT = re.compile(
    r"\W*(?P<asks>(?:who|what)(?:['’]s| is| are)|who should read|who wrote) (?P<it>it|this)"
    r"(?P<end>(?: (?:written|meant|intended|made))?(?: for| about))\W*",
    re.IGNORECASE,
)

_WORDS = re.compile(r"[^\W_]+(?:[.'-][^\W_]+)*")
_POLITE = re.compile(
    r"^(?:(?:so|and|ok|please|can you|could you|would you|i want to know|just|quickly|briefly) )+"
    r"|(?: please| for me| in short| in brief| briefly| roughly| quickly"
    rf"| in (?:a|{'|'.join(_NUMBERS)}|few|short|simple|plain)(?: few| short| simple)*"
    r" (?:words?|sentences?|bullets?|bullet points|points|lines?|paragraphs?))+$"
)
_TITLE_AFTER_NUMBER = re.compile(
    rf"(\b{_ANY_PART} {_ANY_NUMBER})\s*[,:(–—-]\s*[\"“'‘]?(?P<title>(?-i:[A-Z])[^?!;]*+)", re.IGNORECASE
)
"""The title after a part's number: `chapter 5, Advanced Patterns`."""
_NUMBER_IN_PARENTHESES = re.compile(r"\(\s*[\d.]+\s*\)")
_BOOK_POSSESSIVE = re.compile(r"\b(?:the|this|your) (?:book|course|manual|guide|tutorial)'s\b")
_LONGEST = 200
"""Characters; a longer question asks for more than an outline or a summary."""


@dataclass(frozen=True, slots=True)
class WholeBook:
    pass


@dataclass(frozen=True, slots=True)
class NumberedPart:
    word: str
    """The reader's word for it, such as `chapter`."""
    number: int
    title: str = ""
    """What the reader takes for its title: `Advanced Patterns` of `chapter 5, Advanced Patterns`."""


@dataclass(frozen=True, slots=True)
class NamedPart:
    name: str
    is_small: bool = False
    """Whether the reader calls it a section or a page: then a page of that name comes before a chapter."""


Broad = WholeBook | NumberedPart | NamedPart


def broad(question: str) -> Broad | None:
    """The part whose outline or summary is asked for; None for any other question."""
    if len(question) > _LONGEST:
        return None
    text = _normalized(question)
    if _NOTHING_FRAME.fullmatch(text):
        return WholeBook()
    if _fits_frame(_ANY_FRAME, _BOOK.search(text)):
        return WholeBook()
    numbered = _NUMBERED.search(text)
    if numbered and _fits_frame(_NUMBER_FRAME, numbered):
        titled = _TITLE_AFTER_NUMBER.search(question)
        return replace(_numbered_part(numbered), title=titled["title"] if titled else "")
    named = _NAMED.search(text)
    if named and _fits_frame(_ANY_FRAME, named):
        word = named["word"] or named["word_after"]
        return NamedPart((named["after"] or named["before"]).strip(), word in SMALL_WORDS)
    return None


def asks_for_contents(question: str) -> bool:
    """Whether the question asks for titles, not for a summary."""
    return bool(_CONTENTS.search(_normalized(question)))


def asks_where(question: str) -> bool:
    return bool(_WHERE.match(question))


def asks_for_abilities(question: str) -> bool:
    return len(question) <= _LONGEST and bool(_ABILITIES.fullmatch(_normalized(question)))


def mentions_book(question: str) -> bool:
    """Whether the question is about the book itself, as `do I need maths for this book?`."""
    return bool(_BOOK.search(_normalized(question[:_LONGEST])))


def resolve_book_pronoun(question: str) -> str:
    """`Who is it for?` becomes `Who is this book for?`: as a first question it can only mean the book."""
    match = _ABOUT_IT.fullmatch(question) if len(question) <= _LONGEST else None
    return f"{match['asks']} this book{match['end']}?" if match else question


def _normalized(question: str) -> str:
    """The words in lower case, separated by single blanks, without polite phrases."""
    untitled = _NUMBER_IN_PARENTHESES.sub(" ", _TITLE_AFTER_NUMBER.sub(r"\1", question))
    words = " ".join(_WORDS.findall(untitled.lower().replace("’", "'")))
    words = _BOOK_POSSESSIVE.sub("the", words).replace("the the ", "the ")
    return _POLITE.sub("", words.replace("what's", "what is").replace("whats ", "what is "))


def _fits_frame(frame: re.Pattern[str], match: re.Match[str] | None) -> bool:
    """Whether the text around the match is exactly one of the frames."""
    if match is None:
        return False
    return bool(frame.fullmatch(f"{match.string[: match.start()]}THIS{match.string[match.end() :]}"))


def _numbered_part(match: re.Match[str]) -> NumberedPart:
    number = match["number"] or match["ordinal"]
    return NumberedPart(
        match["word"] or match["ordinal_word"], _NUMBERS[number] if number in _NUMBERS else int(number)
    )
