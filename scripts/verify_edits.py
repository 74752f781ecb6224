"""Sentences of a book, edited so that they stay true or become false: what scripts/fit_verify.py learns from."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from glossator.answer.verify.plain import plain
from glossator.answer.verify.signs.english import OPPOSITES
from glossator.text.sentences import sentences

AROUND = 4
"""Other sections that stand beside the sentence's own in the evidence."""

MOST = 3
"""Edits of one kind that are made of one sentence; the first ones fit only some sentences."""

Edit = Callable[[str, "Book", random.Random], str | None]


@dataclass(frozen=True)
class Edited:
    claim: str
    sections: tuple[str, ...]
    kind: str
    is_true: bool


@dataclass(frozen=True)
class Book:
    sections: tuple[str, ...]
    sentences: tuple[tuple[int, str], ...]
    """Each with the number of its section."""
    names: tuple[str, ...]

    @classmethod
    def open(cls, folder: Path) -> Book:
        pages = [path.read_text("utf-8") for path in sorted(folder.rglob("*.md*"))]
        parts = [part for page in pages for part in re.split(r"(?m)^(?=##+ )", page)]
        sections = tuple(part for part in parts if 400 < len(part) < 6000)
        found = tuple((number, one) for number, part in enumerate(sections) for one in _prose(part))
        names = {name for _, one in found for name in _names(one)}
        return cls(sections, found, tuple(sorted(names)))


def edited(book: Book, count: int, chance: random.Random) -> Iterator[Edited]:
    for number, sentence in chance.sample(book.sentences, min(count, len(book.sentences))):
        others = chance.sample(range(len(book.sections)), AROUND)
        sections = tuple(book.sections[place] for place in dict.fromkeys([number, *others]))
        for edits, is_true in ((TRUE, True), (FALSE, False)):
            made = [(edit.__name__, edit(sentence, book, chance)) for edit in edits]
            changed = [(kind, claim) for kind, claim in made if claim and not _stands(claim, sections)]
            yield from (Edited(claim, sections, kind, is_true) for kind, claim in changed[:MOST])


def _stands(claim: str, sections: Sequence[str]) -> bool:
    return any(claim in plain(section).text for section in sections)


def _prose(section: str) -> Iterator[str]:
    words = plain(section)
    for number, line in enumerate(words.lines):
        text = words.text[line.start : line.end]
        if number in words.code or len(text) < 60:
            continue
        for span in sentences(text):
            sentence = text[span.start : span.end]
            if 8 <= len(sentence.split()) <= 40 and sentence[0].isupper() and sentence.endswith("."):
                yield sentence


def _names(sentence: str) -> list[str]:
    return re.findall(r"(?<=[a-z,] )[A-Z][A-Za-z0-9]+", sentence)


# Edits that leave a sentence true.


def without_its_brackets(sentence: str, book: Book, chance: random.Random) -> str | None:
    return re.sub(r"\s*\([^()]*\)", "", sentence)


def without_its_end(sentence: str, book: Book, chance: random.Random) -> str | None:
    found = re.match(r"(.{30,}?),\s(?:which|because|so|and|while|where)\b.*\.$", sentence)
    return found[1] + "." if found and not re.match(r"(?:If|When|While|Unless)\b", sentence) else None


def turned_round(sentence: str, book: Book, chance: random.Random) -> str | None:
    found = re.match(r"(If|When|While|Because|Once|Although) ([^,]+), ([^,]+)\.$", sentence)
    return f"{found[3][0].upper()}{found[3][1:]} {found[1].lower()} {found[2]}." if found else None


def led_in(sentence: str, book: Book, chance: random.Random) -> str | None:
    lead = chance.choice(["In short, ", "Put simply, ", "As the book explains, ", "In other words, "])
    return f"{lead}{sentence[0].lower()}{sentence[1:]}"


_ALIKE = {
    "use": "employ",
    "uses": "employs",
    "used": "employed",
    "using": "employing",
    "show": "display",
    "shows": "displays",
    "help": "assist",
    "helps": "assists",
    "begin": "start",
    "make": "create",
    "makes": "creates",
    "need": "require",
    "needs": "requires",
    "get": "obtain",
    "gets": "obtains",
    "allows": "lets",
    "run": "execute",
    "runs": "executes",
    "tell": "inform",
    "contains": "holds",
    "important": "significant",
    "because": "since",
    "often": "frequently",
    "also": "additionally",
    "many": "numerous",
    "example": "instance",
    "error": "mistake",
    "change": "modify",
    "called": "named",
    "check": "verify",
    "choose": "pick",
    "provides": "offers",
    "provide": "offer",
    "want": "wish",
    "problem": "issue",
    "fast": "quick",
    "build": "construct",
    "different": "distinct",
    "keep": "retain",
}


