"""What stands around an answer: suggestions, marks, who wrote it, code and wide tables."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from support.dictated_server import DictatedServer, answer_of, citation_of, dictated, told
from support.widget_reader import Reader

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,"><title>A book</title><body><main><h1>A book</h1></main>
<script type="module" src="/widget.js"></script></body></html>"""
WIDE = f"| {' | '.join('abcdefghij')} |\n{'| --- ' * 10}|\n| {' | '.join(['unbreakable'] * 10)} |"
PLACES = [citation_of(1, "/page", "One."), citation_of(2, "/other", "Two.", "Another section")]

Tell = Callable[..., Reader]


@pytest.fixture
def tell(page: Page) -> Generator[Tell]:
    """A reader who asked, and was told this."""
    with _telling(page) as told_reader:
        yield told_reader


@contextmanager
def _telling(page: Page) -> Generator[Tell]:
    answers = list[Any]()
    with dictated({"/page": PAGE}, _taken(answers)) as server:

        def tell(texts: Sequence[str], questions: Sequence[str] = (), **said: Any) -> Reader:
            answers.append(told({**answer_of(texts, PLACES), **said}))
            return _asked(page, server, questions)

        yield tell


def _taken(answers: list[Any]) -> Generator[Any]:
    while True:
        yield answers.pop(0)


def _asked(page: Page, server: DictatedServer, questions: Sequence[str]) -> Reader:
    server.questions = questions
    page.goto(f"{server.url}/page")
    reader = Reader(page)
    reader.open()
    reader.ask("What does it say?")
    expect(reader.panel.locator(".verdict")).to_be_visible()
    return reader


def test_an_empty_panel_has_the_books_title_its_shortcut_and_questions_to_begin_with(page: Page):
    with dictated({"/page": PAGE}, [told(answer_of(["Yes. [1]"], PLACES))]) as server:
        server.questions = ["What is a node?", "What is a topic?"]
        page.goto(f"{server.url}/page")
        reader = Reader(page)
        reader.open()
        expect(reader.panel.locator("header")).to_contain_text("A book")
        expect(reader.panel.locator("kbd")).to_have_text("Ctrl K")
        reader.control("What is a topic?").click()
        expect(reader.turns.get_by_role("heading", name="What is a topic?")).to_be_visible()


def test_the_pages_own_topics_come_before_the_servers_questions(page: Page):
    pages = {"/page": PAGE.replace('src="/widget.js"', 'src="/widget.js" data-topics="Ours?"')}
    with dictated(pages) as server:
        server.questions = ["Theirs?"]
        page.goto(f"{server.url}/page")
        reader = Reader(page)
        reader.open()
        expect(reader.panel.locator("header")).to_contain_text("A book")
        expect(reader.control("Ours?")).to_be_visible()
        expect(reader.control("Theirs?")).to_have_count(0)


def test_below_the_last_answer_stand_questions_that_were_not_asked_yet(tell: Tell):
    reader = tell(["Yes. [1]"], ["What does it say?", "What comes next?"])
    expect(reader.turns.locator(".next button")).to_have_text(["What comes next?"])


def test_sentences_that_cite_the_same_places_share_one_mark(tell: Tell):
    reader = tell(
        [
            "One. [1]",
            " Two. [1]",
            " Three. [2]",
            "\n\nThese are: [1]",
            "\n\n- a [1]",
            "\n- b [1]",
            "\n- c [1] [2]",
        ]
    )
    answer = reader.turns.locator(".answer")
    assert answer.locator("> p").all_inner_texts() == ["One. Two.\xa01 Three.\xa02", "These are:"]
    assert [text.split() for text in answer.locator("li").all_inner_texts()] == [
        ["a"],
        ["b", "1"],
        ["c", "1", "2"],
    ]
    expect(answer.locator("button.mark")).to_have_count(5)


def test_a_half_supported_sentence_is_marked_and_the_writer_named(tell: Tell):
    texts = ["It is so. [1]", " It *may* be so. [2]", "\n\n- It could be. [1]"]
    verdicts = ["supported", "partly", "partly"]
    claims = [
        {"text": text, "verdict": verdict, "citations": [1]}
        for text, verdict in zip(texts, verdicts, strict=True)
    ]
    reader = tell(texts, claims=claims, writer="language_model", model="gpt-9")
    half = reader.turns.locator(".answer .half")
    expect(half).to_have_text(["It may be so.", "It could be."])
    expect(half.first).to_have_attribute("title", "The book carries this only in part")
    expect(reader.turns.locator(".foot")).to_contain_text(
        "Written by gpt-9 from the book, 1 of 3 sentences checked"
    )


def test_an_extractive_answer_is_said_to_be_the_books_own_words(tell: Tell):
    reader = tell(["It is so. [1]"], writer="extractive", model="extractive")
    expect(reader.turns.locator(".foot")).to_contain_text("Composed from the book’s own sentences")
    expect(reader.turns.locator(".answer .half")).to_have_count(0)


def test_code_is_coloured_and_copied_as_it_is(tell: Tell, context: BrowserContext):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    code = "def f(x):  # why\n    return 'a' + str(12)"
    reader = tell([f"So: [1]\n\n```python\n{code}\n```"])
    figure = reader.turns.locator("figure")
    expect(figure.locator(".k")).to_have_text(["def", "return"])
    expect(figure.locator(".c")).to_have_text(["# why"])
    expect(figure.locator(".s")).to_have_text(["'a'"])
    expect(figure.locator(".n")).to_have_text(["12"])
    figure.get_by_role("button", name="Copy").click()
    expect(reader.spoken).to_contain_text("Copied")
    assert reader.page.evaluate("navigator.clipboard.readText()") == code


@pytest.mark.parametrize("width", [390, 1280])
def test_a_table_that_is_too_wide_says_that_there_is_more(page: Page, tell: Tell, width: int):
    page.set_viewport_size({"width": width, "height": 800})
    reader = tell([f"{WIDE}\n\n[1]", "\n\n| a |\n| --- |\n| b |\n\n[2]"])
    hints = reader.turns.get_by_text("Swipe for the rest of the table")
    expect(hints).to_have_count(2)
    expect(hints.nth(0)).to_be_visible()
    expect(hints.nth(1)).to_be_hidden()


def test_a_table_that_another_answer_replaces_leaves_no_error_on_the_page(page: Page):
    failed = {"type": "about:blank", "title": "", "status": 500, "code": "internal", "retryable": False}
    begun = told(answer_of([WIDE], PLACES))[:-1]
    answers = [[*begun, ("error", failed)], told(answer_of(["No table. [1]"], PLACES))]
    errors = list[str]()
    page.on("pageerror", lambda error: errors.append(str(error)))
    with dictated({"/page": PAGE}, answers) as server:
        page.goto(f"{server.url}/page")
        reader = Reader(page)
        reader.open()
        reader.ask("What does it say?")
        expect(reader.turns.get_by_text("Swipe for the rest of the table")).to_be_visible()
        reader.turns.get_by_role("button", name="Ask again").click()
        expect(reader.turns).to_contain_text("No table.")
        page.evaluate("() => new Promise(shown => requestAnimationFrame(() => requestAnimationFrame(shown)))")
    assert errors == []
