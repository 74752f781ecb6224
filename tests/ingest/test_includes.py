from __future__ import annotations

from pathlib import Path

import pytest

from glossator.ingest.discover import PageFile
from glossator.ingest.page import load_page, process_page
from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import SiteKind, site_of
from glossator.model import Chunk, Span
from glossator.testing import MemoryCache, MemoryIndex, MemoryIndexStore, SilentProgress, WordEmbedder

CODE = """\
use std::io;
// ANCHOR: all
fn main() {
    // ANCHOR: greet
    println!("hello");
    // ANCHOR_END: greet
}
// ANCHOR_END: all"""


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root


def mdbook(root: Path, page: str, **files: str) -> PageFile:
    write(root, {"book.toml": "", "src/SUMMARY.md": "- [One](one.md)\n", "src/one.md": page})
    write(root, {"listings/main.rs": CODE, **files})
    return load_page(root, "src/one.md", site_of(root))


def mkdocs(root: Path, page: str, config: str = "", **files: str) -> PageFile:
    write(root, {"mkdocs.yml": f"site_name: Book\n{config}", "docs/one.md": page, **files})
    return load_page(root, "docs/one.md", site_of(root))


def chunks_of(file: PageFile, root: Path) -> tuple[Chunk, ...]:
    return process_page(file, site_of(root), WordEmbedder(), "english").chunks


class TestMdBook:
    @pytest.mark.parametrize(
        ("part", "shown"),
        [
            ("", CODE),
            (":1", "use std::io;"),
            (":1:1", "use std::io;"),
            (":7:", "}\n// ANCHOR_END: all"),
            ("::1", "use std::io;"),
            (":greet", '    println!("hello");'),
            (":all", 'fn main() {\n    println!("hello");\n}'),
        ],
    )
    @pytest.mark.parametrize("directive", ["include", "rustdoc_include"])
    def test_shows_the_file_or_a_part_of_it(
        self, tmp_path: Path, directive: str, part: str, shown: str
    ) -> None:
        file = mdbook(tmp_path, f"# One\n\n```rust\n{{{{#{directive} ../listings/main.rs{part}}}}}\n```\n")
        assert file.text == f"# One\n\n```rust\n{shown}\n```\n"

    def test_includes_in_an_included_file_are_relative_to_it(self, tmp_path: Path) -> None:
        parts = {"src/parts/a.md": "Before {{#include b.md}} after", "src/parts/b.md": "between"}
        assert mdbook(tmp_path, "{{#include parts/a.md}}\n", **parts).text == "Before between after\n"

    def test_a_file_that_includes_itself_ends(self, tmp_path: Path) -> None:
        file = mdbook(tmp_path, "{{#include a.md}}", **{"src/a.md": "x {{#include a.md}}"})
        assert file.text == "x {{#include a.md}}"

    def test_ten_includes_of_ten_includes_do_not_fill_the_memory(self, tmp_path: Path) -> None:
        parts = {f"src/{n}.md": f"{{{{#include {n + 1}.md}}}}\n" * 10 for n in range(9)}
        file = mdbook(tmp_path, "{{#include 0.md}}", **parts, **{"src/9.md": "x" * 1000})
        assert len(file.text) < 20_000_000

    @pytest.mark.parametrize("name", ["none.rs", "../listings/main.rs:nowhere", "../listings"])
    def test_a_directive_without_a_file_stays_as_it_is(self, tmp_path: Path, name: str) -> None:
        page = f"{{{{#include {name}}}}}\n"
        assert mdbook(tmp_path, page).text == page

    def test_an_escaped_directive_is_text(self, tmp_path: Path) -> None:
        page = "\\{{#include ../listings/main.rs}}\n"
        assert mdbook(tmp_path, page).text == page


class TestTheRepository:
    def test_nothing_outside_of_it_is_read(self, tmp_path: Path) -> None:
        write(tmp_path, {"secret.txt": "hidden", "book/src/x.md": ""})
        (tmp_path / "book/src/link.txt").symlink_to(tmp_path / "secret.txt")
        for name in ("../../secret.txt", "link.txt", str(tmp_path / "secret.txt")):
            assert "hidden" not in mdbook(tmp_path / "book", f"{{{{#include {name}}}}}").text

    def test_it_is_the_folder_with_git_above_the_book(self, tmp_path: Path) -> None:
        write(tmp_path, {".git/config": "token", "examples/a.rs": "shared"})
        page = "{{#include ../../examples/a.rs}} {{#include ../../.git/config}}"
        assert mdbook(tmp_path / "book", page).text == "shared {{#include ../../.git/config}}"

    def test_data_and_other_encodings_are_left_out(self, tmp_path: Path) -> None:
        mdbook(tmp_path, "")
        (tmp_path / "src/a.bin").write_bytes(b"\xff\xfe")
        (tmp_path / "src/b.txt").write_text("x" * 1_000_001)
        page = "{{#include a.bin}} {{#include b.txt}}"
        assert mdbook(tmp_path, page).text == page


