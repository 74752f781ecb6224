"""What authors write, and what a reader sees of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.preview_visit import ParsedPage, article, opened, written


def shown(folder: Path, text: str, name: str = "page.md", **others: str) -> str:
    """What becomes of a page of a folder of Markdown; with a name in `.mdx`, of a page of Docusaurus."""
    reader = opened(written(folder, {name: text, **others}))
    first = reader.get("/").headers["location"]
    return " ".join(article(reader, first).split())


def test_tables_lists_and_marks(tmp_path: Path):
    html = shown(tmp_path, "| a | b |\n|---|--:|\n| *x* | 1 |\n\n1. one\n   - two\n\n~~gone~~\n")
    assert '<th scope="col">a</th> <th scope="col" class="right">b</th>' in html
    assert '<td><em>x</em></td> <td class="right">1</td>' in html
    assert "<ol> <li>one <ul> <li>two</li> </ul> </li> </ol>" in html
    assert "<s>gone</s>" in html
    assert "style=" not in html


def test_code_has_its_words_apart_its_title_and_its_marked_lines(tmp_path: Path):
    html = shown(
        tmp_path, '```python title="a <b>.py" {2}\nimport re\nx = "1"\n```\n\n```nonsense\n<i>\n```\n'
    )
    assert "<figcaption>a &lt;b&gt;.py</figcaption>" in html
    assert '<span class="kn">import</span>' in html
    assert re.search(r'<span class="hll"><span class="n">x</span>', html)
    assert '<code class="language-nonsense">&lt;i&gt;' in html


@pytest.mark.parametrize(
    ("info", "language", "title"),
    [
        ("rust,ignore", "rust", ""),
        ('{.yaml title="x.yml"}', "yaml", "x.yml"),
        ("py linenums='1' title='a.py'", "py", "a.py"),
        ('title="no language"', "", "no language"),
        ("vue{2} [Child.vue]", "vue", "Child.vue"),
        ("mermaid", "mermaid", "Diagram, in Mermaid"),
        ("", "", ""),
    ],
)
def test_fences_of_other_generators(tmp_path: Path, info: str, language: str, title: str):
    html = shown(tmp_path, f"```{info}\nx\n```\n")
    assert (f'class="language-{language}"' in html) is bool(language)
    assert (f"<figcaption>{title}</figcaption>" in html) is bool(title)


def test_boxes_keep_their_titles_and_stand_in_each_other(tmp_path: Path):
    text = "::::warning[Mind *this*]\n\nOuter\n\n:::tip\n\nInner\n\n:::\n\nOuter again\n\n::::\n\nAfter\n"
    html = shown(tmp_path, text, "page.mdx")
    outer, _, after = html.rpartition("</aside>")
    assert '<aside class="box warning"><p class="box-title">Mind <em>this</em></p> <p>Outer</p>' in outer
    assert (
        '<aside class="box tip"><p class="box-title">Tip</p> <p>Inner</p> </aside> <p>Outer again</p>'
        in outer
    )
    assert "<p>After</p>" in after


def test_a_box_that_is_never_closed_ends_with_what_it_stands_in(tmp_path: Path):
    html = shown(tmp_path, "> :::note\n> Quoted\n\nAfter\n\n:::\n\nEnd\n")
    assert html.index("</blockquote>") < html.index("After")
    assert html.index("</aside>") < html.index("After")
    assert "<p>End</p>" in html


def test_tabs_are_titled_sections_that_hide_nothing(tmp_path: Path):
    text = (
        "import Tabs from '@theme/Tabs';\n\n<Tabs groupId=\"os\">\n"
        '<TabItem value="a" label="Linux">\n\nOne\n\n</TabItem>\n<TabItem value="windows">\n\n```bash\nls\n```\n\n'
        "</TabItem>\n</Tabs>\n\nAfter\n"
    )
    html = shown(tmp_path, text, "page.mdx")
    assert '<div class="variants"> <section><p class="variant">Linux</p> <p>One</p> </section>' in html
    assert '<section><p class="variant">windows</p> <figure class="code">' in html
    assert "</section></div><p>After</p>" in html.replace("</div> ", "</div>").replace(
        "</section> <", "</section><"
    )
    assert "import" not in html


def test_components_are_left_out_but_not_what_stands_in_them(tmp_path: Path):
    text = (
        "export const COUNT = 256;\nexport const Word = () => <strong>{COUNT} bins</strong>;\n\n"
        '<Card to={() => 1}>\n\nKept <Badge color="red">too</Badge>, {COUNT} <Word />, {unknown}.\n\n</Card>\n\n'
        '<img src="/x.png" alt="A picture" style={{width: 1}} />\n\n{/* not seen */}\n\n<Link to="./zebra.mdx">there</Link>\n'
    )
    html = shown(tmp_path, text, "page.mdx", **{"zebra.mdx": "# Zebra\n"})
    assert "<p>Kept too, 256 <strong>256 bins</strong>, {unknown}.</p>" in html
    assert '<img src="/x.png" alt="A picture">' in html
    assert '<a href="/docs/zebra" rel="noopener">there</a>' in html
    assert "not seen" not in html
    assert "card" not in html.lower()


def test_details_of_html_with_markdown_in_them(tmp_path: Path):
    for name in ("page.md", "page.mdx"):
        html = shown(
            tmp_path / name[5:],
            "<details>\n<summary>More</summary>\n\n*Within*\n\n</details>\n\nAfter\n",
            name,
        )
        assert re.search(r"<details>.*<summary>More</summary>.*<em>Within</em>.*</details>.*After", html)


def test_formulas_are_mathml_and_broken_ones_stay_readable(tmp_path: Path):
    html = shown(
        tmp_path,
        "Let $x^2$ be.\n\n$$\n\\frac{1}{2}\n$$\n\n$\\frac$ <b>\n\n$$\n\\begin{aligned}a&=b\\end{aligned}\n$$\n",
    )
    assert '<math display="inline"><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow></math>' in html
    assert '<math display="block"><mrow><mfrac>' in html
    assert '<code class="tex">\\frac</code>' in html
    assert "<mtd" in html


def test_footnotes_stand_at_the_end_with_ways_there_and_back(tmp_path: Path):
    html = shown(tmp_path, "[^b]: Second\n\nOne[^a] two[^b] again[^a] none[^c].\n\n[^a]: First *note*\n")
    text, _, notes = html.partition('<section class="footnotes"')
    assert '<sup class="mark" id="fnref-a"><a href="/page.md#fn-a"' in text
    assert text.index('#fn-a"') < text.index('#fn-b"')
    assert "none[^c]" in text
    assert notes.index("First <em>note</em>") < notes.index("Second")
    seen = ParsedPage(html)
    assert {"fn-a", "fn-b", "fnref-a", "fnref-b"} == {
        anchor for anchor in seen.ids if anchor.startswith("fn")
    }


def test_a_heading_has_its_anchor_and_not_the_braces_it_was_written_in(tmp_path: Path):
    html = shown(tmp_path, "# Top\n\n## `code` & *more* {#mine}\n\nSee [below](#mine).\n")
    assert '<h2 id="mine"><code>code</code> &amp; <em>more</em><a class="anchor"' in html
    assert "{#" not in html
    assert '<a href="/page.md#mine"' in html


def test_a_page_without_a_heading_gets_the_title_of_its_front_matter(tmp_path: Path):
    assert "<h1>Only in front</h1>" in shown(tmp_path, "---\ntitle: Only in front\n---\n\nWords.\n")


def test_a_quotation_that_github_shows_as_a_box(tmp_path: Path):
    html = shown(tmp_path, "> [!WARNING]\n> Hot.\n")
    assert '<span class="alert warning">Warning</span>' in html
    assert "[!" not in html


MKDOCS = """# Page

!!! warning "Mind *it*"
    First

    ```python
    def f():
        return 1
    ```

    ??? note
        Deeper

        ## Inside

=== "Linux"

    apt

=== "Windows"

    winget

## After
"""


def test_boxes_and_tabs_of_mkdocs(tmp_path: Path):
    book = written(tmp_path, {"mkdocs.yml": "site_name: The site\n", "docs/index.md": MKDOCS})
    html = article(opened(book), "/")
    assert '<aside class="box warning"><p class="box-title">Mind <em>it</em></p>' in html
    assert '<span class="k">def</span>' in html
    assert re.search(
        r'<aside class="box note"><p class="box-title">Note</p>\s*<p>Deeper</p>\s*<h2 id="inside">Inside',
        html,
    )
    assert re.findall(r'<p class="variant">(\w+)</p>\s*<p>(\w+)</p>', html) == [
        ("Linux", "apt"),
        ("Windows", "winget"),
    ]
    assert '<h2 id="after">After' in html
    assert "!!!" not in html
