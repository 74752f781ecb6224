"""The Markdown of answers, as a reader sees it."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from support.bundled_markdown import bundled_markdown

RENDER = """(texts) => texts.map((text) => {
  const marks = (n) => n < 50 ? Object.assign(document.createElement("mark"), { textContent: n }) : null;
  const links = (href) => href.startsWith("/docs/") ? `https://book.example${href}` : null;
  const box = document.createElement("div");
  box.append(markdown.render(text, marks, links));
  return box.innerHTML;
})"""
GROW = """(text) => [...text].map((_, index) => {
  const box = document.createElement("div");
  box.append(markdown.render(text.slice(0, index + 1), () => null, () => null, true));
  return box.innerHTML;
})"""
SIZE = """(text) => {
  const made = markdown.render(text, () => null, (href) => href, true);
  let depth = 0;
  for (let inner = made.lastElementChild; inner; inner = inner.lastElementChild) depth++;
  return [made.textContent.length, depth];
}"""

SHOWN = {
    "Plain words.": "<p>Plain words.</p>",
    "One\nparagraph.\n\nAnother.": "<p>One\nparagraph.</p><p>Another.</p>",
    "A line  \nends\\\nhard.<br>Thrice.": "<p>A line  <br>ends<br>hard.<br>Thrice.</p>",
    "*a* _b_ **c** __d__ ***e*** ~~f~~": (
        "<p><em>a</em> <em>b</em> <strong>c</strong> <strong>d</strong> <em><strong>e</strong></em> <del>f</del></p>"
    ),
    "**a *b* c** *a **b***": "<p><strong>a <em>b</em> c</strong> <em>a <strong>b</strong></em></p>",
    "**the product a*b** of 2 * 3": "<p><strong>the product a*b</strong> of 2 * 3</p>",
    "snake_case_name and __init__.py": "<p>snake_case_name and <strong>init</strong>.py</p>",
    "~5 kg and ~6 kg": "<p>~5 kg and ~6 kg</p>",
    "**强调。**后": "<p><strong>强调。</strong>后</p>",
    "`a*b` ``c`d`` ` e ` `f": "<p><code>a*b</code> <code>c`d</code> <code>e</code> `f</p>",
    "\\*a\\* \\[1\\] \\_": "<p>*a* [1] _</p>",
    "&lt;b&gt; &amp;amp; &#x41;&#66; &nope;": "<p>&lt;b&gt; &amp;amp; AB &amp;nope;</p>",
    "<b>x</b> H<sub>2</sub>O <kbd>a*b</kbd>": "<p><b>x</b> H<sub>2</sub>O <kbd>a*b</kbd></p>",
    "<b class=x>x</b> <i>x": "<p>&lt;b class=x&gt;x&lt;/b&gt; &lt;i&gt;x</p>",
    "[words](/docs/x) [*a*](/docs/y 'title') [b](</docs/z>)": (
        '<p><a href="https://book.example/docs/x">words</a> <a href="https://book.example/docs/y"><em>a</em></a> '
        '<a href="https://book.example/docs/z">b</a></p>'
    ),
    "[away](https://evil.example) ![alt](/docs/x.png)": "<p><span>away</span> <span>alt</span></p>",
    "[a][b] [c]\n\n[b]: /docs/x": "<p>[a][b] [c]</p><p>[b]: /docs/x</p>",
    "Said. [1] Said.[2][3] **Said. [4]**": (
        "<p>Said.&nbsp;<mark>1</mark> Said.<mark>2</mark><mark>3</mark> <strong>Said.&nbsp;<mark>4</mark></strong></p>"
    ),
    "[99] [1000] [x] [-1]": "<p>[99]&nbsp;[1000] [x] [-1]</p>",
    "`[1]` [1](/docs/x) [1](as it says)": (
        '<p><code>[1]</code>&nbsp;<a href="https://book.example/docs/x">1</a>&nbsp;<mark>1</mark>(as it says)</p>'
    ),
    "[see [1] there](/docs/x)": "<p>[see&nbsp;<mark>1</mark> there](/docs/x)</p>",
    "$e = q_d - q$ costs $5 and $10": '<p><span class="math">e = q_d - q</span> costs $5 and $10</p>',
    "$$ u = K_p\\, e $$ [2]": '<p><span class="math display">u = K_p\\, e</span>&nbsp;<mark>2</mark></p>',
    "$$\na\n- b\n$$": '<p><span class="math display">a\n- b</span></p>',
    "# One #\n###### Six [1]": "<h3>One</h3><h6>Six&nbsp;<mark>1</mark></h6>",
    "a\n***\nb\n\n- - -": "<p>a</p><hr><p>b</p><hr>",
    "> a\n> > b\n\nc": "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote><p>c</p>",
    "Some:\n- a\n- b [1]\n  - c\n\n  d": (
        "<p>Some:</p><ul><li>a</li><li>b&nbsp;<mark>1</mark><ul><li>c</li></ul><p>d</p></li></ul>"
    ),
    "3. a\n4. b\n\n   more\n5. c": '<ol start="3"><li>a</li><li>b<p>more</p></li><li>c</li></ol>',
    "1. a\n  - b\n2. c": '<ol start="1"><li>a<ul><li>b</li></ul></li><li>c</li></ol>',
    "- [ ] open\n- [x] done": "<ul><li>[ ] open</li><li>[x] done</li></ul>",
    "```python title=x\na  <b>\n\n[1]\n```\n\n[2]": (
        '<figure class="code" data-language="python"><pre><code>a  &lt;b&gt;\n\n[<span class="n">1</span>]</code></pre></figure><p><mark>2</mark></p>'
    ),
    "1. Run:\n   ```sh\n   a\n\n     b\n   ```\n2. c": (
        '<ol start="1"><li>Run:<figure class="code" data-language="sh"><pre><code>a\n\n  b</code></pre></figure></li><li>c</li></ol>'
    ),
    "    a\n\n      b\n\nc": '<figure class="code" data-language=""><pre><code>a\n\n  b</code></pre></figure><p>c</p>',
    "Here:\n| a | b |\n|:--|--:|\n| `x` \\| y [1] | *z* |\n| short\n\n[2]": (
        "<p>Here:</p><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>"
        "<tr><td><code>x</code> | y&nbsp;<mark>1</mark></td><td><em>z</em></td></tr><tr><td>short</td></tr></tbody></table><p><mark>2</mark></p>"
    ),
    "| only | a row |": "<p>| only | a row |</p>",
    "<div>\n\n<script>alert(1)</script>": "<p>&lt;div&gt;</p><p>&lt;script&gt;alert(1)&lt;/script&gt;</p>",
}
GROWING = {
    "It is **very impor": "<p>It is <strong>very impor</strong></p>",
    "**First. [1] *Sec": "<p><strong>First.&nbsp;[1] <em>Sec</em></strong></p>",
    "```py\nprint(": '<figure class="code" data-language="py"><pre><code>print(</code></pre></figure>',
    "| a | b |\n|---|---|\n| 1": (
        "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>"
    ),
    "- a\n- **b": "<ul><li>a</li><li><strong>b</strong></li></ul>",
    "[words](/do": "<p>[words](/do</p>",
}
REPEATED = (
    "[", "![", "*", "* a", "*a ", "*a* ", "**a *b ", "`", "` ", "`a``b", "[a](", "[a](b", "[a](<b", '](x "', "](x '", "](", "]( ",
    "$", "$a ", "$$", "$$a\n", "<", "<b>", "<b>a</b", "&", "&#", "\\", "_a", "a_b_", "~~a", "\n", " ", "> ", ">", "- ", "- \n", "1. ",
    "1. 1. ", "-", "- a\n", "  - a\n", "|", "|a\n|-\n", "|a|b\n-|-\n", "|-", ":|-", "x|", "\\|", "#", "# ", "```\n", "~~~\n```\n",
    "    ", "a\n\n", "\t", "*_", "[*", "*[", "![a](b)", "[1]", "[1](", "<br ", "(", "[a](((", "a  \n", ">\n", "> - ", "- > ", "\0", "a*",
    "[a]", "]", "*a_", "_*a**b__c", "\u2028", "🙂*",
)  # fmt: skip
SIGNS = [
    "*",
    "**",
    "_",
    "~~",
    "`",
    "[",
    "]",
    "!",
    "<",
    "&",
    "\\",
    "$",
    "|",
    "\n",
    "\n\n",
    "> ",
    "- ",
    "# ",
    " ",
    "word",
    "Wort",
    "4",
]


@pytest.fixture
def renderer(page: Page, tmp_path: Path) -> Page:
    page.goto("about:blank")
    page.evaluate(bundled_markdown(tmp_path))
    return page


def test_answers_look_as_they_were_meant(renderer: Page):
    assert dict(zip(SHOWN, renderer.evaluate(RENDER, list(SHOWN)), strict=True)) == SHOWN


def test_what_is_not_finished_yet_looks_as_if_it_were(renderer: Page):
    grown = {text: renderer.evaluate(GROW, text)[-1] for text in GROWING}
    assert grown == GROWING


def test_an_answer_can_stop_growing_anywhere(renderer: Page):
    for text in SHOWN:
        assert len(renderer.evaluate(GROW, text)) >= len(text)


def test_no_text_costs_more_than_its_length_or_goes_deep(renderer: Page):
    """A hundred kilobytes each; what grew with the square of that would take minutes."""
    for text in REPEATED:
        _, depth = renderer.evaluate(SIZE, text * (100_000 // len(text)))
        assert depth < 60, text
    runs = " ".join("`" * length for length in range(1, 450))
    assert renderer.evaluate(SIZE, runs)[0] > 50_000
    wide = "|a" * 5_000 + "\n" + "|-" * 5_000 + "\n" + "|\n" * 40_000
    assert renderer.evaluate(SIZE, wide)[0] == 5_000


def test_no_word_is_lost(renderer: Page):
    dice = random.Random(7)
    texts = ["".join(dice.choices(SIGNS, k=40)) for _ in range(2000)]
    texts = [text for text in texts if "```" not in text and "~~~" not in text]
    for text, html in zip(texts, renderer.evaluate(RENDER, texts), strict=True):
        assert _words(re.sub(r"<[^>]*>|&\w+;", "", html)) == _words(text), text


def _words(text: str) -> str:
    return re.sub(r"[\W_]", "", text)