class TestMkDocs:
    def test_shows_a_snippet_with_its_indentation(self, tmp_path: Path) -> None:
        page = '- item\n\n    --8<-- "parts/a.md"\n'
        file = mkdocs(tmp_path, page, **{"parts/a.md": "one\ntwo\n"})
        assert file.text == "- item\n\n    one\n    two\n"

    @pytest.mark.parametrize(
        ("part", "shown"),
        [
            (":2", "two\nthree\nfour"),
            (":2:3", "two\nthree"),
            (":1:1,3:3", "one\nthree"),
            (":-2", "four"),
            (":func", "three"),
        ],
    )
    def test_shows_lines_and_sections(self, tmp_path: Path, part: str, shown: str) -> None:
        text = "one\ntwo\n# --8<-- [start:func]\nthree\n# --8<-- [end:func]\nfour\n"
        plain = "one\ntwo\nthree\nfour\n"
        file = mkdocs(
            tmp_path, f'```\n-8<- "a.py{part}"\n```\n', **{"a.py": text if "func" in part else plain}
        )
        assert file.text == f"```\n{shown}\n```\n"

    def test_a_block_lists_several_files(self, tmp_path: Path) -> None:
        page = "--8<--\na.md\n; b.md\nc.md\n--8<--\nend\n"
        file = mkdocs(tmp_path, page, **{"a.md": "A", "b.md": "B", "c.md": "C"})
        assert [line for line in file.text.split("\n") if line] == ["A", "C", "end"]

    def test_snippets_are_searched_for_in_the_configured_folders(self, tmp_path: Path) -> None:
        config = "markdown_extensions:\n  - pymdownx.snippets:\n      base_path: [docs, shared]\n"
        file = mkdocs(tmp_path, '--8<-- "a.md"', config, **{"shared/a.md": "found"})
        assert file.text == "found"

    @pytest.mark.parametrize(
        ("options", "shown"),
        [
            ("", "a\nb\nc\nd"),
            (" hl[2]", "a\nb\nc\nd"),
            (" ln[2:3] hl[2]", "b\nc"),
            (" ln[1,3:4]", "a\n\nc\nd"),
        ],
    )
    def test_shows_code_as_the_fastapi_documentation_does(
        self, tmp_path: Path, options: str, shown: str
    ) -> None:
        write(tmp_path, {".git/HEAD": "", "docs_src/a.py": "a\nb\nc\nd\n"})
        file = mkdocs(tmp_path / "docs/en", f"See:\n\n{{* ../../docs_src/a.py{options} *}}\n\nAfter.\n")
        assert file.text == f"See:\n\n```python\n{shown}\n```\n\nAfter.\n"


class TestThePlaceOfIncludedText:
    PAGE = "# One\n\nBefore it.\n\n```rust\n{{#include ../listings/main.rs:1}}\n```\n\nAfter it.\n"

    def test_is_the_directive_and_other_text_is_where_it_was(self, tmp_path: Path) -> None:
        file = mdbook(tmp_path, self.PAGE)
        (chunk,) = chunks_of(file, tmp_path)
        assert file.text[chunk.start : chunk.end] == chunk.text

        def place(words: str) -> str:
            start = file.text.index(words)
            found = chunk.place_of(Span(start, start + len(words)))
            return self.PAGE[found.start : found.end]

        assert place("Before it.") == "Before it."
        assert place("After it.") == "After it."
        assert place("std::io;") == "{{#include ../listings/main.rs:1}}"
        assert place("```rust\nuse std") == "```rust\n{{#include ../listings/main.rs:1}}"

    def test_is_kept_in_the_index(self, tmp_path: Path) -> None:
        mdbook(tmp_path, self.PAGE)
        store = MemoryIndexStore()
        tools = IngestTools(WordEmbedder(), store, MemoryCache(), SilentProgress())
        assert ingest(tmp_path, site_of(tmp_path), tools).changed
        assert any("use std::io" in chunk.text and chunk.origins for chunk in MemoryIndex(store).chunks())
        assert not ingest(tmp_path, site_of(tmp_path), tools).changed
        write(tmp_path, {"listings/main.rs": "use std::fs;"})
        assert ingest(tmp_path, site_of(tmp_path), tools).changed
        assert any("use std::fs" in chunk.text for chunk in MemoryIndex(store).chunks())


