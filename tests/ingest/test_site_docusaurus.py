from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.errors import SettingsError
from glossator.ingest.sites import Heading, PageFacts, PagePlace, site_of
from glossator.ingest.sites.docusaurus.docs import numbered
from glossator.ingest.sites.docusaurus.javascript import UNKNOWN, exported_value

FIXTURE = Path(__file__).parent / "fixtures" / "site" / "docusaurus"


def place(root: Path, path: str, front_matter: dict[str, object] | None = None) -> PagePlace:
    page = root / path
    page.parent.mkdir(parents=True, exist_ok=True)
    page.touch()
    return site_of(root).place(PageFacts(path, front_matter or {}, []))


@pytest.fixture
def book(tmp_path: Path) -> Path:
    (tmp_path / "docusaurus.config.js").write_text("module.exports = {title: 'x'}")
    (tmp_path / "docs").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("name", "unnumbered", "number"),
    [
        ("01-intro", "intro", 1),
        ("003 - intro", "intro", 3),
        ("1_intro", "intro", 1),
        ("1.intro", "intro", 1),
        ("1--.intro", "intro", 1),
        ("intro", "intro", None),
        ("1intro", "1intro", None),
        ("1-", "1-", None),
        ("2021-01-01-foo", "2021-01-01-foo", None),
        ("1.2.3-foo", "1.2.3-foo", None),
        ("7.0-foo", "7.0-foo", None),
        ("2021-11-foo", "2021-11-foo", None),
        ("5 - 2 foo", "2 foo", 5),
    ],
)
def test_numbers_in_front_are_order_and_dates_and_versions_are_names(
    name: str, unnumbered: str, number: int | None
) -> None:
    assert numbered(name) == (unnumbered, number)


@pytest.mark.parametrize("position", [float("inf"), float("nan"), 10**400, True, "first"])
def test_a_position_that_is_no_number_orders_nothing(book: Path, position: object) -> None:
    unordered = place(book, "docs/page.md")
    assert place(book, "docs/page.md", {"sidebar_position": position}) == unordered
    assert place(book, "docs/page.md", {"sidebar_position": "2"}) != unordered


def test_a_draft_is_no_page(book: Path) -> None:
    (book / "docs" / "draft.md").write_text("---\ndraft: true\n---\n# Draft\n")
    (book / "docs" / "page.md").write_text("---\ndraft: false\n---\n# Page\n")
    site = site_of(book)
    assert [site.is_page(f"docs/{name}.md") for name in ("draft", "page")] == [False, True]


def test_a_page_that_is_not_utf8_is_still_a_page(book: Path) -> None:
    (book / "docs" / "page.md").write_bytes(b"# P\xff\n")
    assert site_of(book).is_page("docs/page.md")


@pytest.mark.parametrize(
    "path", ["README.md", "blog/post.md", "src/pages/about.md", "docs/_part.md", "i18n/x.md"]
)
def test_what_is_not_in_the_docs_is_no_page_but_has_a_place(book: Path, path: str) -> None:
    assert place(book, path).url
    assert not site_of(book).is_page(path)


def test_a_category_file_may_be_indented_with_tabs(book: Path) -> None:
    (book / "docs" / "b").mkdir()
    (book / "docs" / "b" / "_category_.json").write_text('{\n\t"label": "Bee",\n\t"position": 2\n}\n')
    assert place(book, "docs/b/a.md").chapter == "Bee"


def test_the_released_versions_move_the_docs_to_next(book: Path) -> None:
    (book / "versions.json").write_text('["1.0.0"]')
    assert place(book, "docs/a.md").url == "/docs/next/a"
    (book / "docusaurus.config.js").write_text(
        "export default {presets: [['classic', {docs: {lastVersion: 'current'}}]]}"
    )
    assert place(book, "docs/a.md").url == "/docs/a"


def test_the_folder_of_a_translation_is_in_its_language() -> None:
    root = FIXTURE / "i18n" / "ur" / "docusaurus-plugin-content-docs" / "current"
    site = site_of(root)
    assert site.is_page("01-intro.md")
    assert not site.is_page("only-urdu.md")
    assert site.place(PageFacts("01-intro.md", {}, [Heading(1, "تعارف")])).url == "/book/ur/handbook/intro"


def test_a_language_cannot_be_asked_of_the_docs_folder_alone() -> None:
    with pytest.raises(SettingsError, match="folder of the whole site"):
        site_of(FIXTURE / "content", locale="ur")


def test_an_unreadable_sidebars_file_leaves_the_order_of_the_folders(book: Path) -> None:
    (book / "docusaurus.config.js").write_text(
        "module.exports = {presets: [['classic', {docs: {sidebarPath: join(root, 'sidebars.js')}}]]}"
    )
    (book / "sidebars.js").write_text("module.exports = makeSidebars();")
    (book / "docs" / "02-b").mkdir()
    (book / "docs" / "02-b" / "_category_.json").write_text('{"label": "Bee"}')
    assert place(book, "docs/02-b/1-a.md").chapter == "Bee"


