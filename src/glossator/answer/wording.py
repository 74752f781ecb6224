"""All fixed sentences that a reader may see, in the reader's language; `wording.toml` is their table.

The language is that of the question, or else one that the reader's browser accepts, or else English. It is
chosen once for each answer (`in_readers_language`) and holds for everything that is said in it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from contextvars import ContextVar
from functools import cache
from importlib.resources import files

from glossator.model import Event
from glossator.text.languages import question_language
from glossator.text.markdown import escape
from glossator.text.words import words

_ENGLISH = "en"

ACCEPTED_LANGUAGES: ContextVar[str] = ContextVar("glossator_accepted_languages", default="")
"""The `Accept-Language` header of the request."""

_LANGUAGE: ContextVar[str] = ContextVar("glossator_language", default=_ENGLISH)


async def in_readers_language(events: AsyncGenerator[Event], question: str) -> AsyncGenerator[Event]:
    """The events of an answer, with the fixed sentences in the reader's language."""
    language = readers_language(question, ACCEPTED_LANGUAGES.get())
    async with aclosing(events):
        while True:
            # Set for each event: the consumer may take every one in a task of its own.
            token = _LANGUAGE.set(language)
            try:
                event = await anext(events)
            except StopAsyncIteration:
                return
            finally:
                _LANGUAGE.reset(token)
            yield event


def chosen_language() -> str:
    """The code of the language of the answer that is being made."""
    return _LANGUAGE.get()


def readers_language(question: str, accepted: str = "") -> str:
    """The code of a language that the fixed sentences have."""
    asked = question_language(words(question.lower()))
    wanted = [asked] if asked else _by_preference(accepted)
    return next((code for code in wanted if code in languages()), _ENGLISH)


def languages() -> Sequence[str]:
    """Codes of the languages that every fixed sentence has."""
    return list(table()["this_book"])


_LONGEST_HEADER = 200
_ACCEPTED = re.compile(r"\s*([a-z]{2,3})(?:-[\w-]*)?\s*(?:;\s*q=([01](?:\.\d{0,3})?))?\s*", re.IGNORECASE)


def _by_preference(accepted: str) -> list[str]:
    """Codes of an `Accept-Language` header, most wanted first."""
    matches = filter(None, map(_ACCEPTED.fullmatch, accepted[:_LONGEST_HEADER].split(",")))
    weighted = [(match[1].lower(), float(match[2] or 1)) for match in matches]
    return [code for code, weight in sorted(weighted, key=lambda pair: -pair[1]) if weight]


@cache
def table() -> Mapping[str, Mapping[str, str]]:
    """Every sentence by its name and by the code of its language."""
    return tomllib.loads(files("glossator.answer").joinpath("wording.toml").read_text("utf-8"))


def _text(name: str, **parts: object) -> str:
    translations = table()[name]
    return translations.get(_LANGUAGE.get(), translations[_ENGLISH]).format(**parts)


def greeting(book: str) -> str:
    return _text("greeting", book=_titled(book))


def thanks(book: str) -> str:
    return _text("thanks", book=_titled(book))


def needs_more_words(book: str) -> str:
    return _text("needs_more_words", book=_titled(book))


def not_in_book(book: str) -> str:
    return _text("not_in_book", book=_titled(book))


def no_more(book: str) -> str:
    return _text("no_more", book=_titled(book))


def nearest(place: str, sentence: str) -> str:
    """Both arguments are Markdown."""
    return _text("nearest", place=place, sentence=sentence)


def also_in_book() -> str:
    """The line above what other sections say beside the answer, as Markdown."""
    return f"*{_text('also_in_book')}*"


def link(title: str, url: str) -> str:
    address = url.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
    return f"[{escape(title)}]({address})" if address else f"*{escape(title)}*"


def taken_as(question: str) -> str:
    return _text("taken_as", question=question)


def part_not_found(part: str) -> str:
    return _text("part_not_found", part=part)


def sentences_that_stand(stand: int, written: int, *, in_book: bool) -> str:
    name = "sentences_in_book" if in_book else "sentences_in_selection"
    return _text(name, stand=stand, written=written)


def no_such_chapter(part: str, book: str) -> str:
    return _text("no_such_chapter", part=escape(part), book=_titled(book))


def in_short(name: str) -> str:
    return _text("in_short", book=_titled(name))


def abilities(book: str) -> str:
    return _text("abilities", book=_titled(book))


def chapters_of(book: str) -> str:
    return _text("chapters_of", book=_titled(book))


def pages_of(titles: Sequence[str]) -> str:
    """`titles` are the chapters whose pages follow."""
    return _text("pages_of", chapters=_text("and").join(f"*{title}*" for title in titles))


def and_more(count: int) -> str:
    return _text("one_more") if count == 1 else _text("more", count=count)


def _titled(book: str) -> str:
    return f"*{escape(book)}*" if book.strip() else _text("this_book")


def ask_in_its_language() -> str:
    return _text("ask_in_its_language")


def caution(*, in_book: bool) -> str:
    return _text("caution" if in_book else "caution_on_selection")


def fallback() -> str:
    return _text("fallback")


def not_in_selection() -> str:
    return _text("not_in_selection")


# In English always: marks that are searched for in stored answers, and a line of the command line.

NOT_FOUND = "*(not found in the book)*"
"""The note after a sentence that failed its check but is shown."""

IN_PART = "*(only in part in the book)*"
"""The note after a sentence that the book supports only in part."""

NEAREST_SECTIONS = "These sections are the nearest in subject; they may not answer the question:"
