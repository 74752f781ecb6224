"""HTML pages become Markdown: the main content, with the ids of its headings and its places in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.errors import PageUnreadable
from glossator.ingest.discover import list_pages
from glossator.ingest.page import load_page, process_page
from glossator.ingest.sites import site_of
from glossator.lint import check
from glossator.model import Span
from glossator.testing import WordEmbedder


def write(root: Path, body: str, name: str = "index.html") -> Path:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(f"<!doctype html><html><body>{body}</body></html>", "utf-8")
    return root


def text_of(root: Path, name: str = "index.html") -> str:
    return load_page(root, name, site_of(root)).text.rstrip("\n")


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>A <em>b</em> <strong>c</strong> <code>d`e</code> <a href='f g'>h</a>.", "A *b* **c** ``d`e`` [h](f%20g)."),
        ("<p>One<p>Two", "One\n\nTwo"),
        ("<p><b>Bold </b>word", "**Bold** word"),
        ("<p>Stars * and &amp;lt; [x] &lt;y&gt;.", "Stars \\* and \\&lt; \\[x\\] \\<y>."),
        ("<p>1. no list", "1\\. no list"),
        ("<p>10<sup>6</sup> H<sub>2</sub>O 1<sup>st</sup>", "10⁶ H₂O 1st"),
        ("<ul><li>a<li>b<ol start=3><li>c</ol></ul>", "- a\n- b\n\n  3. c"),
        ("<dl><dt>term<dd>means this<dt>other</dl>", "- **term**: means this\n- **other**"),
        ("<pre><code class='language-c++'>int x;\n  y;</code></pre>", "```c++\nint x;\n  y;\n```"),
        ("<div class='highlight-python notranslate'><div class=highlight><pre>x\n</pre></div></div>", "```python\nx\n```"),
        ("<div class='language-rust highlighter-rouge'><pre class=highlight><code>x</code></pre></div>", "```rust\nx\n```"),
        ("<pre data-language=js><code><span>a</span><br><span>b</span></code></pre>", "```js\na\nb\n```"),
        ("<pre><code><div class=ec-line>a</div><div class=ec-line>b</div></code></pre>", "```\na\nb\n```"),
        ("<table class=highlighttable><tr><td class=linenos><pre>1</pre><td><pre>x</pre></table>", "```\nx\n```"),
        ("<div class=language-js><button>Copy</button><span class=lang>js</span><pre>x</pre></div>", "```js\nx\n```"),
        ("<table><tr><th>A<th>B<tr><td>1|2<td><code>3</code></table>", "| A | B |\n| --- | --- |\n| 1\\|2 | `3` |"),
        ("<table><caption>C</caption><tr><td>1</table>", "**C**\n\n|  |\n| --- |\n| 1 |"),
        (
            "<table><tr><th>A<th>B<tr><td rowspan=2>1<td>2<tr><td>3<tr><td colspan=2>4</table>",
            "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 1 | 3 |\n| 4 | 4 |",
        ),
        ("<blockquote><p>a<p>b</blockquote>", "> a\n>\n> b"),
        ("<img src='a b.png' alt='A robot'><img src=c.png>", "![A robot](a%20b.png)"),
        ("<a href='javascript:x()'>text</a>", "text"),
        ("<details><summary>More</summary><p>Text.</details>", "**More**\n\nText."),
        ("<figure><img src=a.png alt=A><figcaption>Caption.</figcaption></figure>", "![A](a.png)\n\nCaption."),
        ("<span class=katex><math><mi>x</mi><annotation encoding='application/x-tex'>x^2</annotation></math><span aria-hidden=true>x2</span></span>", "$x^2$"),
        ("<div role=tablist>npm</div><div role=tabpanel>a</div><div role=tabpanel hidden>b</div><p hidden>c", "a\n\nb"),
        ("<ul role=tablist><li role=tab>A<li role=tab>B</ul><div role=tabpanel><p>a</div><div role=tabpanel hidden><p>b</div>", "**A**\n\na\n\n**B**\n\nb"),
        ("<div class=tabbed-labels><label>A</label></div><div class=tabbed-block><p>a</div>", "**A**\n\na"),
        ("<p>Lines <a role=doc-noteref href='#n'>[1]</a>.", "Lines."),
        ("<p>Lines.<sup><a data-footnote-ref href='#n'>1</a></sup> More.", "Lines. More."),
        ("<div class=math>\\[ x^2 \\]</div><p>with <span class=math>\\(x_1\\)</span>", "$$\nx^2\n$$\n\nwith $x_1$"),
        ("<p>so<span class=katex-display><math display=block><annotation encoding='application/x-tex'>x\ny</annotation></math></span>", "so\n\n$$\nx\ny\n$$"),
        ("<div class=admonition><p class=admonition-title>Note</p><p>Mind.</div>", "Mind."),
        ("<div class=admonition><p class=admonition-title>In a storm</p><p>Mind.</div>", "In a storm\n\nMind."),
        ("<h2 class=sr-only>Footnotes</h2><p>x", "x"),
        ("<section id=own><span id=id1></span><h2>A</h2></section>", "## A {#own}"),
        ("<div>loose <i>text</i><p>block</p>more</div>", "loose *text*\n\nblock\n\nmore"),
        ("<h2 id=own>A <a class=headerlink href='#own'>¶</a></h2>", "## A {#own}"),
        ("<h1 id=b><a class=header href='#b'>Book</a></h1>", "# Book {#b}"),
        ("<section id=s><h2>A</h2></section>", "## A {#s}"),
        ("<p>x</p><a name=n></a><h2>A</h2>", "x\n\n## A {#n}"),
        ("<p>x</p><h3>No id</h3>", "x\n\n### No id"),
    ],
)  # fmt: skip
def test_elements_become_markdown(tmp_path: Path, html: str, markdown: str) -> None:
    assert text_of(write(tmp_path, html)) == markdown


@pytest.mark.parametrize(
    "body",
    [
        "<header><h2>Site</h2></header><nav>Menu</nav><main><p>Text.</main><aside>Links</aside><footer>©</footer>",
        "<div class=menu>Menu</div><div role=main><p>Text.<script>x</script><style>y</style></div>",
        "<main><div>On this page</div><article><p>Text.<nav>Next</nav></article><div>Ads</div></main>",
        "<main><form><input value=x>Search</form><p>Text.<aside class=toc>Contents</aside></main>",
        "<nav>Menu</nav><p>Text.<footer>©</footer>",
    ],
)
def test_only_the_main_content_is_read(tmp_path: Path, body: str) -> None:
    assert text_of(write(tmp_path, body)) == "Text."


def test_the_title_in_the_header_of_an_article_and_its_admonitions_are_content(tmp_path: Path) -> None:
    body = (
        "<article><header><h1>Nodes</h1></header><aside class='aside--note'><p>Mind this.</aside></article>"
    )
    assert text_of(write(tmp_path, body)) == "# Nodes\n\nMind this."


def test_a_citation_has_its_place_in_the_file(tmp_path: Path) -> None:
    body = "<nav>x</nav><main><h1 id=n>Nodes</h1>\r\n<p>A <b>node</b> &amp; more.\r\n<ul><li>One.<li>Two.</ul><p>End.</p></main>"
    root = write(tmp_path, body)
    source = (root / "index.html").read_bytes().decode()
    file = load_page(root, "index.html", site_of(root))
    (chunk,) = process_page(file, site_of(root), WordEmbedder(), "english").chunks

    def place(words: str) -> str:
        start = file.text.index(words)
        found = chunk.place_of(Span(start, start + len(words)))
        return source[found.start : found.end]

    assert file.text[chunk.start : chunk.end] == chunk.text
    assert place("# Nodes") == "<h1 id=n>Nodes</h1>"
    assert place("**node**") == "<p>A <b>node</b> &amp; more."
    assert place("Two.") == "<ul><li>One.<li>Two.</ul>"
    assert place("End.") == "<p>End.</p>"
    assert [section.anchor for section in chunk.sections] == ["n"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("<div>" * 100_000, "has more than 200 tags that are not closed"),
        ("<svg>" + "<path d=x/>" * 100_000, "has more than 200 tags that are not closed"),
        ("<x/>" * 100_000, "has more than 200 tags that are not closed"),
        ("<div>" * 150 + "x" + "</div>" * 150, "nests its tags more than 100 deep"),
    ],
)
def test_a_page_of_tags_inside_of_tags_is_refused_and_not_followed(
    tmp_path: Path, body: str, reason: str
) -> None:
    with pytest.raises(PageUnreadable, match=reason):
        text_of(write(tmp_path, body))


def test_drawings_scripts_and_tags_that_need_no_end_do_not_count_as_open(tmp_path: Path) -> None:
    many = 1000
    drawing = "<svg>" + '<path d="x"/>' * many + "</svg>"
    script = f"<script>{'<div>' * many}</script><!--{'<div>' * many}-->"
    assert text_of(write(tmp_path, f"{drawing}{script}{'<p>a<br>' * many}")).count("a") == many


def test_an_edited_page_is_another_page_although_only_its_places_change(tmp_path: Path) -> None:
    first = load_page(write(tmp_path, "<main>x</main>"), "index.html", site_of(tmp_path))
    second = load_page(write(tmp_path, "<nav>y</nav><main>x</main>"), "index.html", site_of(tmp_path))
    assert first.text == second.text
    assert first.content_hash != second.content_hash


def test_a_check_takes_no_link_for_broken_that_a_browser_can_follow(tmp_path: Path) -> None:
    links = ("a/", "a/index.html", "b.html", "a/#x", "b.html#paragraph", "/a/")
    write(tmp_path, "<h1>Book</h1>" + "".join(f"<p><a href='{link}'>{link}</a></p>" for link in links))
    write(tmp_path, "<h1>A</h1><h2 id=x>X</h2>", "a/index.html")
    write(tmp_path, "<h1>B</h1><p id=paragraph>Text.", "b.html")
    report = check(tmp_path, site_of(tmp_path))
    assert (report.links, report.findings) == (6, ())


def test_a_page_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_bytes(b"<p>\xff")
    with pytest.raises(PageUnreadable, match="is not UTF-8"):
        text_of(tmp_path)


def test_pages_are_listed_and_other_files_are_not(tmp_path: Path) -> None:
    names = ("index.html", "a/b.HTM", "404.html", "_static/x.html", ".hidden/x.html", "style.css")
    for name in names:
        write(tmp_path, "<p>x", name)
    assert list_pages(tmp_path, site_of(tmp_path).is_page).paths == ("a/b.HTM", "index.html")
