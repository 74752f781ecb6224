"""Questions made from the sentences that say what something is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from glossator.answer.ask_itself.phrase import Phrasing, is_generic
from glossator.answer.ask_itself.sections import BookSection, common_stems, paragraphs
from glossator.answer.ask_itself.self_question import SelfQuestion, joined
from glossator.answer.ask_itself.word_lists import NO_SUBJECTS
from glossator.answer.route.grammar import FUNCTION_WORDS, LEANING_WORDS
from glossator.answer.weigh import asked_for
from glossator.text.inline import plain
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


def definition_questions(sections: Sequence[BookSection], language: str) -> list[SelfQuestion]:
    """What is meant by each term that a sentence of the book defines; English only."""
    if language != "english":
        return []
    phrasing = Phrasing.of(section.body for section in sections)
    common = common_stems(sections, language)
    questions = [
        SelfQuestion(_asked(article, term, phrasing), phrasing.lowered(term), (section.place,), (fact,))
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
