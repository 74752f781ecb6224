"""As much of a page as tells where it stands; the rest is read when somebody opens it."""

from __future__ import annotations

from itertools import pairwise

from markdown_it.token import Token

from glossator.ingest.check.pages import BookPage
from glossator.ingest.front_matter import body_start, front_matter
from glossator.ingest.page import dialect_of, headings_of
from glossator.ingest.parse import Dialect, Document, markdown, parse
from glossator.ingest.read import PageFile
from glossator.ingest.site import Heading, PageFacts, Site


def head(file: PageFile, site: Site) -> PageFacts:
    """Its front matter and its title: parsing no more is ten times as fast."""
    return PageFacts(file.path, front_matter(file.text), _title(file.text, dialect_of(file.path, site)))


def unopened(facts: PageFacts) -> BookPage:
    """A page that links may lead to, though its text was not read."""
    document = Document(facts.front_matter, ())
    return BookPage(facts.path, "", document, facts.headings, tokens=(), references={}, first_line=1)


def _title(text: str, dialect: Dialect) -> list[Heading]:
    md = markdown(dialect)
    body = text[body_start(text) :].replace("\r\n", "\n").replace("\r", "\n")
    tokens = list[Token]()
    md.block.parse(body, md, {}, tokens)
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.tag == "h1" and inline.content:
            return headings_of(parse(f"# {' '.join(inline.content.split())}", dialect))
    return []