def in_other_words(sentence: str, book: Book, chance: random.Random) -> str | None:
    words = [_ALIKE.get(word, word) for word in re.split(r"(\W+)", sentence)]
    return "".join(words)


def joined(sentence: str, book: Book, chance: random.Random) -> str | None:
    place = next(place for place, (_, one) in enumerate(book.sentences) if one == sentence)
    if place + 1 == len(book.sentences) or book.sentences[place][0] != book.sentences[place + 1][0]:
        return None
    following = book.sentences[place + 1][1]
    return f"{sentence[:-1]}, and {following[0].lower()}{following[1:]}"


def without_little_words(sentence: str, book: Book, chance: random.Random) -> str | None:
    return re.sub(r" (?:the|a|an|also|just|then|very|really|simply|actually)(?= [a-z])", "", sentence)


TRUE: Sequence[Edit] = (
    turned_round,
    without_its_brackets,
    without_its_end,
    in_other_words,
    led_in,
    joined,
    without_little_words,
)


# Edits that make it false.


def other_number(sentence: str, book: Book, chance: random.Random) -> str | None:
    found = list(
        re.finditer(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\d)|\b(?:two|three|four|five|six|ten)\b", sentence)
    )
    if not found:
        return None
    match = chance.choice(found)
    others = ["two", "three", "four", "five", "seven", "nine"]
    new = str(round(float(match[0]) * chance.choice([2, 3, 10]) + 1, 3)) if match[0][0].isdigit() else None
    new = new.removesuffix(".0") if new else chance.choice([other for other in others if other != match[0]])
    return f"{sentence[: match.start()]}{new}{sentence[match.end() :]}"


def denied(sentence: str, book: Book, chance: random.Random) -> str | None:
    if re.search(r"\b(?:not|cannot|never)\b", sentence):
        undone = re.sub(r"\bcannot\b", "can", sentence, count=1)
        return undone if undone != sentence else re.sub(r" (?:not|never)\b", "", sentence, count=1)
    return re.sub(r"\b(is|are|can|will|should|must|was|were)\b(?! not)", r"\1 not", sentence, count=1)


def opposite(sentence: str, book: Book, chance: random.Random) -> str | None:
    turned = {one: other for pair in OPPOSITES for one, other in (pair, pair[::-1])}
    found = [match for match in re.finditer(r"[a-z]+", sentence) if match[0] in turned and len(match[0]) > 3]
    if not found:
        return None
    match = chance.choice(found)
    return f"{sentence[: match.start()]}{turned[match[0]]}{sentence[match.end() :]}"


def other_name(sentence: str, book: Book, chance: random.Random) -> str | None:
    here = _names(sentence)
    others = [name for name in book.names if name not in sentence]
    return sentence.replace(chance.choice(here), chance.choice(others)) if here and others else None


def sides_swapped(sentence: str, book: Book, chance: random.Random) -> str | None:
    found = re.match(r"(?:The |A |An )?([^,]{5,80}) (before|after|than|because) ([^,]{5,80})\.$", sentence)
    return f"{found[3][0].upper()}{found[3][1:]} {found[2]} {found[1]}." if found else None


def words_swapped(sentence: str, book: Book, chance: random.Random) -> str | None:
    found = re.match(r"(.*?\b[Tt]he )(\w{4,})\b( (?:\w+ ){1,5}the )(\w{4,})\b(.*)", sentence)
    if not found or found[2] == found[4]:
        return None
    return f"{found[1]}{found[4]}{found[3]}{found[2]}{found[5]}"


def overstated(sentence: str, book: Book, chance: random.Random) -> str | None:
    said = re.sub(r"\b(?:some|many|several|most|a few)\b", "all", sentence, count=1)
    return (
        said
        if said != sentence
        else re.sub(r"\b(?:often|usually|sometimes|typically)\b", "always", sentence, count=1)
    )


def from_elsewhere(sentence: str, book: Book, chance: random.Random) -> str | None:
    return chance.choice(book.sentences)[1]


def half_invented(sentence: str, book: Book, chance: random.Random) -> str | None:
    words, others = sentence.split(), chance.choice(book.sentences)[1].split()
    return " ".join([*words[: len(words) // 2], *others[len(others) // 2 :]])


FALSE: Sequence[Edit] = (
    sides_swapped,
    words_swapped,
    overstated,
    other_number,
    other_name,
    opposite,
    denied,
    half_invented,
    from_elsewhere,
)
