"""Questions made from sentences that say how many, how much or how long."""

from __future__ import annotations

import re
from collections.abc import Sequence

from glossator.answer.ask_itself.phrase import Phrasing
from glossator.answer.ask_itself.sections import BookSection, paragraphs
from glossator.answer.ask_itself.self_question import SelfQuestion, joined
from glossator.answer.ask_itself.word_lists import LEANS, NO_SUBJECTS
from glossator.answer.route.grammar import FUNCTION_WORDS
from glossator.text.inline import plain
from glossator.text.sentences import sentences

_NUMBER = (
    r"(?P<number>\d[\d,.]*(?<![,.])|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|"
    r"fifty|hundred)"
)
_ABOUT = r"(?:(?:about|around|at least|at most|up to|exactly|only|roughly|approximately|just) )?"
_SUBJECT = (
    r"(?P<subject>(?:An?|The|Each|Every) [\w'’-]+(?: [\w'’-]+){0,4}?|[A-Z][\w'’+#-]+(?: [\w'’-]+){0,3}?)"
)
_UNIT = r"(?P<unit>(?:[a-z-]+ ){0,1}[a-z-]{2,}s|Hz|kHz|MHz|ms|kg|cm|mm|MB|GB|percent)\b(?! of\b)"
_COUNTS = re.compile(
    rf"{_SUBJECT} (?P<verb>has|have|takes?|uses?|needs?|requires?|holds?|supports?|contains?|lasts?|weighs?|"
    rf"costs?|stores?|sends?|keeps?|provides?|offers?|defines?|consists? of|runs? at|comes? with) "
    rf"{_ABOUT}{_NUMBER} {_UNIT}"
)
_MEASURES = re.compile(
    rf"{_SUBJECT} (?P<verb>is|are) {_ABOUT}{_NUMBER} {_UNIT} (?P<how>long|wide|high|tall|deep|old)\b"
)
_IS = re.compile(
    rf"(?P<subject>The(?: [\w'’-]+){{2,5}}?) (?P<verb>is) {_ABOUT}{_NUMBER}(?: {_UNIT})?[.,;]?(?!\S)"
)
_NO_NAMES = frozenset(["suppose", "assume", "imagine", "say", "let", "give", "take", "note", "make", "use"])
_BASES = {"has": "have", "is": "is", "are": "are"}


def number_questions(sections: Sequence[BookSection], language: str) -> list[SelfQuestion]:
    """`How many nights does a tin last?`; English only. What is told differently elsewhere is not asked."""
    if language != "english":
        return []
    phrasing = Phrasing.of(section.body for section in sections)
    questions = [
        SelfQuestion(asked, subject, (section.place,), (fact,))
        for section in sections
        for paragraph in paragraphs(section.body)
        for span in sentences(paragraph)
        for asked, subject, fact in _asked(plain(paragraph[span.start : span.end]), phrasing)
    ]
    return [question for question in joined(questions, language) if len(question.facts) == 1]


def _asked(sentence: str, phrasing: Phrasing) -> list[tuple[str, str, str]]:
    """The question, what it is about, and the words that answer it."""
    found = _MEASURES.match(sentence) or _COUNTS.match(sentence) or _IS.match(sentence)
    if not found or not _stands_alone(found["subject"]):
        return []
    first, _, rest = found["subject"].partition(" ")
    subject = f"{phrasing.lowered(first)} {rest}".strip()
    unit = found["unit"] or ""
    return [(_question(found, subject, unit), subject, f"{found['number']} {unit}".strip())]


def _question(found: re.Match[str], subject: str, unit: str) -> str:
    verb = found["verb"]
    if "how" in found.re.groupindex:
        return f"How {found['how']} {verb} {subject}?"
    if found.re is _IS:
        return f"What is {subject}?"
    first, _, rest = verb.partition(" ")
    base = _BASES.get(first) or first.removesuffix("s")
    helps = "does" if first.endswith("s") else "do"
    return f"How many {unit} {helps} {subject} {base}{f' {rest}' if rest else ''}?"


def _stands_alone(subject: str) -> bool:
    """`The function` is one that was spoken of before; `the main function` and `a function` are not."""
    article, *said = subject.lower().replace("’", "'").split()
    if article not in ("a", "an", "the", "each", "every"):
        said = [article, *said]
    if article == "the" and len(said) < 2:
        return False
    if any(word[0].isdigit() for word in said) or re.fullmatch(_NUMBER, said[0]) or said[0] in _NO_NAMES:
        return False
    return not any(word in LEANS | NO_SUBJECTS | FUNCTION_WORDS - {"of", "for", "in"} for word in said)
