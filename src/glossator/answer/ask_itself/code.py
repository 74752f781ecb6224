"""Questions that only a piece of the book's code answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from glossator.answer.ask_itself.sections import BookSection, code_blocks
from glossator.answer.ask_itself.self_question import Place, SelfQuestion
from glossator.text.words import words

_SHELL = frozenset(["bash", "sh", "shell", "zsh", "console", "powershell", "terminal"])
_NO_CODE = re.compile(r"|text|txt|plaintext|mermaid|output|log|math|latex|diff|tree|mdx-code-block")
_LEAST_WORDS = 3
_TASK = re.compile(r"How do you (?P<task>.+(?<! code))\?")


def code_questions(headings: Sequence[SelfQuestion], sections: Sequence[BookSection]) -> list[SelfQuestion]:
    """Of the headings that tell what to do, whose section has code: any block of it will do."""
    bodies = {section.place: section.body for section in sections}
    return [question for heading in headings if (question := _asked(heading, bodies))]


def _asked(heading: SelfQuestion, bodies: Mapping[Place, str]) -> SelfQuestion | None:
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
    return SelfQuestion(f"What is the {what} to {task['task']}?", heading.about, heading.places[:1], facts)
