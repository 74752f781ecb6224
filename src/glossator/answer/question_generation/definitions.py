"""Questions made from the sentences that say what something is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from glossator.answer.question_generation.phrase import LEANS, NO_SUBJECTS, Phrasing, is_generic
from glossator.answer.question_generation.sections import (
    BookSection,
    GeneratedQuestion,
    common_stems,
    joined,
    paragraphs,
)
from glossator.answer.route.lean import FUNCTION_WORDS, LEANING_WORDS
from glossator.answer.weigh import asked_for
from glossator.text.markdown import plain
from glossator.text.sentences import sentences

_WORD = r"[\w/+#-][\w'’/+#.-]*"
_IS = (
    r"(?:is\s+(?:simply\s+|basically\s+|essentially\s+)?(?:an?|the|any|one\s+of|short\s+for|defined\s+as|how|when|"
    r"where|what)\b|are\s+(?:the\b|(?:\w+\s+){0,2}\w+s\s+(?:that|which|of|used|for|whose|where)\b)"
    r"|means\b|refers?\s+to\b|stands?\s+for\b)"
)
_DEFINES = re.compile(
    rf"(?P<article>An?\s+)?(?P<term>{_WORD}(?:\s+{_WORD}){{0,3}}?)(?:\s*\([^()]{{1,40}}\))?\s+{_IS}"
)
_MARKED = re.compile(
    rf"(?P<article>(?:An?|The)\s+)?(?P<mark>\*\*|__)(?P<term>[^*_\n]{{3,50}}?)\s*"
    rf"(?:(?P=mark)(?:\s*\([^()]{{1,40}}\))?\s*(?::|—|–|-\s|{_IS})|:(?P=mark))"
)
_NO_SUBJECT = (FUNCTION_WORDS | LEANING_WORDS | NO_SUBJECTS) - {"of", "using", "work", "code", "syntax"}
_MAY_DEFINE = re.compile(r"\b(?:is|are|means|refers?|stands?)\b")
_POINTS = re.compile(r"\b(?:this|these|those|above|following)\b", re.IGNORECASE)
_VARIABLE = re.compile(r"`[a-z]+`")
_GLOSSARY = re.compile(r"terms?|glossary|vocabulary|definitions?|key (?:terms|concepts)", re.IGNORECASE)
_SAYS_WHAT = re.compile(
    r"\W*+(?:an?|the|any|one of)(?: [\w/'’-]+){1,6},? (?:that|which|of|for|whose|where|used|to)\b"
    r"|\W*+\w+ing\b|\W*+[\w-]+(?: [\w-]+){0,4} (?:that|which|whose|where|used)\b",
    re.IGNORECASE,
)
"""How what stands behind a label begins when it says what the label means."""
_LABEL_ENDS = (":", "—", "–", "-")
_MOST_WORDS = 4
_TWICE = 2
_MOST_PLACES = 3
"""What is explained in more of them is a label, such as `Symptoms:`."""
_LEAST_EXPLANATION = 6
"""Words behind a marked term."""


def definition_questions(sections: Sequence[BookSection], language: str) -> list[GeneratedQuestion]:
    """What is meant by each term that a sentence of the book defines; English only."""
    if language != "english":
        return []
    phrasing = Phrasing.of(section.body for section in sections)
    common = common_stems(sections, language)
    questions = [
        GeneratedQuestion(_asked(article, term, phrasing), phrasing.lowered(term), (section.place,), (fact,))
        for section in sections
        for article, term, fact in _defined(section)
        if _is_name(term, phrasing) and not set(asked_for(term, language)) <= common
    ]
    return [question for question in joined(questions, language) if len(question.places) <= _MOST_PLACES]


def _is_name(term: str, phrasing: Phrasing) -> bool:
    """Whether the book uses it elsewhere, and as a noun."""
    if term.isupper() or " " in term:
        return phrasing.whole.count(term.lower()) >= _TWICE
    return phrasing.is_noun(term)


def _asked(article: str, term: str, phrasing: Phrasing) -> str:
    return f"What is {article.lower()} {phrasing.lowered(term)}?" if article else phrasing.what_is(term)


def _defined(section: BookSection) -> Iterator[tuple[str, str, str]]:
    """The article, if it is `a` or `an`, the term, and the sentence that says what it is."""
    for paragraph in paragraphs(section.body):
        for span in sentences(paragraph):
            sentence = paragraph[span.start : span.end].strip()
            found = _definition(sentence, is_glossary=bool(_GLOSSARY.fullmatch(section.title)))
            if found and _stands_alone(sentence) and _is_term(term := plain(found["term"]).strip(" :.,")):
                article = (found["article"] or "").strip()
                yield ("" if article == "The" else article), term, plain(sentence)


def _stands_alone(sentence: str) -> bool:
    """`Physics is the study of those questions` says nothing without what goes before it."""
    return not sentence.endswith(":") and not _POINTS.search(sentence)


def _definition(sentence: str, *, is_glossary: bool) -> re.Match[str] | None:
    if marked := _MARKED.match(sentence):
        meaning = plain(sentence[marked.end() :])
        is_label = marked[0].rstrip("*_ ").endswith(_LABEL_ENDS) and not is_glossary
        says_what = not is_label or _SAYS_WHAT.match(meaning)
        return marked if says_what and len(meaning.split()) >= _LEAST_EXPLANATION else None
    # The name of a variable is no term.
    if not _MAY_DEFINE.search(sentence) or _VARIABLE.match(sentence):
        return None
    return _DEFINES.match(plain(sentence))


def _is_term(term: str) -> bool:
    said = term.lower().split()
    if not 1 <= len(said) <= _MOST_WORDS or len(term) < 3 or is_generic(term):
        return False
    return not any(word in _NO_SUBJECT for word in said) and not term[0].isdigit() and "," not in term


# Questions made from sentences that say how many, how much or how long.

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
_VERB = re.compile(
    rf"(?P<subject>The(?: [\w'’-]+){{2,5}}?) (?P<verb>is) {_ABOUT}{_NUMBER}(?: {_UNIT})?[.,;]?(?!\S)"
)
_NO_NAMES = frozenset(["suppose", "assume", "imagine", "say", "let", "give", "take", "note", "make", "use"])
_BASES = {"has": "have", "is": "is", "are": "are"}


def number_questions(sections: Sequence[BookSection], language: str) -> list[GeneratedQuestion]:
    """`How many nights does a tin last?`; English only. What is told differently elsewhere is not asked."""
    if language != "english":
        return []
    phrasing = Phrasing.of(section.body for section in sections)
    questions = [
        GeneratedQuestion(asked, subject, (section.place,), (fact,))
        for section in sections
        for paragraph in paragraphs(section.body)
        for span in sentences(paragraph)
        for asked, subject, fact in _number_question(plain(paragraph[span.start : span.end]), phrasing)
    ]
    return [question for question in joined(questions, language) if len(question.facts) == 1]


def _number_question(sentence: str, phrasing: Phrasing) -> list[tuple[str, str, str]]:
    """The question, what it is about, and the words that answer it."""
    found = _MEASURES.match(sentence) or _COUNTS.match(sentence) or _VERB.match(sentence)
    if not found or not _number_stands_alone(found["subject"]):
        return []
    first, _, rest = found["subject"].partition(" ")
    subject = f"{phrasing.lowered(first)} {rest}".strip()
    unit = found["unit"] or ""
    return [(_question(found, subject, unit), subject, f"{found['number']} {unit}".strip())]


def _question(found: re.Match[str], subject: str, unit: str) -> str:
    verb = found["verb"]
    if "how" in found.re.groupindex:
        return f"How {found['how']} {verb} {subject}?"
    if found.re is _VERB:
        return f"What is {subject}?"
    first, _, rest = verb.partition(" ")
    base = _BASES.get(first) or first.removesuffix("s")
    helps = "does" if first.endswith("s") else "do"
    return f"How many {unit} {helps} {subject} {base}{f' {rest}' if rest else ''}?"


def _number_stands_alone(subject: str) -> bool:
    """`The function` is one that was spoken of before; `the main function` and `a function` are not."""
    article, *said = subject.lower().replace("’", "'").split()
    if article not in ("a", "an", "the", "each", "every"):
        said = [article, *said]
    if article == "the" and len(said) < 2:
        return False
    if any(word[0].isdigit() for word in said) or re.fullmatch(_NUMBER, said[0]) or said[0] in _NO_NAMES:
        return False
    return not any(word in LEANS | NO_SUBJECTS | FUNCTION_WORDS - {"of", "for", "in"} for word in said)
