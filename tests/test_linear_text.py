"""Whatever reads text from outside takes time in proportion to the text, also to the worst that can be sent.

No time is asserted, only growth: ten times the text may take forty times the time and no more.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from glossator.adapters.crawl.crawl import decoded
from glossator.adapters.crawl.fetch import Fetched
from glossator.adapters.crawl.store import file_name
from glossator.adapters.index.bm25 import WordWeights
from glossator.adapters.writers.answer_text import AnswerText
from glossator.adapters.writers.prompt import Mark, rewrite_messages
from glossator.answer.assemble import Assembler
from glossator.answer.conclude import Trace, fixed_answer
from glossator.answer.result_cache import normalized
from glossator.answer.route import choose_route, rewrite
from glossator.answer.sanitize import sanitize
from glossator.answer.stream import CheckedStream, Unsupported
from glossator.answer.validate import validate
from glossator.answer.verify import Verifier
from glossator.cli.show_markdown import MarkdownPrinter
from glossator.errors import PageUnreadable
from glossator.exam.run import says_one_of
from glossator.ingest.discover import PageFile
from glossator.ingest.front_matter import front_matter
from glossator.ingest.html.markdown import html_page
from glossator.ingest.includes import resolve_includes
from glossator.ingest.notebook import notebook_page
from glossator.ingest.page import process_page
from glossator.ingest.pdf import Entry, Pdf, markdown_of
from glossator.ingest.sites import Heading, site_of
from glossator.ingest.sites.config_file import matches_any
from glossator.ingest.sites.docusaurus.javascript import exported_value
from glossator.ingest.sites.mdbook import anchors_of as mdbook_anchors
from glossator.ingest.sites.mdbook import entries_of
from glossator.ingest.sites.mkdocs import Slug
from glossator.ingest.sites.mkdocs import anchors_of as mkdocs_anchors
from glossator.ingest.sites.sphinx.documents import scan
from glossator.ingest.sites.sphinx.myst import is_myst
from glossator.ingest.sites.sphinx.mystmd import anchors_of as mystmd_anchors
from glossator.lint import check
from glossator.lint.findings import front_matter_fault
from glossator.model import Answer, Brief, Claim, Contract, Exchange, Outcome, Owner, Question, Verdict
from glossator.preview import SiteOptions
from glossator.preview.live import LiveBook
from glossator.preview.renderer import FenceInfo, code_figure, formula
from glossator.question_generation.definitions import definition_questions, number_questions
from glossator.question_generation.headings import heading_questions
from glossator.question_generation.sections import (
    BookSection,
    SectionPlace,
    code_blocks,
    first_sentence,
)
from glossator.question_generation.tables import table_questions
from glossator.testing import WordEmbedder, WordReader
from glossator.text.markdown import clean, code_titles, escape, plain
from glossator.text.sentences import sentences
from glossator.text.words import content_stems, stems
from glossator.web.auth.address import Addresses, is_loopback_origin
from glossator.web.auth.tokens import Subject, Tokens
from glossator.web.contract import text_of
from glossator.web.contracts.openai import CompletionRequest, without_sources
from glossator.web.dashboard.pages import answer_pieces as words_shown
from glossator.web.middleware.log import Redaction
from glossator.web.sse import frame
from glossator.web.trace import parse_traceparent
from support.linear_growth import SIZES, Read, Size, out_of_proportion

TOKEN = 4
"""Characters of a piece that a language model sends."""
EXAMPLE = "Can you give an example of the first one, and what is it?"


def asked(question: str, answer: str) -> tuple[Exchange, ...]:
    return (Exchange(question, answer),)


def follow_up(question: str, history: tuple[Exchange, ...]) -> object:
    return rewrite(question, history)


def conversation(answer: str) -> Question:
    messages = [
        {"role": "user", "content": "What is a topic?"},
        # As long as a message may be.
        {"role": "assistant", "content": answer[:32_000]},
        {"role": "assistant", "content": answer[32_000:64_000]},
        {"role": "assistant", "content": answer[64_000:96_000]},
        {"role": "user", "content": EXAMPLE},
    ]
    return validate(CompletionRequest.model_validate({"model": "m", "messages": messages}).to_question())


def heard(text: str) -> list[str]:
    """What a language model says, token by token, as sentences."""
    answer, assembler = AnswerText("0123456789abcdef"), Assembler()
    told = list[str]()
    for begin in range(0, len(text), TOKEN):
        told += assembler.feed(answer.feed(text[begin : begin + TOKEN]))
    return [*told, *assembler.feed(answer.end_turn() + answer.end()), *assembler.end()]


def answered(text: str) -> Answer:
    claim = Claim(f"{text} [1][2]", Verdict.SUPPORTED, (1, 2))
    return replace(fixed_answer(text, Outcome.ANSWERED, Trace()), claims=(claim,))


def said_again(text: str) -> list[bool]:
    """An answer in sentences of a hundred characters, all of them in the last one, which is as long as a message may be."""
    words = " ".join(text[:32_000].split())
    verifier = Verifier(WordReader(), "english")
    stream, repeats = CheckedStream(Brief("", ()), verifier, Unsupported.DROP, last=words), list[bool]()
    for begin in range(0, len(words), 100):
        stream.claims.append(Claim(words[begin : begin + 100], Verdict.SUPPORTED, ()))
        repeats.append(stream.repeats)
    return repeats


def section(body: str) -> BookSection:
    return BookSection(SectionPlace("a.md", body, "/a", 0, len(body)), "A", (body,), body)


READERS: dict[str, Read] = {
    "a sentence, to be shown": clean,
    "a sentence, as words": plain,
    "words, as Markdown": escape,
    "the titles of code": lambda text: list(code_titles(f"```{text}")),
    "the sentences of a paragraph": sentences,
    "the stems of words": lambda text: stems(text, "english"),
    "a question's words": lambda text: content_stems(text, "english"),
    "a question's words for the index": WordWeights().of_question,
    "a question that repeats": normalized,
    "a question's way": lambda text: choose_route(Question(text, history=asked("a", "b"))),
    "a follow-up question": lambda text: follow_up(text, asked("What is a topic?", "A **topic** is it [1].")),
    "the question before": lambda text: follow_up(EXAMPLE, asked(text, "A topic [1].")),
    "the answer before": lambda text: follow_up(EXAMPLE, asked("What is a topic or a node?", text)),
    "the cited answer before": lambda text: follow_up(EXAMPLE, asked("What is a topic?", f"{text} [1]")),
    "a conversation that is sent along": conversation,
    "a conversation for a language model": lambda text: rewrite_messages("a", asked("b", text), Mark()),
    "the sources below an answer": lambda text: without_sources(f"a\n\n**Sources**\n\n{text}"),
    "what a language model says": heard,
    "what a language model says in code": lambda text: heard(f"```\n{text}"),
    "what may lead away from the book": lambda text: sanitize(text, ["A [link](https://a.example/b)."]),
    "what the evidence permits": lambda text: sanitize("A [link](https://a.example/b) <b>", [text]),
    "an answer that repeats the last": said_again,
    "an answer for a contract": lambda text: text_of(answered(text), {1: 2}),
    "an answer at the desk": lambda text: list(words_shown(answered(text))),
    "an answer on a terminal": lambda text: MarkdownPrinter(lambda told: None, 80).write(text),
    "the lines of a PDF": lambda text: markdown_of(Pdf("a", [text.split("\n")], {0: [Entry("b", 1)]})),
    "the charset of a page": lambda text: decoded(
        Fetched("", 200, {"content-type": "text/html"}, text.encode())
    ),
    "the address of a page": lambda text: file_name(f"https://a.example/{text}"),
    "a line of the log": Redaction(["only for us"]).redact,
    "an event": lambda text: frame(text.encode()),
    "a trace": lambda text: parse_traceparent(text.encode()),
    "a token": lambda text: Tokens(b"only for the tests").verify(
        text, Subject(text, Owner(text, text), Contract.NATIVE)
    ),
    "an origin": lambda text: is_loopback_origin(f"http://{text}"),
    "an address": lambda text: Addresses(["0.0.0.0/0"]).of(
        {"client": ("127.0.0.1", 1), "headers": [(b"x-forwarded-for", text.encode("latin-1", "replace"))]}
    ),
    "a section": lambda text: first_sentence(section(text)),
    "questions from definitions": lambda text: definition_questions([section(text)], "english"),
    "questions from tables": lambda text: table_questions([section(text)], "english"),
    "questions from numbers": lambda text: number_questions([section(text)], "english"),
    "the code of a section": code_blocks,
    "whether an answer says a fact": lambda text: says_one_of(text, ["40 crowns", text], "What?", "english"),
    "questions from headings": lambda text: heading_questions([section(text)], "english"),
    "anchors of mdBook": lambda text: mdbook_anchors([Heading(2, text, None)]),
    "anchors of MkDocs": lambda text: mkdocs_anchors([Heading(2, text, None)], Slug(), reads_custom_ids=True),
    "anchors of PyMdown": lambda text: mkdocs_anchors(
        [Heading(2, text, None)], Slug(is_pymdown=True), reads_custom_ids=True
    ),
    "same anchors": lambda text: [
        anchors([Heading(2, line, None) for line in text.split("\n")])
        for anchors in (
            mdbook_anchors,
            mystmd_anchors,
            lambda all_of: mkdocs_anchors(all_of, Slug(), reads_custom_ids=True),
        )
    ],
    "anchors of mystmd": lambda text: mystmd_anchors([Heading(2, text, None)]),
    "titles, labels and toctrees": lambda text: [
        scan(text.replace("a", mark), suffix)
        for suffix, mark in ((".md", "\n(a)=\n"), (".md", "\n```{toctree}\n"), (".rst", "\n.. toctree::\n"))
    ],
    "whether a page is MyST": lambda text: is_myst(text.replace("a", "\n```{a}\n")),
    "the fields of a page": lambda text: (
        front_matter_fault(f"---\n{text}\n---\n") or front_matter(f"---\n{text}\n---\n")
    ),
    "a path": lambda text: matches_any(text, ["*a*a*a*a*/**/**/*[*`/*{a*,*b}*/c"]),
    "a summary of mdBook": entries_of,
    "a configuration of Docusaurus": lambda text: exported_value(f"export default {{a: a, {text}"),
    "a formula": formula,
    "code to be coloured": lambda text: code_figure(text, FenceInfo.of(f"python {text[:4000]}")),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_reading_takes_time_in_proportion_to_the_text(read: Read, size: Size):
    assert out_of_proportion(read, size) == []


def test_a_pattern_that_begins_at_every_blank_is_found_out():
    found = out_of_proportion(re.compile(r"\s+$").search, Size.SHORT)
    assert "a run of ' '" in found
    assert "a" not in found


def test_a_search_for_an_end_that_is_missing_is_found_out():
    assert "[" in out_of_proportion(re.compile(r"\[[^\]]*\]").findall, Size.SHORT)


SITES = {
    "plain": {},
    "docusaurus": {"docusaurus.config.js": "export default {baseUrl: '/'}"},
    "mkdocs": {"mkdocs.yml": "site_name: A\n"},
}


@pytest.fixture(params=SITES)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Of a book of one page."""
    (tmp_path / "docs").mkdir()
    for name, text in SITES[request.param].items():
        (tmp_path / name).write_text(text)
    return tmp_path


