"""Five hundred answers that try to run a script, to load something, or to lead a reader away.

`GLOSSATOR_TEST_HOSTILE=250 GLOSSATOR_TEST_BATCH=3` tries the fourth 250 of them; there is no last one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Dialog, Page, expect

from support.bundled_markdown import bundled_markdown
from support.dictated_server import DictatedServer, Event, answer_of, citation_of, dictated, told
from support.hostile_answers import CODE, EVIL, HTML, URLS, Hostile, hostile_answers
from support.proof_size import BATCH, repeats

ANSWERS = hostile_answers(repeats("HOSTILE", 500), BATCH)
AT_ONCE = 20

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>A book</title>
<body><main><h1>A book</h1><p>Its words.</p></main>{script}</body></html>"""
SCRIPT = '<script type="module" src="/widget.js"></script>'
HEADERS = {
    # It forbids nothing, so what a page should not do is done, and told of as well.
    "Content-Security-Policy-Report-Only": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'; report-uri /violation"
    )
}
WATCH = (Path(__file__).parent / "hostile_watch.js").read_text("utf-8")

PLAIN = "b blockquote br code del em h3 h4 h5 h6 hr i kbd li mark p pre s small strong sub sup table tbody td th thead tr u ul"
OF_TEXT = {
    **{name: [] for name in PLAIN.split()},
    "a": ["href"],
    "figure": ["class", "data-language"],
    "ol": ["start"],
    "span": ["class"],
}
"""What the renderer may make, with the attributes that it may give."""
OF_WIDGET = {
    "p": ["class", "hidden"],
    "pre": ["tabindex"],
    "div": ["class", "tabindex"],
    "button": ["class", "type", "data-n", "aria-label", "aria-describedby", "title", "hidden"],
    "svg": ["viewBox", "class", "aria-hidden"],
    "path": ["d", "class"],
}
"""What the widget adds to it."""


class Watched:
    """A page, and what it does that it should not."""

    def __init__(self, context: BrowserContext):
        self.page = context.new_page()
        self.did: list[str] = []
        self.asked: set[str] = set()
        self.page.on("dialog", self._dismiss)
        self.page.on("download", lambda download: self.did.append(f"download {download.url}"))
        self.page.on("pageerror", lambda error: self.did.append(f"error {error}"))
        self.page.on("framenavigated", lambda frame: self.did.append(f"went to {frame.url}"))
        context.on("page", lambda other: self.did.append(f"window {other.url}"))
        context.on("request", lambda request: self.asked.add(request.url))

    def open(self, server: DictatedServer) -> Page:
        self.page.goto(server.url)
        self.begin()
        return self.page

    def begin(self) -> None:
        """What came before, such as the page itself, was wanted."""
        self.did.clear()
        self.asked.clear()
        self.page.evaluate(f"([ofText, ofWidget]) => {WATCH.strip()}(ofText, ofWidget)", [OF_TEXT, OF_WIDGET])

    def did_nothing_but_ask(self, server: DictatedServer, *paths: str) -> None:
        # What was begun before this is heard of before it ends.
        self.page.evaluate("async () => { await fetch('/'); }")
        assert self.page.evaluate("watch.did") == []
        assert self.did == []
        assert server.strays == []
        paths_asked = {url.removeprefix(server.url).partition("?")[0] for url in self.asked}
        assert paths_asked - {"/v1/questions"} == {"/", *paths}

    def _dismiss(self, dialog: Dialog) -> None:
        self.did.append(f"dialog {dialog.message}")
        dialog.dismiss()


@pytest.fixture
def watched(context: BrowserContext) -> Watched:
    return Watched(context)


def test_every_vector_is_among_the_five_hundred():
    answers = hostile_answers(500)
    said = "\n".join(answer.text for answer in answers)
    assert len({answer.text for answer in answers}) > 490
    missing = [form for form in (*HTML, *URLS) if form.format(code=CODE, evil=EVIL) not in said]
    assert missing == []


def test_the_renderer_makes_only_what_is_on_its_list(watched: Watched, tmp_path: Path, counted: Counter[str]):
    """Also where it is told that every link may be followed."""
    with dictated({"/": PAGE.format(script="")}, headers=HEADERS) as server:
        page = watched.open(server)
        page.evaluate(bundled_markdown(tmp_path))
        assert page.evaluate("answers => watch.render(answers)", [answer.claims for answer in ANSWERS]) == []
        watched.did_nothing_but_ask(server)
    counted["answers rendered"] += len(ANSWERS)


def test_the_widget_shows_them_all_and_nothing_happens(watched: Watched, counted: Counter[str]):
    """In questions, sentences, quotes, titles, addresses and failures; cut anywhere, and every place looked at."""
    answers = [_events(answer) for answer in ANSWERS]
    with dictated({"/": PAGE.format(script=SCRIPT)}, answers, HEADERS) as server:
        page = watched.open(server)
        for begin in range(0, len(ANSWERS), AT_ONCE):
            batch = [_asked(answer) for answer in ANSWERS[begin : begin + AT_ONCE]]
            assert page.evaluate("batch => watch.ask(batch)", batch) == []
            assert page.evaluate("watch.offences()") == []
            assert page.evaluate("watch.beginAnew()") == 0
        assert next(server.answers, None) is None
        watched.did_nothing_but_ask(server, "/v1/ask")
    counted["answers shown in the widget"] += len(ANSWERS)


def test_a_conversation_that_comes_back_is_as_harmless(watched: Watched):
    with dictated({"/": PAGE.format(script=SCRIPT)}, [_events(ANSWERS[0])], HEADERS) as server:
        server.exchanges = [
            {"question": answer.question, "selection": answer.text, "answer": _answer(answer)}
            for answer in ANSWERS[::10]
        ]
        page = watched.open(server)
        assert page.evaluate("batch => watch.ask(batch)", [_asked(ANSWERS[0])]) == []
        page.reload()
        expect(page.locator("glossator-chat article")).to_have_count(len(server.exchanges))
        watched.begin()
        assert page.evaluate("watch.offences()") == []
        watched.did_nothing_but_ask(server)


def _asked(answer: Hostile) -> Mapping[str, Any]:
    return {"question": answer.question, "isAnswered": not answer.is_failure}


def _events(answer: Hostile) -> Sequence[Event]:
    words, url = answer.places[0].words, answer.places[0].url
    hit = {
        "chunk_id": words,
        "page": words,
        "chapter": words,
        "section": words,
        "url": url,
        "similarity": 0.9,
    }
    events = told(_answer(answer), [hit])
    return [*events[:-1], ("error", _problem(words))] if answer.is_failure else events


def _answer(answer: Hostile) -> Mapping[str, Any]:
    about = {"disclaimer": answer.disclaimer, "writer": answer.places[0].words}
    if answer.is_refusal:
        near = [{"title": place.words, "url": place.url, "chunk_id": place.words} for place in answer.places]
        return answer_of(answer.claims, [], outcome="not_in_book", suggestions=near, **about)
    return answer_of(
        answer.claims,
        [citation_of(place.n, place.url, place.words, place.words) for place in answer.places],
        **about,
    )


def _problem(words: str) -> Mapping[str, Any]:
    said = {"type": words, "title": words, "detail": words, "trace_id": words, "errors": []}
    return {"status": 500, "code": "internal", "retryable": False, "retry_after": None, **said}
