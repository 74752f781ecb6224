"""Generates questions from sentences that define a term, or that state a number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from glossator.question_generation.phrase import LEANS, NO_SUBJECTS, Phrasing, is_generic
from glossator.question_generation.sections import (
    BookSection,
    GeneratedQuestion,
    common_stems,
    merge_by_subject,
    paragraphs,
)
from glossator.text.english import ASPECT_WORDS, EMPTY_WORDS
from glossator.text.markdown import plain
from glossator.text.sentences import sentences
from glossator.text.words import content_stems

_WORD = r"[\w/+#-][\w'’/+#.-]*"
_IS = (
    r"(?:is\s+(?:simply\s+|basically\s+|essentially\s+)?(?:an?|the|any|one\s+of|short\s+for|defined\s+as|how|when|"
    r"where|what)\b|are\s+(?:the\b|(?:\w+\s+){0,2}\w+s\s+(?:that|which|of|used|for|whose|where)\b)"
    r"|means\b|refers?\s+to\b|stands?\s+for\b)"
)
_DEFINES = re.compile(
    rf"(?P<article>An?\s+)?(?P<term>{_WORD}(?:\s+{_WORD}){{0,3}}?)(?:\s*\([^()]{{1,40}}\))?\s+{_IS}"
)
_MARKED_TERM = re.compile(
    rf"(?P<article>(?:An?|The)\s+)?(?P<mark>\*\*|__)(?P<term>[^*_\n]{{3,50}}?)\s*"
    rf"(?:(?P=mark)(?:\s*\([^()]{{1,40}}\))?\s*(?::|—|–|-\s|{_IS})|:(?P=mark))"
)
_NOT_IN_TERMS = (EMPTY_WORDS | ASPECT_WORDS | NO_SUBJECTS) - {"of", "using", "work", "code", "syntax"}
_MAY_DEFINE = re.compile(r"\b(?:is|are|means|refers?|stands?)\b")
_REFERS_BACK = re.compile(r"\b(?:this|these|those|above|following)\b", re.IGNORECASE)
_VARIABLE = re.compile(r"`[a-z]+`")
_GLOSSARY = re.compile(r"terms?|glossary|vocabulary|definitions?|key (?:terms|concepts)", re.IGNORECASE)
_EXPLAINS = re.compile(
    r"\W*+(?:an?|the|any|one of)(?: [\w/'’-]+){1,6},? (?:that|which|of|for|whose|where|used|to)\b"
    r"|\W*+\w+ing\b|\W*+[\w-]+(?: [\w-]+){0,4} (?:that|which|whose|where|used)\b",
    re.IGNORECASE,
)
"""The beginning of a text after a label that explains the label."""
_LABEL_ENDS = (":", "—", "–", "-")
_MOST_WORDS = 4
_LEAST_USES = 2
_MOST_PLACES = 3
"""A term that is explained in more places is a label, such as `Symptoms:`."""
_LEAST_EXPLANATION = 6
"""The fewest words after a marked term that explain it."""


def definition_questions(sections: Sequence[BookSection], language: str) -> list[GeneratedQuestion]:
    """Makes a question for each term that a sentence of the book defines; English only."""
    if language != "english":
        return []
    phrasing = Phrasing.of(section.body for section in sections)
    prose = "\n".join(paragraph for section in sections for paragraph in paragraphs(section.body)).lower()
    common = common_stems(sections, language)
    questions = [
        GeneratedQuestion(
            _definition_question(article, term, phrasing), phrasing.lowered(term), (section.place,), (fact,)
        )
        for section in sections
        for article, term, fact in _definitions(section)
        if _is_name(term, phrasing, prose) and not set(content_stems(term, language)) <= common
    ]
    return [
        question for question in merge_by_subject(questions, language) if len(question.places) <= _MOST_PLACES
    ]


def _is_name(term: str, phrasing: Phrasing, prose: str) -> bool:
    """Whether the book uses the term elsewhere, as a noun."""
    if term.isupper() or " " in term:
        return prose.count(term.lower()) >= _LEAST_USES
    return phrasing.is_noun(term)


def _definition_question(article: str, term: str, phrasing: Phrasing) -> str:
    return f"What is {article.lower()} {phrasing.lowered(term)}?" if article else phrasing.what_is(term)


def _definitions(section: BookSection) -> Iterator[tuple[str, str, str]]:
    """The article if it is `a` or `an`, the term, and the sentence that defines it."""
    for paragraph in paragraphs(section.body):
        for span in sentences(paragraph):
            sentence = paragraph[span.start : span.end].strip()
            match = _definition(sentence, is_glossary=bool(_GLOSSARY.fullmatch(section.title)))
            if match and _stands_alone(sentence) and _is_term(term := plain(match["term"]).strip(" :.,")):
                article = (match["article"] or "").strip()
                yield ("" if article == "The" else article), term, plain(sentence)


def _stands_alone(sentence: str) -> bool:
    """`Physics is the study of those questions` cannot be understood without the text before it."""
    return not sentence.endswith(":") and not _REFERS_BACK.search(sentence)


def _definition(sentence: str, *, is_glossary: bool) -> re.Match[str] | None:
    if marked := _MARKED_TERM.match(sentence):
        meaning = plain(sentence[marked.end() :])
        is_label = marked[0].rstrip("*_ ").endswith(_LABEL_ENDS) and not is_glossary
        explains = not is_label or _EXPLAINS.match(meaning)
        return marked if explains and len(meaning.split()) >= _LEAST_EXPLANATION else None
    # A variable name is not a term.
    if not _MAY_DEFINE.search(sentence) or _VARIABLE.match(sentence):
        return None
    return _DEFINES.match(plain(sentence))


def _is_term(term: str) -> bool:
    term_words = term.lower().split()
    if not 1 <= len(term_words) <= _MOST_WORDS or len(term) < 3 or is_generic(term):
        return False
    return not any(word in _NOT_IN_TERMS for word in term_words) and not term[0].isdigit() and "," not in term


# Questions from sentences that say how many, how much or how long.

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
_IS_NUMBER = re.compile(
    rf"(?P<subject>The(?: [\w'’-]+){{2,5}}?) (?P<verb>is) {_ABOUT}{_NUMBER}(?: {_UNIT})?[.,;]?(?!\S)"
)
_NO_SUBJECT_STARTS = frozenset(
    ["suppose", "assume", "imagine", "say", "let", "give", "take", "note", "make", "use"]
)
_BASES = {"has": "have", "is": "is", "are": "are"}


def number_questions(sections: Sequence[BookSection], language: str) -> list[GeneratedQuestion]:
    """`How many nights does a tin last?`; English only. Skips numbers that the book states differently."""
    if language != "english":
        return []
    phrasing = Phrasing.of(section.body for section in sections)
    questions = [
        GeneratedQuestion(text, subject, (section.place,), (fact,))
        for section in sections
        for paragraph in paragraphs(section.body)
        for span in sentences(paragraph)
        for text, subject, fact in _number_question(plain(paragraph[span.start : span.end]), phrasing)
    ]
    return [question for question in merge_by_subject(questions, language) if len(question.facts) == 1]


def _number_question(sentence: str, phrasing: Phrasing) -> list[tuple[str, str, str]]:
    """The question, its subject, and the words that answer it."""
    match = _MEASURES.match(sentence) or _COUNTS.match(sentence) or _IS_NUMBER.match(sentence)
    if not match or not _is_complete_subject(match["subject"]):
        return []
    first, _, rest = match["subject"].partition(" ")
    subject = f"{phrasing.lowered(first)} {rest}".strip()
    unit = match["unit"] or ""
    return [(_number_question_text(match, subject, unit), subject, f"{match['number']} {unit}".strip())]


def _number_question_text(match: re.Match[str], subject: str, unit: str) -> str:
    verb = match["verb"]
    if "how" in match.re.groupindex:
        return f"How {match['how']} {verb} {subject}?"
    if match.re is _IS_NUMBER:
        return f"What is {subject}?"
    first, _, rest = verb.partition(" ")
    base = _BASES.get(first) or first.removesuffix("s")
    auxiliary = "does" if first.endswith("s") else "do"
    return f"How many {unit} {auxiliary} {subject} {base}{f' {rest}' if rest else ''}?"


def _is_complete_subject(subject: str) -> bool:
    """`The function` refers to something before; `the main function` and `a function` do not."""
    article, *subject_words = subject.lower().replace("’", "'").split()
    if article not in ("a", "an", "the", "each", "every"):
        subject_words = [article, *subject_words]
    if article == "the" and len(subject_words) < 2:
        return False
    if (
        any(word[0].isdigit() for word in subject_words)
        or re.fullmatch(_NUMBER, subject_words[0])
        or subject_words[0] in _NO_SUBJECT_STARTS
    ):
        return False
    return not any(word in LEANS | NO_SUBJECTS | EMPTY_WORDS - {"of", "for", "in"} for word in subject_words)