def test_a_page_without_includes_is_its_file(tmp_path: Path) -> None:
    file = mdbook(tmp_path, "# One\n\nText.\n")
    assert file.origins == ()
    (chunk,) = chunks_of(file, tmp_path)
    assert chunk.place_of(Span(2, 5)) == Span(2, 5)


def test_a_plain_folder_includes_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "{{#include b.txt}}", "b.txt": "B"})
    site = site_of(tmp_path, kind=SiteKind.PLAIN)
    assert load_page(tmp_path, "a.md", site).text == "{{#include b.txt}}"


def test_vitepress_includes_pages_and_code(tmp_path: Path) -> None:
    page = "<!--@include: ./part.txt{2,2}-->\n\n<<< @/code/a.js#part{1} [named]\n\n<<< ../code/a.js\n\n<<< no.js\n"
    code = "before()\n// #region part\ninside()\n// #endregion part\n"
    write(tmp_path, {".vitepress/config.ts": "export default {}", "guide/one.md": page})
    write(tmp_path, {"guide/part.txt": "one\ntwo\nthree\n", "code/a.js": code})
    shown = load_page(tmp_path, "guide/one.md", site_of(tmp_path)).text
    assert shown == f"two\n\n```js\ninside()\n```\n\n```js\n{code}```\n\n<<< no.js\n"


class TestWhatShowsCode:
    """Tags and fences of plugins, read as what they show."""

    @pytest.mark.parametrize(
        ("config", "opens", "closes"),
        [
            ("_config.yml", "{% highlight python linenos %}", "{% endhighlight %}"),
            ("_config.yml", "{%- highlight python -%}", "{%- endhighlight -%}"),
            ("hugo.toml", '{{< highlight python "linenos=table,hl_lines=1" >}}', "{{< /highlight >}}"),
        ],
    )
    def test_a_highlight_tag_is_a_fence(self, tmp_path: Path, config: str, opens: str, closes: str) -> None:
        name = "content/one.md" if config == "hugo.toml" else "one.md"
        write(tmp_path, {config: "", name: f"# One\n\n{opens}\nx = 1\n\ny = 2\n{closes}\n\nEnd.\n"})
        file = load_page(tmp_path, name, site_of(tmp_path))
        assert file.text == "# One\n\n```python\nx = 1\n\ny = 2\n```\n\nEnd.\n"
        (chunk,) = chunks_of(file, tmp_path)
        place = chunk.place_of(Span(start := file.text.index("y = 2"), start + 5))
        assert (tmp_path / name).read_text()[place.start : place.end].startswith(opens)

    def test_a_highlight_tag_that_is_shown_or_never_closed_stays(self, tmp_path: Path) -> None:
        page = "```liquid\n{% highlight ruby %}\nx\n{% endhighlight %}\n```\n\n{% highlight ruby %}\nx\n"
        write(tmp_path, {"_config.yml": "", "one.md": page})
        assert load_page(tmp_path, "one.md", site_of(tmp_path)).text == page

    @pytest.mark.parametrize(
        ("info", "container"),
        [
            ("admonish", ":::note"),
            ("admonish warning", ":::warning"),
            ('admonish tip "Do this"', ":::tip[Do this]"),
            ("admonish info title='A &amp; B', collapsible=true", ":::info[A &amp; B]"),
            ('admonish bug title=""', ":::bug"),
        ],
    )
    def test_a_fence_of_mdbook_admonish_is_an_admonition(
        self, tmp_path: Path, info: str, container: str
    ) -> None:
        file = mdbook(tmp_path, f"````{info}\nMind *this*.\n\n```rust\nlet x;\n```\n````\n\nEnd.\n")
        assert file.text == f"{container}\nMind *this*.\n\n```rust\nlet x;\n```\n:::\n\nEnd.\n"
        assert "```rust" in chunks_of(file, tmp_path)[0].text

    def test_a_fence_that_only_shows_how_to_write_an_admonition_stays(self, tmp_path: Path) -> None:
        page = "````markdown\n```admonish note\nText.\n```\n````\n\n```admonished\nx\n```\n"
        assert mdbook(tmp_path, page).text == page
