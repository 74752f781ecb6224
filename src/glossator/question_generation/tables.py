"""Generates questions from the cells of tables, and from code under headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from glossator.question_generation.phrase import Phrasing, is_plural
from glossator.question_generation.sections import (
    BookSection,
    GeneratedQuestion,
    SectionPlace,
    code_blocks,
    merge_by_subject,
    tables,
)
from glossator.text.english import EMPTY_WORDS
from glossator.text.words import words

_MOST_ROWS = 5
"""Rows used of a table, so that a long one does not fill the exam."""
_LONGEST_THING, _LONGEST_SIDE, _LONGEST_CELL = 4, 3, 25
"""Words."""
_SHORTEST_CELL = 3
"""Letters; a shorter text is in many answers by chance."""
_NO_NAME = re.compile(r"[,;:?=\\{}^$]|\b\w_\w\b|\.\.\.|…")
_UNUSABLE_HEADER = re.compile(
    r"#|no\.?|steps?|weeks?|days?|phases?|questions?|exercises?|documentation|links?|status|notes?|references?|"
    r"(?:first )?pages?|chapters?|sections?|modules?",
    re.IGNORECASE,
)
_OPTION = re.compile(
    r"\b(?:name|option|parameter|field|property|key|flag|argument|setting|item|type|aspect|feature)s?\b",
    re.IGNORECASE,
)
_UNINFORMATIVE = re.compile(
    r"(?:yes|no|none|n/a|tbd|varies|see .*|string|number|boolean|object|function|true|false|required|"
    r"undefined|null|\W*)",
    re.IGNORECASE,
)
"""Cells that say nothing, or that are the same in many rows."""
_DESCRIPTION = re.compile(r"(?:description|definition|explanation|meaning)", re.IGNORECASE)
_SOLUTION = re.compile(r"solutions?|fix|cause|remedy|reason", re.IGNORECASE)
_SHORT_NAME = 2
"""Letters."""
_EXAMPLE = re.compile(r"examples?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell: `thing` is the name of its row, `side` the header of its column."""

    thing: str
    side: str
    text: str
    place: SectionPlace


def table_questions(sections: Sequence[BookSection], language: str) -> list[GeneratedQuestion]:
    """`What is the default of max_retries?`; English only. Skips cells on which two tables differ."""
    if language != "english":
        return []
    phrasing = Phrasing.of(section.body for section in sections)
    questions = [
        GeneratedQuestion(_cell_question(cell, phrasing), cell.thing, (cell.place,), (cell.text,))
        for column in _columns(sections, phrasing)
        for cell in column
    ]
    return [question for question in merge_by_subject(questions, language) if len(question.facts) == 1]


def table_follow_ups(sections: Sequence[BookSection], language: str) -> list[GeneratedQuestion]:
    """`What is the default of max_retries?`, then `What about timeout?`."""
    if language != "english":
        return []
    phrasing = Phrasing.of(section.body for section in sections)
    questions = [
        GeneratedQuestion(
            f"What about {cell.thing}?",
            cell.thing,
            (cell.place,),
            (cell.text,),
            after=_cell_question(before, phrasing),
        )
        for column in _columns(sections, phrasing)
        for before, cell in pairwise(column)
    ]
    counts = Counter((question.after, question.text) for question in questions)
    return [question for question in questions if counts[question.after, question.text] == 1]


def _columns(sections: Sequence[BookSection], phrasing: Phrasing) -> Iterator[list[_Cell]]:
    """The usable cells of each column after the first that has a name."""
    for section in sections:
        for head, *rows in tables(section.body):
            for column, side in list(enumerate(head))[1:]:
                if _is_usable_column(head[0], side, phrasing):
                    yield [
                        _Cell(_row_name(head[0], row[0], phrasing), side, row[column], section.place)
                        for row in rows[:_MOST_ROWS]
                        if _is_usable_row(head[0], row[0], side, phrasing) and _is_usable_cell(row[column])
                    ]


