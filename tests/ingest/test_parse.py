from __future__ import annotations

import pytest

from glossator.ingest.parse import BlockKind, Dialect, MarkdownBlock, parse
from glossator.text.sentences import sentences


def readings(source: str, dialect: Dialect = Dialect.MDX) -> list[str]:
    return [block.reading for block in parse(source, dialect).blocks]


def kinds(source: str, dialect: Dialect = Dialect.MDX) -> list[BlockKind]:
    return [block.kind for block in parse(source, dialect).blocks]


def test_front_matter_is_taken_off_and_understood():
    document = parse("---\ntitle: Nodes\nsidebar_position: 2\n---\n# Nodes\n")
    assert document.front_matter == {"title": "Nodes", "sidebar_position": 2}
    assert [block.span.start for block in document.blocks] == [41]


@pytest.mark.parametrize("fields", ["title: [", "[" * 100_000, "- " * 100_000])
def test_broken_front_matter_does_not_cost_the_page(fields: str):
    document = parse(f"---\n{fields}\n---\nWords.")
    assert document.front_matter == {}
    assert [block.reading for block in document.blocks] == ["Words."]


def test_headings_of_both_kinds_carry_their_custom_ids():
    source = "# One {#first}\n\nTwo\n---\n\n### `code` & *more* {#x-y}\n\n## Four {/* #fourth */}"
    found = [(h.level, h.reading, h.custom_id) for h in parse(source, Dialect.MDX).headings]
    assert found == [
        (1, "One", "first"),
        (2, "Two", None),
        (3, "code & more", "x-y"),
        (2, "Four", "fourth"),
    ]


def test_a_shell_comment_in_a_fence_is_no_heading():
    source = "```bash\n# install\n## twice\n```\n\n~~~\n# more\n~~~\n\n- item\n  ```\n  # inside\n  ```\n"
    assert parse(source, Dialect.MDX).headings == []


def test_an_unclosed_fence_runs_to_the_end():
    document = parse("# A\n\n```python\nprint(1)\n\n# not a heading\n")
    assert [heading.reading for heading in document.headings] == ["A"]


def test_a_fence_inside_a_fence_is_one_block():
    assert kinds("````md\n```py\nx\n```\n````") == [BlockKind.CODE]


def test_imports_exports_comments_and_tags_are_dropped_and_their_text_is_kept():
    source = (
        "import Tabs from '@theme/Tabs';\nimport {a} from 'b';\n\nexport const x = {\n  y: 1,\n\n  z: 2,\n};\n\n"
        '<Tabs>\n<TabItem value="py" label="Python">\n\nUse `rclpy`.\n\n</TabItem>\n</Tabs>\n\n'
        "{/* hidden */}\n\n<!-- hidden too -->\n\n<Card title='Shown' onClick={() => a > b}>\n  Words **inside**.\n</Card>"
    )
    assert readings(source) == ["Python", "Use rclpy.", "Shown", "Words inside."]


def test_a_sentence_that_begins_with_import_is_words():
    assert readings("import is a keyword of Python.") == ["import is a keyword of Python."]


def test_inline_tags_are_dropped_and_their_text_is_kept():
    assert readings("A <Highlight color='#fff'>bright</Highlight> idea<br />.") == ["A bright idea."]


def test_an_admonition_keeps_its_title_and_its_words():
    assert readings(":::tip[Read this]\n\nBody.\n\n:::\n\n:::note\nClose by.\n:::") == [
        "Read this",
        "Body.",
        "Close by.",
    ]


MKDOCS = """
!!! note "Read this"
    Body. It has
    two lines.

    - An item.

???tip

    Folded.

=== "Shell"

    ```console
    $ run
    ```

=== "Python"
    ```python
    run()
    ```

/// warning | Beware
    type: warning

Of the dog.

///
"""


def test_what_mkdocs_indents_below_a_mark_is_read_as_markdown():
    assert readings(MKDOCS, Dialect.COMMONMARK) == [
        "Read this",
        "Body. It has two lines.",
        "An item.",
        "Folded.",
        "Shell",
        "$ run",
        "Python",
        "run()",
        "Beware",
        "Of the dog.",
    ]


def test_a_mark_with_nothing_indented_below_it_is_words():
    words = '!!! careful\n\n=== "so" he said'
    assert readings(words, Dialect.COMMONMARK) == ["!!! careful", '=== "so" he said']


def test_marks_inside_marks_are_read_as_deep_as_lists_are():
    source = "\n".join(f"{'    ' * depth}!!! note" for depth in range(200)) + "\n" + "    " * 200 + "Deep."
    parse(source, Dialect.COMMONMARK)
    assert readings('!!! a\n    === "B"\n        !!! c "C"\n            Deep.', Dialect.COMMONMARK) == [
        "B",
        "C",
        "Deep.",
    ]


