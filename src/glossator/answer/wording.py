"""All fixed sentences that a reader may see; none says anything about the book's content."""

from __future__ import annotations

from collections.abc import Sequence

from glossator.text.markdown import escape


def greeting(book: str) -> str:
    return f"Hello! Ask me anything about {_titled(book)}. I answer from its pages and show where it stands."


def thanks(book: str) -> str:
    return f"You are welcome! Ask again whenever something in {_titled(book)} is unclear."


def needs_more_words(book: str) -> str:
    return (
        f"I could not tell what you would like to know from {_titled(book)}. "
        "Please ask with a few more words, as a whole question."
    )


def not_in_book(book: str) -> str:
    return f"I could not find an answer to this in {_titled(book)}."


def no_more(book: str) -> str:
    return f"I found nothing further about this in {_titled(book)} than what I have told you."


ASK_IN_ITS_LANGUAGE = (
    "Your question does not seem to be in the language of this book. In that language it may find more."
)

ASK_IN_ITS_LANGUAGE_URDU = (
    "مجھے اس کتاب میں اس کا جواب نہیں ملا۔ "
    "آپ کا سوال کتاب کی زبان میں نہیں ہے؛ براہِ کرم کتاب کی زبان میں پوچھیں۔"
)


def nearest(place: str, sentence: str) -> str:
    """Both arguments are Markdown."""
    return f"Nearest to it, in {place}, it says: “{sentence}”"


def link(title: str, url: str) -> str:
    address = url.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
    return f"[{escape(title)}]({address})" if address else f"*{escape(title)}*"


def taken_as(question: str) -> str:
    return f"Taken as: “{question}”"


def part_not_found(part: str) -> str:
    return f"I did not find this part of your question in the book: “{part}”"


def sentences_that_stand(stand: int, written: int, *, in_book: bool) -> str:
    return f"{stand} of {written} sentences stand in the {'book' if in_book else 'selection'}."


NOT_IN_SELECTION = (
    "The text you selected does not answer this. Would you like me to search the whole book instead?"
)

CAUTION = "This may not be the whole answer: please read the cited places before you rely on it."

CAUTION_ON_SELECTION = "This may not be the whole answer: please read the cited words before you rely on it."

FALLBACK = "The language model could not be reached, so this is put together from the book's own sentences."

NOT_FOUND = "*(not found in the book)*"
"""After a sentence that failed its check but is shown."""

IN_PART = "*(only in part in the book)*"
"""After a sentence that the book supports only in part."""

NEAREST_SECTIONS = "These sections are the nearest in subject; they may not answer the question:"


def no_such_chapter(part: str, book: str) -> str:
    return f"There is no {escape(part)} in {_titled(book)}. These are its chapters:"


def in_short(name: str) -> str:
    return f"{_titled(name)} in short, in its own words:"


def abilities(book: str) -> str:
    return (
        f"I answer questions about {_titled(book)} from its own pages, and show where each sentence stands. "
        "Ask about anything in it, in your own words, and go on asking; ask for the gist of a chapter or a "
        "section; or mark words on a page and ask about them. What the book does not say, I do not know."
    )


def chapters_of(book: str) -> str:
    return f"These are the chapters of {_titled(book)}, in reading order:"


def pages_of(titles: Sequence[str]) -> str:
    """`titles` are the chapters whose pages follow."""
    named = " and ".join(f"*{title}*" for title in titles)
    return f"These are the pages of {named}, in reading order:"


def and_more(count: int) -> str:
    return f"There {'is' if count == 1 else 'are'} {count} more."


def _titled(book: str) -> str:
    return f"*{escape(book)}*" if book.strip() else "this book"
