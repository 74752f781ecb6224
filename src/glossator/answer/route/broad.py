"""What a broad question asks for: the whole book, or one of its parts by number or by name."""

from __future__ import annotations

import re
from dataclasses import dataclass

CHAPTER_WORDS = ("chapter", "module", "part", "unit", "week")
"""What books call their largest parts."""
PART_WORDS = (*CHAPTER_WORDS, "lesson", "lecture", "session", "day")

_COUNTED = (
    "one two three four five six seven eight nine ten eleven twelve",
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
    "i ii iii iv v vi vii viii ix x xi xii",
)
_NUMBERS = {word: number for line in _COUNTED for number, word in enumerate(line.split(), start=1)}

_ANY_PART = f"(?:{'|'.join(PART_WORDS)})"
_ANY_NAMED = f"(?:{'|'.join((*PART_WORDS, 'section', 'page'))})"
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
    rf"\b(?:the )?{_ANY_NAMED} (?:on|about|called|titled|named) (?P<after>(?:\S+ ){{0,7}}?\S+)"
    rf"(?= {_COVERS}$| about$|$)"
    rf"|\bthe (?P<before>(?:(?!the )\S+ ){{1,6}}?){_ANY_NAMED}\b"
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
_ITS_TITLE = re.compile(
    rf"(\b{_ANY_PART} {_ANY_NUMBER})\s*[,:(–—-]\s*[\"“'‘]?(?-i:[A-Z])[^?!;]*+", re.IGNORECASE
)
"""Behind the number of a part: `chapter 5, Advanced Patterns`."""
_ITS_NUMBER = re.compile(r"\(\s*[\d.]+\s*\)")
_OF_THE_BOOK = re.compile(r"\b(?:the|this|your) (?:book|course|manual|guide|tutorial)'s\b")
_LONGEST = 200
"""Characters; a longer question asks for more than an outline."""


@dataclass(frozen=True, slots=True)
class WholeBook:
    pass


@dataclass(frozen=True, slots=True)
class NumberedPart:
    word: str
    """What the reader calls it, such as `chapter`."""
    number: int


@dataclass(frozen=True, slots=True)
class NamedPart:
    name: str


Broad = WholeBook | NumberedPart | NamedPart


def broad(question: str) -> Broad | None:
    """None for a question that asks for something in particular."""
    if len(question) > _LONGEST:
        return None
    asked = _normal(question)
    if _NOTHING_FRAME.fullmatch(asked):
        return WholeBook()
    if _is_asked(_ANY_FRAME, _BOOK.search(asked)):
        return WholeBook()
    numbered = _NUMBERED.search(asked)
    if numbered and _is_asked(_NUMBER_FRAME, numbered):
        return _numbered(numbered)
    named = _NAMED.search(asked)
    if named and _is_asked(_ANY_FRAME, named):
        return NamedPart((named["after"] or named["before"]).strip())
    return None


def asks_for_contents(question: str) -> bool:
    """Whether the titles are asked for, and not what stands under them."""
    return bool(_CONTENTS.search(_normal(question)))


def asks_where(question: str) -> bool:
    return bool(_WHERE.match(question))


def asks_for_abilities(question: str) -> bool:
    return len(question) <= _LONGEST and bool(_ABILITIES.fullmatch(_normal(question)))


def names_the_book(question: str) -> bool:
    """Whether it speaks of the book itself, as in `do I need maths for this book?`."""
    return bool(_BOOK.search(_normal(question[:_LONGEST])))


def naming_the_book(question: str) -> str:
    """`Who is it for?`, as the first thing that is asked, can mean nothing but the book."""
    found = _ABOUT_IT.fullmatch(question) if len(question) <= _LONGEST else None
    return f"{found['asks']} this book{found['end']}?" if found else question


def _normal(question: str) -> str:
    """Its words in small letters, one blank apart, without what is only polite."""
    bare = _ITS_NUMBER.sub(" ", _ITS_TITLE.sub(r"\1", question))
    words = " ".join(_WORDS.findall(bare.lower().replace("’", "'")))
    words = _OF_THE_BOOK.sub("the", words).replace("the the ", "the ")
    return _POLITE.sub("", words.replace("what's", "what is").replace("whats ", "what is "))


def _is_asked(frame: re.Pattern[str], found: re.Match[str] | None) -> bool:
    """Whether nothing but the frame stands around what was found."""
    if found is None:
        return False
    return bool(frame.fullmatch(f"{found.string[: found.start()]}THIS{found.string[found.end() :]}"))


def _numbered(found: re.Match[str]) -> NumberedPart:
    number = found["number"] or found["ordinal"]
    return NumberedPart(
        found["word"] or found["ordinal_word"], _NUMBERS[number] if number in _NUMBERS else int(number)
    )