def test_tags_of_templates_are_dropped_and_what_they_display_is_kept():
    source = (
        'A {{< tooltip text="Pod" id="pod" >}} runs{{% comment %}}.\n\n{{< note >}}\nRead *this*.\n{{< /note >}}\n\n'
        '{% tabs %}\n{% tab title="Linux" %}\nUse it.\n{% endtab %}\n{% endtabs %}\n\n`{% raw %}` is code, {{ x }} is not.'
    )
    assert readings(source, Dialect.COMMONMARK) == [
        "A Pod runs.",
        "Read this.",
        "Linux",
        "Use it.",
        "{% raw %} is code, {{ x }} is not.",
    ]


def test_pictures_keep_their_description_and_links_their_text():
    source = "![A *red* arm](arm.png 'T') by [the lab][lab], see <https://a.example>.\n\n[lab]: https://lab.example"
    assert readings(source, Dialect.COMMONMARK) == ["A red arm by the lab, see https://a.example."]


def test_a_table_is_read_row_by_row_with_its_column_names():
    [table] = parse("| Name | Rate |\n|---|---|\n| IMU | 200 Hz |\n| Lidar | 10 Hz |").blocks
    assert table.kind is BlockKind.TABLE
    assert [row.reading for row in table.children] == ["Name | Rate\nIMU | 200 Hz", "Lidar | 10 Hz"]


def test_math_footnotes_and_mermaid_are_kept():
    source = (
        "Let $x_1 < 2$.[^n]\n\n$$\ny = *x*\n$$\n\n[^n]: By assumption.\n\n```mermaid\ngraph LR; A-->B\n```"
    )
    assert readings(source) == ["Let $x_1 < 2$.", "y = *x*", "By assumption.", "graph LR; A-->B"]


def test_indented_lines_are_code_in_markdown_and_words_in_mdx():
    assert kinds("Text\n\n    x = 1", Dialect.COMMONMARK) == [BlockKind.PARAGRAPH, BlockKind.CODE]
    assert kinds("Text\n\n    x = 1", Dialect.MDX) == [BlockKind.PARAGRAPH, BlockKind.PARAGRAPH]


def test_offsets_count_the_characters_of_the_file_whatever_its_line_ends():
    for newline in ("\n", "\r\n", "\r"):
        source = newline.join(["# Ü", "", "- één", "- two 🤖", "", "Last."])
        spans = [block.span for block in leaves(parse(source).blocks)]
        assert [source[start:end] for start, end in spans] == ["# Ü", "- één", "- two 🤖", "Last."]


def leaves(blocks: tuple[MarkdownBlock, ...]) -> list[MarkdownBlock]:
    return [leaf for block in blocks for leaf in (leaves(block.children) if block.children else [block])]


def test_raw_html_shows_its_text():
    assert readings("<div class='x'>\n<b>Bold</b> &amp; plain\n</div>", Dialect.COMMONMARK) == [
        "Bold & plain"
    ]


def test_sentences_end_where_a_reader_would_end_them():
    text = (
        "Use e.g. ROS 2 v1.2. It works, see Fig. 3 for more! Does `a.b. C` end? No. "
        "See [the docs. Really](https://x.example/a.b) now. Dr. Who said 3.5 m. یہ ہے۔ کیا؟ 好。是的！"
    )
    assert [text[start:end] for start, end in sentences(text)] == [
        "Use e.g. ROS 2 v1.2.",
        "It works, see Fig. 3 for more!",
        "Does `a.b. C` end?",
        "No.",
        "See [the docs. Really](https://x.example/a.b) now.",
        "Dr. Who said 3.5 m.",
        "یہ ہے۔",
        "کیا؟",
        "好。",
        "是的！",
    ]


@pytest.mark.parametrize(
    ("line", "custom_id", "shown"),
    [
        ("## One {#own}", "own", "One"),
        ("## One {: #own .wide }", "own", "One"),
        ("## One { .wide #own }", "own", "One"),
        ("## One { id=own }", "own", "One"),
        ('## One {: .wide id="own" data-x=1 }', "own", "One"),
        ("## One {/* #own */}", "own", "One"),
        ("## One {own}", None, "One {own}"),
        ("## A set {a, b}", None, "A set {a, b}"),
    ],
)
def test_a_heading_may_have_an_id_of_its_own(line: str, custom_id: str | None, shown: str) -> None:
    (heading,) = parse(line).headings
    assert (heading.custom_id, heading.reading) == (custom_id, shown)