ONE_SITE_USUALLY = [
    name if name == "docusaurus" else pytest.param(name, marks=pytest.mark.nightly) for name in SITES
]
"""What a page is made into is the same everywhere; each site's Markdown is read where its pages are checked."""


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("folder", ONE_SITE_USUALLY, indirect=True)
def test_a_page_is_cut_in_proportion_to_its_text(folder: Path, size: Size):
    site, embedder = site_of(folder), WordEmbedder()

    def read(text: str) -> object:
        return process_page(PageFile("docs/a.md", text, ""), site, embedder, "english")

    assert out_of_proportion(read, size) == []


@pytest.mark.parametrize("size", SIZES)
def test_a_page_is_checked_in_proportion_to_its_text(folder: Path, size: Size):
    def read(text: str) -> object:
        (folder / "docs" / "a.md").write_text(f"the of and to with for {text}", "utf-8")
        return check(folder, site_of(folder))

    assert out_of_proportion(read, size) == []


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("folder", ONE_SITE_USUALLY, indirect=True)
def test_a_page_is_shown_in_proportion_to_its_text(folder: Path, size: Size):
    def read(text: str) -> object:
        (folder / "docs" / "a.md").write_text(f"---\na: b\n---\n\n{text}", "utf-8")
        edition = LiveBook(folder, SiteOptions()).edition()
        assert edition.outline.first
        return edition.article(edition.outline.first)

    assert out_of_proportion(read, size) == []


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("config", "page"),
    [
        ("book.toml", "src/a.md"),
        ("mkdocs.yml", "docs/a.md"),
        ("conf.py", "a.md"),
        (".vitepress/config.ts", "a.md"),
    ],
    ids=["mdBook", "MkDocs", "MyST", "VitePress"],
)
def test_included_files_are_found_in_proportion_to_the_text(
    tmp_path: Path, config: str, page: str, size: Size
):
    for path in (tmp_path / config, tmp_path / page):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", "utf-8")
    (tmp_path / "conf.py").write_text("project = 'x'\nextensions = ['myst_parser']\n")
    site = site_of(tmp_path)

    def read(text: str) -> object:
        return [
            resolve_includes(PageFile(page, text.replace("a", mark), ""), tmp_path, site)
            for mark in (
                *("{{#include ", '\n--8<-- "', "\n<<< "),
                *("\n(a)=\n", "\n```{note}\n", "{ref}`", "{ref}`a`", "[](a)", "\na\n: b\n"),
                *("\n```{glossary}\na\n", "\n:::{a}\n---\n", "\n% a\n+++\n"),
            )
        ]

    assert out_of_proportion(read, size) == []


HTML = (
    "a", "<p>a", "<ul><li>a</ul>", "<table><td>a</table>", "<tr><td rowspan=9>a", "<b><p>a", "<section id=a><h2>a</h2></section>",
)  # fmt: skip


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("element", HTML)
def test_an_html_page_is_read_in_proportion_to_its_text(element: str, size: Size):
    def read(text: str) -> object:
        try:
            return html_page(PageFile("a.html", text.replace("a", element)[: len(text)], ""))
        except PageUnreadable as refusal:
            return refusal

    assert out_of_proportion(read, size) == []


@pytest.mark.parametrize("size", SIZES)
def test_a_notebook_is_read_in_proportion_to_its_text(size: Size):
    def read(text: str) -> object:
        cell = {"cell_type": "code", "source": text, "outputs": []}
        return notebook_page(
            PageFile("a.ipynb", json.dumps({"cells": [cell, {**cell, "cell_type": "raw"}]}), "")
        )

    assert out_of_proportion(read, size) == []
