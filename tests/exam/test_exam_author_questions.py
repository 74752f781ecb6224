"""The author's own questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from glossator.errors import SettingsError
from glossator.exam.author_questions import AuthorQuestions
from glossator.exam.question import ExamQuestion
from glossator.ingest.pipeline import IngestTools, ingest
from glossator.ingest.sites import SiteKind, site_of
from glossator.question_generation import sections_of
from glossator.testing import MemoryCache, MemoryIndex, MemoryIndexStore, SilentProgress, WordEmbedder
from support.harbour_book import write_book


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> MemoryIndex:
    folder, index_store = write_book(tmp_path_factory.mktemp("book")), MemoryIndexStore()
    tools = IngestTools(WordEmbedder(), index_store, MemoryCache(), SilentProgress())
    ingest(folder, site_of(folder, kind=SiteKind.PLAIN, base_url="https://tarn.example/"), tools)
    return MemoryIndex(index_store)


def read(index: MemoryIndex, file: str, text: str) -> list[ExamQuestion]:
    return AuthorQuestions(file, index.manifest(), list(sections_of(index.chunks()))).read(text)


YAML = """
questions:
  - question: How long does a tin of oil last?
    page: lamps.md
    section: Lamp oil
    answer: eleven nights
  - Who rings the bell?
  - question: "How is coffee roasted?"
    answerable: false
"""
JSON_LINES = """
{"question": "How long does a tin of oil last?", "page": "lamps.md", "section": "Lamp oil", "answer": "eleven nights"}
"Who rings the bell?"
{"question": "How is coffee roasted?", "answerable": false}
"""
CSV = """question,page,section,answer,answerable
How long does a tin of oil last?,lamps.md,Lamp oil,eleven nights,true
Who rings the bell?,,,,
How is coffee roasted?,,,,no
"""


@pytest.mark.parametrize(
    ("file", "text"),
    [("own.yaml", YAML), ("own.jsonl", JSON_LINES), ("own.csv", CSV), ("own.tsv", CSV.replace(",", "\t"))],
)
def test_every_format_says_the_same(index: MemoryIndex, file: str, text: str):
    oil, bell, coffee = read(index, file, text)
    assert oil.text == "How long does a tin of oil last?"
    assert [(place.page, place.title) for place in oil.places] == [("lamps.md", "Lamp oil")]
    assert oil.facts == ("eleven nights",)
    assert (bell.is_answerable, bell.places, bell.facts) == (True, (), ())
    assert (coffee.is_answerable, coffee.text) == (False, "How is coffee roasted?")


def test_plain_text_has_one_question_a_line_and_remarks(index: MemoryIndex):
    found = read(index, "own.txt", "# mine\nWho rings the bell?\n\nHow is a wick trimmed?\n")
    assert [question.text for question in found] == ["Who rings the bell?", "How is a wick trimmed?"]


@pytest.mark.parametrize("page", ["lamps.md", "The lamps", "https://tarn.example/lamps"])
def test_a_page_is_known_by_its_file_its_title_and_its_address(index: MemoryIndex, page: str):
    if page.startswith("https"):
        page = next(record.url for record in index.manifest().pages if record.path == "lamps.md")
    (found,) = read(index, "own.jsonl", f'{{"question": "Which oil?", "page": "{page}"}}')
    assert [place.page for place in found.places] == ["lamps.md"]
    assert not found.knows_section


def test_a_section_is_known_by_its_anchor_too(index: MemoryIndex):
    (found,) = read(index, "own.jsonl", '{"question": "Which oil?", "section": "#lamp-oil"}')
    assert [place.title for place in found.places] == ["Lamp oil"]


@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        ("own.yaml", "- question: Which oil?\n- question: Where?\n  pages: lamps.md\n", "own.yaml, line 2: there is no field 'pages'"),
        ("own.yaml", "- a: [1\n", "own.yaml, line 2: this is not YAML"),
        ("own.yaml", "- question: a\n  page: [lamps.md]\n", "own.yaml, line 1: ['lamps.md'] is not a text"),
        ("own.yaml", "oil: lamp\n", "own.yaml, line 1: this is not a list of questions"),
        ("own.jsonl", '"Which oil?"\n{"question": \n', "own.jsonl, line 2: this is not JSON"),
        ("own.jsonl", '{"page": "lamps.md"}', "own.jsonl, line 1: there is no question"),
        ("own.jsonl", '{"question": "Which oil?", "page": "oil.md"}', "line 1: the book has no page 'oil.md'"),
        ("own.jsonl", '{"question": "Which oil?", "section": "Oil"}', "line 1: there is no section 'Oil'"),
        ("own.jsonl", '{"question": "Oil?", "answerable": "perhaps"}', "line 1: answerable is true or false, not 'perhaps'"),
        ("own.jsonl", '{"question": "Oil?", "answerable": false, "answer": "rape"}', "line 1: it says where the answer is"),
        ("own.jsonl", "7", "line 1: a question is a text"),
        ("own.csv", "text,page\nWhich oil?,lamps.md\n", "own.csv, line 1: there is no column `question`"),
        ("own.csv", "question,page\nWhich oil?,lamps.md,more\n", "own.csv, line 2: there are more fields than columns"),
        ("own.csv", 'question\n"Which oil?\n', "own.csv, line 2: this is not CSV"),
        ("own.txt", "# only a remark\n", "own.txt has no questions in it"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(index: MemoryIndex, file: str, text: str, complaint: str):
    with pytest.raises(SettingsError) as raised:
        read(index, file, text)
    assert complaint in str(raised.value)


def test_a_file_saved_by_windows_is_read(index: MemoryIndex, tmp_path: Path):
    (found,) = read(index, "own.csv", "\ufeffquestion,page\r\nWhich oil?,lamps.md\r\n")
    assert [place.page for place in found.places] == ["lamps.md"]