def _is_usable_column(kind: str, side: str, phrasing: Phrasing) -> bool:
    if (
        not kind
        or _UNUSABLE_HEADER.fullmatch(kind)
        or _UNUSABLE_HEADER.fullmatch(side)
        or _NO_NAME.search(side)
    ):
        return False
    if _DESCRIPTION.fullmatch(side) or _EXAMPLE.fullmatch(side):
        return True
    return 1 <= len(words(side)) <= _LONGEST_SIDE and phrasing.is_counted(side)


def _is_usable_row(kind: str, name: str, side: str, phrasing: Phrasing) -> bool:
    """In a table of options, an ordinary word such as `label` is ambiguous; `sidebar_label` is not."""
    is_one_of_many = _OPTION.search(kind) or (_DESCRIPTION.fullmatch(side) and phrasing.is_counted(name))
    if is_one_of_many and _is_word(name[:1].lower() + name[1:]):
        return False
    name_words = words(name.lower())
    is_short = 1 <= len(name_words) <= _LONGEST_THING and not _NO_NAME.search(name)
    return is_short and not all(word in EMPTY_WORDS for word in name_words)


def _is_usable_cell(cell: str) -> bool:
    is_short = len(words(cell)) <= _LONGEST_CELL and len(cell) >= _SHORTEST_CELL
    return is_short and not _UNINFORMATIVE.fullmatch(cell) and "\\" not in cell


def _row_name(kind: str, name: str, phrasing: Phrasing) -> str:
    """`category 0` for the row `0` of a table of categories, `rigid joint` for `rigid` in one of joints."""
    if len(name) <= _SHORT_NAME:
        return f"{kind.lower()} {name}"
    thing = phrasing.lowered(name)
    if not _is_word(thing) or is_plural(thing):
        return thing
    return f"the {thing}" if phrasing.is_counted(thing) else f"{thing} {kind.lower().removesuffix('s')}"


def _is_word(name: str) -> bool:
    return name.islower() and name.replace("-", "").isalpha()


def _cell_question(cell: _Cell, phrasing: Phrasing) -> str:
    side = cell.side.lower() if cell.side[1:].islower() else phrasing.lowered(cell.side)
    if _DESCRIPTION.fullmatch(side):
        return f"What does {cell.thing} mean?"
    if _EXAMPLE.fullmatch(side):
        return f"What is an example of {cell.thing}?"
    link = "for" if _SOLUTION.fullmatch(side) else "of"
    return f"What {'are' if is_plural(side) else 'is'} the {side} {link} {cell.thing}?"


# Questions whose answer is code.

_SHELL = frozenset(["bash", "sh", "shell", "zsh", "console", "powershell", "terminal"])
_NO_CODE = re.compile(r"|text|txt|plaintext|mermaid|output|log|math|latex|diff|tree|mdx-code-block")
_LEAST_WORDS = 3
_TASK = re.compile(r"How do you (?P<task>.+(?<! code))\?")


def code_questions(
    headings: Sequence[GeneratedQuestion], sections: Sequence[BookSection]
) -> list[GeneratedQuestion]:
    """Uses headings that name a task and whose section has code: any of its blocks answers."""
    bodies = {section.place: section.body for section in sections}
    return [question for heading in headings if (question := _code_question(heading, bodies))]


def _code_question(
    heading: GeneratedQuestion, bodies: Mapping[SectionPlace, str]
) -> GeneratedQuestion | None:
    task = _TASK.fullmatch(heading.text)
    blocks = [
        block for block in code_blocks(bodies[heading.places[0]]) if not _NO_CODE.fullmatch(block.language)
    ]
    facts = tuple(
        block.text for block in blocks if len(words(block.text)) >= _LEAST_WORDS and "{{#" not in block.text
    )
    if not task or not facts:
        return None
    what = "command" if all(block.language in _SHELL for block in blocks) else "code"
    return GeneratedQuestion(
        f"What is the {what} to {task['task']}?", heading.about, heading.places[:1], facts
    )
