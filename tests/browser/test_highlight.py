"""A click on a citation shows the cited words, on pages of every make."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from starlette.testclient import TestClient

from glossator.preview import SiteOptions, WidgetTag, preview
from support.browser_server import SAMPLE
from support.cited_pages import APP, DOCUSAURUS, MKDOCS, SHELL
from support.dictated_server import DictatedServer, answer_of, citation_of, dictated, told

PAGE = "/docs/page"
MARKED = """() => [...(CSS.highlights.get("glossator") ?? [])].join("…").replace(/\\s+/g, " ").trim()"""
HEIGHT = """() => [...CSS.highlights.get("glossator")][0].getBoundingClientRect().top / innerHeight"""
FOLLOWED = f"""(marks) => marks.map((mark) => {{ mark.click(); return ({MARKED})(); }})"""
PUBLISHER = "A lifecycle publisher silently drops messages unless the node is Active."


class Reader:
    """Has asked, and was told of words on this page."""

    def __init__(self, page: Page, server: DictatedServer):
        self.page = page
        self.server = server

    @property
    def marks(self) -> Locator:
        return self.page.locator("glossator-chat button.mark")

    def follow(self, number: int = 1) -> str:
        self.marks.nth(number - 1).click()
        return self.marked

    def follow_all(self) -> list[str]:
        return self.marks.evaluate_all(FOLLOWED)

    def text(self, words: str) -> Locator:
        return self.page.locator("main").get_by_text(words)

    @property
    def marked(self) -> str:
        return self.page.evaluate(MARKED)


Reads = Callable[..., AbstractContextManager[Reader]]


@pytest.fixture
def reads(chromium: Browser) -> Generator[Reads]:
    """A reader who wants no motion: what is scrolled is scrolled at once."""
    with chromium.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce") as context:
        yield lambda html, *quotes, **options: _reading(context.new_page(), html, quotes, **options)


@contextmanager
def _reading(page: Page, html: str, quotes: Sequence[str], url: str = PAGE) -> Generator[Reader]:
    citations = [citation_of(n, url, quote) for n, quote in enumerate(quotes, 1)]
    answer = answer_of(["Words. " + "".join(f"[{citation['n']}]" for citation in citations)], citations)
    with dictated({PAGE: html, "/docs/other": html}, [told(answer)]) as server:
        page.goto(server.url + PAGE)
        page.evaluate("document.querySelector('glossator-chat').ask('What is it?')")
        reader = Reader(page, server)
        expect(reader.marks).to_have_count(len(quotes))
        yield reader


def test_words_on_a_docusaurus_page_are_found_whatever_became_of_their_markdown(reads: Reads):
    quotes = [
        'A *lifecycle node*, also called a "managed node", has a state\nmachine -- see [the states](../x.md#a) and `rclcpp<Node>`.[^1]',
        "It computes its output from the error $e = q_d$ by three terms, and no more.",
        ":::warning[Mind the order]\n\nConfigure it before you **activate** it.\n\n:::",
        '```python\nimport rclpy\n\nnode = rclpy.create_node("listener")\n```',
        "| State | Publishes |\n|---|:--|\n| Inactive | nothing |\n| **Active** | all of it |",
        "1. Call `configure` on the node.\n2. Then call `activate` on it.",
        "## Lifecycle nodes: starting in a known order {#lifecycle}",
    ]
    with reads(DOCUSAURUS, *quotes, url=f"{PAGE}#lifecycle") as reader:
        prose, formula, admonition, code, table, items, title = reader.follow_all()
    assert (
        prose
        == "A lifecycle node, also called a “managed node”, has a state machine — see the states and rclcpp<Node>"
    )
    assert formula.startswith("It computes its output from the error")
    assert formula.endswith("by three terms, and no more.")
    assert admonition == "Mind the orderConfigure it before you activate it."
    assert code == 'import rclpynode = rclpy.create_node("listener"'
    assert table == "StatePublishesInactivenothingActiveall of it"
    assert items == "Call configure on the node.Then call activate on it."
    assert title == "Lifecycle nodes: starting in a known order"


def test_words_on_a_mkdocs_page_are_found_too(reads: Reads):
    quotes = [
        '!!! note "Both sides count"\n    The publisher offers a level of service, the subscription requests one.',
        "The speed is $v = s/t$ as long as nothing stands in the way.",
        "qos = QoSProfile(depth=10)\nqos.reliability = RELIABLE",
        "روبوٹ ایک مشین ہے جو محسوس کرتی ہے اور عمل کرتی ہے۔",
        "Re\u0301sume\u0301 nai\u0308ve cafe\u0301.",
    ]
    with reads(MKDOCS, *quotes, url=f"{PAGE}#qos") as reader:
        admonition, formula, code, urdu, accents = reader.follow_all()
    assert (
        admonition
        == "Both sides countThe publisher offers a level of service, the subscription requests one."
    )
    assert formula.endswith("as long as nothing stands in the way.")
    assert code == "qos = QoSProfile(depth=10) qos.reliability = RELIABLE"
    assert urdu == quotes[3]
    assert accents == "Résumé naïve café."


def test_every_block_of_the_sample_book_is_found_on_its_page(reads: Reads):
    source = (SAMPLE / "docs" / "02-ros2" / "01-nodes.md").read_text("utf-8")
    site = TestClient(preview(SAMPLE, SiteOptions(), WidgetTag()))
    blocks = [block for block in source.partition("\n# ")[2].split("\n\n") if _letters(block)]
    assert len(blocks) > 30
    with reads(site.get("/docs/ros2/nodes").text, *blocks) as reader:
        found = reader.follow_all()
    lost = [
        block
        for block, marked in zip(blocks, found, strict=True)
        if len(_letters(marked)) < 0.8 * len(_letters(block))
    ]
    assert lost == []


def _letters(markdown: str) -> str:
    shown = re.sub(r"\]\([^)]*\)|\$[^$]*\$|```\w*|:::\w*|\{#.*?\}|^\d\. ", "", markdown, flags=re.MULTILINE)
    return re.sub(r"[\W_]", "", shown)


def test_the_place_behind_the_anchor_comes_first_and_menus_never(reads: Reads):
    behind = "document.querySelector('h2').compareDocumentPosition([...CSS.highlights.get('glossator')][0].startContainer) === 4"
    with reads(DOCUSAURUS, PUBLISHER, url=f"{PAGE}#lifecycle") as reader:
        assert reader.follow() == PUBLISHER
        assert reader.page.evaluate(behind)
    with reads(DOCUSAURUS, PUBLISHER) as reader:
        assert reader.follow() == PUBLISHER
        assert not reader.page.evaluate(behind)
        assert reader.page.evaluate(
            "![...CSS.highlights.get('glossator')][0].startContainer.parentElement.closest('nav')"
        )


def test_the_words_come_to_a_third_of_the_height_under_no_header(reads: Reads):
    with reads(DOCUSAURUS, PUBLISHER, url=f"{PAGE}#lifecycle") as reader:
        reader.follow()
        assert reader.page.evaluate(HEIGHT) == pytest.approx(1 / 3, abs=0.02)
    with reads(SHELL, "Words in a pane that scrolls by itself.") as reader:
        reader.follow()
        assert 0.2 < reader.page.evaluate(HEIGHT) < 0.6


def test_folded_words_are_unfolded(reads: Reads):
    with reads(DOCUSAURUS, "Folded words are words as well, and can be cited.") as reader:
        assert reader.follow() == "Folded words are words as well, and can be cited."
        expect(reader.text("Folded words")).to_be_in_viewport()
    with reads(MKDOCS, "What is folded in plain HTML opens without a script.") as reader:
        reader.follow()
        expect(reader.text("What is folded")).to_be_in_viewport()


def test_words_in_a_tab_that_is_not_chosen_bring_the_reader_to_the_tabs(reads: Reads):
    with reads(DOCUSAURUS, "In that language a node is garbage that is collected.") as reader:
        assert reader.follow() == "In that language a node is garbage that is collected."
        expect(reader.page.get_by_role("tab", name="Python")).to_be_in_viewport()
        expect(reader.text("is garbage")).to_be_hidden()


def test_of_a_quote_that_the_page_has_in_part_its_beginning_is_marked(reads: Reads):
    quote = f"{PUBLISHER[:-1]}, or so they say who have never tried it themselves."
    with reads(DOCUSAURUS, quote, url=f"{PAGE}#lifecycle") as reader:
        marked = reader.follow()
        assert PUBLISHER.startswith(marked)
        assert len(marked) > len(PUBLISHER) / 2


def test_words_that_are_nowhere_bring_the_reader_to_the_section(reads: Reads):
    with reads(DOCUSAURUS, "Nobody has ever written this sentence down.", url=f"{PAGE}#lifecycle") as reader:
        assert reader.follow() == ""
        expect(reader.page.get_by_role("heading", name="Lifecycle nodes")).to_be_in_viewport()


def test_a_mark_stays_until_the_next_one_or_escape(reads: Reads):
    with reads(DOCUSAURUS, PUBLISHER, "Configure it before you activate it.") as reader:
        assert reader.follow(1) == PUBLISHER
        assert reader.follow(2) == "Configure it before you activate it."
        reader.page.locator("h1").click()
        assert reader.marked
        reader.page.keyboard.press("Escape")
        assert reader.marked == ""


def test_the_site_chooses_the_colour_of_the_mark(reads: Reads):
    with reads(DOCUSAURUS, PUBLISHER) as reader:
        reader.follow()
        style = "getComputedStyle(document.querySelector('article p'), '::highlight(glossator)')"
        assert reader.page.evaluate(f"[{style}.backgroundColor, {style}.color]") == [
            "rgb(255, 224, 138)",
            "rgb(34, 29, 22)",
        ]
        reader.page.evaluate(
            "document.documentElement.style.setProperty('--glossator-highlight', 'rgb(1, 2, 3)')"
        )
        assert reader.page.evaluate(f"{style}.backgroundColor") == "rgb(1, 2, 3)"


def test_a_browser_that_can_colour_no_words_goes_there_all_the_same(reads: Reads, chromium: Browser):
    with chromium.new_context(reduced_motion="reduce") as context:
        context.add_init_script("delete CSS.highlights; delete Object.getPrototypeOf(CSS).highlights")
        with _reading(context.new_page(), DOCUSAURUS, [PUBLISHER]) as reader:
            reader.page.evaluate("scrollTo(0, document.body.scrollHeight)")
            reader.marks.click()
            expect(reader.text("lifecycle publisher").first).to_be_in_viewport()


def test_a_site_of_a_single_page_goes_there_itself_and_the_words_are_awaited(reads: Reads):
    cited = "The words that were cited stand here now."
    with reads(APP, cited, url="/docs/other#place:~:text=The%20words") as reader:
        reader.marks.click()
        expect(reader.page.locator("main b")).to_have_text("here")
        reader.page.wait_for_function(f"({MARKED})() === '{cited}'")
        expect(reader.page.get_by_role("heading", name="The place")).to_be_in_viewport()
        assert reader.page.evaluate("window.wentTo") == f"{reader.server.url}/docs/other#place"


def test_any_other_site_loads_the_page_and_the_words_are_marked_there(reads: Reads):
    with reads(
        DOCUSAURUS, PUBLISHER, url="/docs/other#lifecycle:~:text=Configure%20it,activate%20it."
    ) as reader:
        reader.marks.click()
        reader.page.wait_for_url(re.compile("/docs/other#lifecycle"))
        expect(reader.text("A lifecycle publisher silently").last).to_be_in_viewport()
        # The words are in view before the widget of the new page has marked them.
        reader.page.wait_for_function(f"({MARKED})() !== ''")
        assert reader.marked == PUBLISHER


_COUNT_WORK = """() => {
  window.work = { nodes: 0, characters: 0, searches: 0 };
  const data = Object.getOwnPropertyDescriptor(CharacterData.prototype, "data");
  Object.defineProperty(CharacterData.prototype, "data", { ...data, get() { work.nodes++; return data.get.call(this); } });
  const { toLowerCase, indexOf } = String.prototype;
  String.prototype.toLowerCase = function () { work.characters++; return toLowerCase.call(this); };
  String.prototype.indexOf = function (...search) {
    if (this.length > 100_000) work.searches++;
    return indexOf.apply(this, search);
  };
}"""
"""Counts the text nodes that are read, the characters that are compared one by one, and the searches in long texts."""
_SIZE = """() => [document.evaluate("count(.//text())", document.body, null, XPathResult.NUMBER_TYPE).numberValue,
  document.body.textContent.length]"""


def test_a_long_page_is_read_once_for_each_citation(reads: Reads):
    filler = "".join(
        f"<p>Sentence {n} says that the robot <em>moves</em> its arm by {n} degrees.</p>" for n in range(4000)
    )
    html = DOCUSAURUS.replace("<h2", filler + "<h2", 1)
    assert len(html) > 250_000
    quotes = [
        PUBLISHER,
        f"{PUBLISHER} {'Nobody has written this. ' * 9}",
        "Sentence 3999 says that the robot *moves* its arm by 3999 degrees.",
    ]
    with reads(html, *quotes, url=f"{PAGE}#lifecycle") as reader:
        nodes, characters = reader.page.evaluate(_SIZE)
        reader.page.evaluate(_COUNT_WORK)
        whole, part, last = reader.follow_all()
        assert whole == PUBLISHER
        assert part
        assert PUBLISHER.startswith(part)
        assert last == "Sentence 3999 says that the robot moves its arm by 3999 degrees."
        work = reader.page.evaluate("window.work")
        assert nodes < work["nodes"] < 4 * nodes
        assert characters / 2 < work["characters"] < 4 * characters
        assert 3 <= work["searches"] < 50


_TALL = "<p style='height: 2000px'>Above.</p>"
_COVERED = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>A</title><body><main>'
    "{above}<p style='margin-left: 60vw'>These words stand where the panel is, at the right.</p>"
    "<table><tr><th>State</th><th>Publishes</th></tr><tr><td>Inactive</td><td>nothing</td></tr></table>"
    "<div style='height: 3000px'></div></main><script type='module' src='/widget.js'></script></body></html>"
)
_RECT = """() => { const {top, bottom} = [...CSS.highlights.get("glossator")][0].getBoundingClientRect();
  const panel = document.querySelector("glossator-chat").shadowRoot.querySelector(".panel").getBoundingClientRect();
  return [top, bottom, panel.top]; }"""


def test_the_panel_makes_room_for_the_words_that_it_would_cover(reads: Reads):
    with reads(_COVERED.format(above=_TALL), "These words stand where the panel is") as reader:
        reader.follow()
        top, bottom, panel_top = reader.page.evaluate(_RECT)
        assert 0 < top < bottom < panel_top
        reader.page.get_by_role("button", name="Conversation", exact=True).click()
        assert reader.page.evaluate(_RECT)[2] < panel_top


def test_words_that_a_diagram_has_moved_are_scrolled_to_again_until_the_reader_scrolls(reads: Reads):
    grow = "document.querySelector('main p').style.height = '4000px'"
    still = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    with reads(_COVERED.format(above=_TALL), "These words stand where the panel is") as reader:
        reader.follow()
        height = reader.page.evaluate(HEIGHT)
        reader.page.evaluate(grow)
        reader.page.wait_for_function(f"({HEIGHT})() < 1")
        assert reader.page.evaluate(HEIGHT) == pytest.approx(height, abs=0.02)
        reader.page.mouse.move(200, 200)
        reader.page.mouse.wheel(0, 10)
        reader.page.evaluate(grow.replace("4000", "6000"))
        reader.page.evaluate(still)
        assert reader.page.evaluate(HEIGHT) > 1


def test_a_table_is_marked_after_its_page_was_loaded_too(reads: Reads):
    table = "| State | Publishes |\n|---|---|\n| Inactive | nothing |"
    with reads(_COVERED.format(above=_TALL), table, url="/docs/other#:~:text=State,nothing") as reader:
        reader.marks.first.click()
        reader.page.wait_for_url("**/docs/other")
        reader.page.wait_for_function(f"({MARKED})() !== ''")
        assert reader.marked == "StatePublishesInactivenothing"
        assert reader.page.evaluate(HEIGHT) < 0.5
        reader.page.reload()
        expect(reader.page.locator("glossator-chat")).to_be_attached()
        assert reader.marked == ""