VALUES = "'c-d': [1, true, null], e: {f: \"g'é\"}"
"""What every module below exports, beside `a: 'b'`."""

PIECES = ["export default ", "module.exports = ", "const a = ", "return ", "a", "'b'", "...", "=>", "||"]
PIECES += "{}[]():;,.?=/*'`\n\\"


@pytest.mark.parametrize(
    "source",
    [
        f"module.exports = {{a: 'b', {VALUES}}};",
        f"// module.exports = {{}}\nexport default {{a: `b`, {VALUES},}} satisfies Config",
        f"export default ({{'a': '\\u0062', /* }} */ {VALUES}}})",
        f"const config = {{a: 'b', {VALUES}}}\n\nexport default config\nfoo()",
        f"const a = 'b', z = 1;\nlet config: Config<T> = {{a, {VALUES}}};\nexport default config;",
        f"const x = {{a: 'b'}} as const\nmodule.exports = async function () {{ return {{...x, {VALUES}}}; }}",
        f"module.exports = () => ({{...rest, a: process.env.A ?? 'b', {VALUES}}})",
        f"module.exports = {{a: require.resolve('b'), {VALUES}, g() {{ return 1; }}}}",
    ],
)
def test_plain_values_are_read_out_of_javascript(source: str) -> None:
    assert exported_value(source) == {"a": "b", "c-d": [1, True, None], "e": {"f": "g'é"}}


def test_a_character_may_be_written_as_two_escapes() -> None:
    assert exported_value(r"export default ['\ud83d\ude80', '\u{1F680}', '\x41']") == ["🚀", "🚀", "A"]


@pytest.mark.parametrize("value", ["c ? 'x' : 'y'", "`${b}`", "x => x || 'y'", "e.f", "g('h')", "a", "b"])
def test_what_would_have_to_be_run_is_unknown(value: str) -> None:
    assert exported_value(f"const b = a; const a = b; export default {{a: {value}}}") == {"a": UNKNOWN}


@pytest.mark.parametrize("source", ["", "export default require('./other')", "export default", "const a = 1"])
def test_a_module_that_exports_nothing_readable_is_unknown(source: str) -> None:
    assert exported_value(source) is UNKNOWN


@given(st.lists(st.sampled_from(PIECES)))
def test_no_javascript_is_too_broken_to_be_read(parts: list[str]) -> None:
    exported_value("".join(parts))


def with_sidebars(book: Path, sidebars: str) -> Path:
    (book / "docusaurus.config.js").write_text(
        "module.exports = {presets: [['classic', {docs: {sidebarPath: './sidebars.js'}}]]}"
    )
    (book / "sidebars.js").write_text(f"module.exports = {sidebars};")
    return book


MODULES = (
    "{type: 'category', label: 'One', items: ['one/a']}, {type: 'category', label: 'Two', items: ['two/b']}"
)


@pytest.mark.parametrize(
    ("sidebars", "chapter"),
    [
        (f"{{book: [{{type: 'category', label: 'The Book', items: [{MODULES}]}}]}}", "One"),
        (f"{{book: ['intro', {{type: 'category', label: 'The Book', items: [{MODULES}]}}]}}", "One"),
        (f"{{book: [{MODULES}]}}", "One"),
        ("{book: [{type: 'category', label: 'The Book', items: ['one/a', 'two/b']}]}", "a"),
        ("{book: ['intro', {type: 'category', label: 'Guide', items: ['one/a', 'two/b']}]}", "Guide"),
        (
            "{book: [{type: 'category', label: 'The Book', items: [{type: 'autogenerated', dirName: '.'}]}]}",
            "one",
        ),
        (
            "{book: [{type: 'category', label: 'Book', items: ['one/a']}], api: [{type: 'category', label: 'API', items: ['two/b']}]}",
            "Book",
        ),
    ],
)
def test_a_category_that_holds_the_whole_book_is_no_chapter(book: Path, sidebars: str, chapter: str) -> None:
    with_sidebars(book, sidebars)
    for path in ("docs/intro.md", "docs/two/b.md"):
        (book / path).parent.mkdir(parents=True, exist_ok=True)
        (book / path).touch()
    assert place(book, "docs/one/a.md").chapter == chapter


def test_neither_is_a_folder_that_holds_all_others(book: Path) -> None:
    for path in ("docs/book/02-two/b.md", "docs/intro.md"):
        (book / path).parent.mkdir(parents=True, exist_ok=True)
        (book / path).touch()
    assert place(book, "docs/book/01-one/a.md").chapter == "one"
    assert place(book, "docs/book/preface.md").chapter == "preface"
