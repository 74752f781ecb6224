"""Every sentence of a writer is held against the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.answer.verify import Verifier
from glossator.answer.verify.plain import plain
from glossator.model import Checked, Chunk, EmbedderIdentity, Embedding, Evidence, Section, Span, Verdict
from glossator.ports import Embedder
from glossator.testing import WordEmbedder
from glossator.text.sentences import sentences

PAGES = sorted((Path(__file__).parents[2] / "examples" / "physical-ai-book" / "docs").rglob("*.md*"))

CHUNK = """\
## Motors

The **left** motor stops at 3.5 A, as the
[data sheet](https://motors.example/sheet) says. It’s “hot” then.

- A *fuse* blows first.
- Nobody can say that the controller is stable.

| Motor | Limit |
| --- | --- |
| left | 3.5 A |
| right | 4 A |

```python
limit = 3.5
if amps > limit:
    stop(motor)
```
"""


def evidence(*texts: str, start: int = 100) -> list[Evidence]:
    section = Section("Motors", "motors", ("Motors",), 0)
    chunks = [
        Chunk("p.md", "Robots", "", "", 0, (section,), text, start, start + len(text), 0, "")
        for text in texts
    ]
    return [Evidence(number, chunk, section, (), 1.0) for number, chunk in enumerate(chunks, 1)]


def quote(checked: Checked) -> str:
    assert checked.evidence is not None
    assert checked.span is not None
    chunk = checked.evidence.chunk
    return chunk.text[checked.span.start - chunk.start : checked.span.end - chunk.start]


def check(claim: str, *texts: str) -> Checked:
    return Verifier(WordEmbedder(), "english").check(claim, evidence(*texts))


class Listening:
    """Passes on to another embedder, and remembers what it was asked."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.asked = list[str]()

    @property
    def identity(self) -> EmbedderIdentity:
        return self._embedder.identity

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._embedder.count_tokens(texts)

    def embed_passages(self, texts: Sequence[str], *, states: bool = False) -> list[Embedding]:
        self.asked += texts
        return self._embedder.embed_passages(texts, states=states)

    def embed_query(self, text: str, *, states: bool = False) -> Embedding:
        self.asked.append(text)
        return self._embedder.embed_query(text, states=states)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("A fuse blows first. [1]", "A *fuse* blows first."),
        ('It\'s "hot" then.', "It’s “hot” then."),
        (
            "The left motor stops at 3.5 A, as the data sheet says. [1]",
            "The **left** motor stops at 3.5 A, as the\n[data sheet](https://motors.example/sheet) says.",
        ),
        ("| left | 3.5 A | [1]", "| left | 3.5 A |"),
        ("```python\nif amps > limit:\n    stop(motor)\n```\n\n[1]", "if amps > limit:\n    stop(motor)"),
        ("- A fuse blows first.\n- Nobody can say that the controller is stable.", None),
    ],
)
def test_words_of_the_book_are_supported_by_exactly_themselves(claim: str, source: str | None) -> None:
    checked = check(claim, CHUNK)
    assert (checked.verdict, checked.score) == (Verdict.SUPPORTED, 1.0)
    assert quote(checked) == source or source is None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_sentence_of_a_real_page_is_found_where_it_stands(page: Path) -> None:
    source = page.read_text("utf-8")
    verifier = Verifier(WordEmbedder(), "english")
    ledger = verifier.read(evidence(source, start=0))
    words = plain(source)
    for number, line in enumerate(words.lines):
        text = words.text[line.start : line.end]
        for span in [] if number in words.code else sentences(text):
            there = words.source_span(Span(line.start + span.start, line.start + span.end))
            checked = verifier.check(source[there.start : there.end] + " [1]", ledger)
            assert checked.score == 1.0, source[there.start : there.end]
            assert plain(quote(checked)).folded == plain(source[there.start : there.end]).folded


def test_a_citation_mark_says_where_to_look_first() -> None:
    twice = ["A fuse blows first.", "A fuse blows first."]
    assert check("A fuse blows first. [2]", *twice).evidence == evidence(*twice)[1]


def test_a_citation_mark_proves_nothing() -> None:
    assert check("The moon is made of green cheese. [1]", CHUNK).verdict is Verdict.UNSUPPORTED


def test_words_cut_out_of_a_sentence_that_denies_them_are_not_supported() -> None:
    assert check("The controller is stable.", CHUNK).verdict is not Verdict.SUPPORTED


def test_words_across_two_sentences_of_which_one_is_half_are_compared_and_not_taken() -> None:
    assert check("the controller is stable", "It is not true that\nthe controller is stable.").score < 1.0


@pytest.mark.parametrize(
    "code", ["limit = 4.5", "if amps >= limit:\n    stop(motor)", "rm -rf /", "LIMIT = 3.5"]
)
def test_code_that_is_not_the_books_own_is_unsupported(code: str) -> None:
    assert check(f"```python\n{code}\n```", CHUNK).verdict is Verdict.UNSUPPORTED


def test_code_may_be_indented_otherwise() -> None:
    assert check("```python\nif amps > limit:\n  stop(motor)\n```", CHUNK).verdict is Verdict.SUPPORTED


def test_two_sentences_are_as_good_as_the_weaker() -> None:
    assert (
        check("A fuse blows first. Then the moon falls into the sea.", CHUNK).verdict is Verdict.UNSUPPORTED
    )
    assert check('A fuse blows first. It\'s "hot" then.', CHUNK).verdict is Verdict.SUPPORTED


@pytest.mark.parametrize("claim", ["", "---", "🙂", "==========", "[1]", "```\n```"])
def test_a_claim_without_words_is_unsupported(claim: str) -> None:
    assert check(claim, CHUNK) == Checked(Verdict.UNSUPPORTED, 0.0)


def test_without_evidence_nothing_is_supported() -> None:
    assert check("A fuse blows first.") == Checked(Verdict.UNSUPPORTED, 0.0)
    assert check("A fuse blows first.", "").verdict is Verdict.UNSUPPORTED


@pytest.mark.parametrize(
    "claim", ["a" * 10_000, "motor " * 2_000, "\ud800 motor", "`" * 500, "[" * 500, "motor\0"]
)
def test_strange_claims_are_checked_like_any_other(claim: str, embedder: Embedder) -> None:
    assert 0.0 <= Verifier(embedder, "english").check(claim, evidence(CHUNK)).score < 1.0


def test_a_book_in_another_language_is_checked_as_well() -> None:
    page = "روبوٹ ایک مشین ہے۔ یہ خود چلتی ہے۔"
    checked = Verifier(WordEmbedder(), "urdu").check("یہ خود چلتی ہے۔ [1]", evidence(page))
    assert (checked.score, quote(checked)) == (1.0, "یہ خود چلتی ہے۔")
    assert (
        Verifier(WordEmbedder(), "urdu").check("چاند پنیر سے بنا ہے۔", evidence(page)).verdict
        is Verdict.UNSUPPORTED
    )


def test_words_of_the_book_are_found_without_the_model(embedder: Embedder) -> None:
    listening = Listening(embedder)
    Verifier(listening, "english").check("A fuse blows first. [1]", evidence(CHUNK))
    assert listening.asked == []


def test_a_sentence_of_the_evidence_is_read_by_the_model_once_an_answer(embedder: Embedder) -> None:
    listening = Listening(embedder)
    verifier = Verifier(listening, "english")
    claims = ["The first thing to blow is a fuse.", "Before anything else a fuse goes.", "A fuse goes first."]
    ledger = verifier.read(evidence(CHUNK))
    for claim in claims:
        verifier.check(claim, ledger)
    assert len(listening.asked) == len(set(listening.asked))


def test_the_smallest_window_that_says_it_is_shown(embedder: Embedder) -> None:
    page = "Motors are loud. The left motor stops at 35 volts. Batteries are heavy. Wheels are round."
    checked = Verifier(embedder, "english").check("At 35 volts the left motor stops.", evidence(page))
    assert (checked.verdict, quote(checked)) == (Verdict.SUPPORTED, "The left motor stops at 35 volts.")


def test_a_name_may_come_from_the_heading(embedder: Embedder) -> None:
    page = "## ICP\n\nIt pairs each point with its nearest neighbor and repeats."
    checked = Verifier(embedder, "english").check(
        "ICP pairs each point with its nearest neighbor.", evidence(page)
    )
    assert checked.verdict is not Verdict.UNSUPPORTED


@given(st.text(alphabet="ab .`*_[]()!\\&;{}<>|~$#-:\n\t1^", max_size=80))
def test_every_letter_of_plain_words_stands_in_the_source_where_it_is_said_to(source: str) -> None:
    words = plain(source)
    for place, letter in enumerate(words.text):
        if letter.isalnum():
            span = words.source_span(Span(place, place + 1))
            assert letter in source[span.start : span.end]


@pytest.mark.parametrize("code", ["limit = 3.5", "limit  =\t3.5", "    limit =  3.5"])
def test_code_is_read_word_by_word_however_far_apart_they_stand(code: str) -> None:
    words = plain(f"So:\n\n```\n{code}\n```")
    assert words.text == "So:\nlimit = 3.5"
    assert words.code == {1}
    span = words.source_span(words.lines[1])
    assert words.source[span.start : span.end] == code.strip()


def test_a_chunk_that_several_answers_rest_on_is_read_once() -> None:
    verifier = Verifier(WordEmbedder(), "english")
    first, second = (verifier.read(evidence(CHUNK)).sheets[0].plain for _ in range(2))
    assert first is second


def test_many_threads_check_claims_against_the_same_chunk() -> None:
    verifier = Verifier(WordEmbedder(), "english")
    text = CHUNK.replace("Motors", "Motors of a book that nobody has read yet")

    def check_one(_: int) -> str:
        return quote(verifier.check("A fuse blows first.", evidence(text)))

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(check_one, range(64))) == {"A *fuse* blows first."}


def test_the_words_of_code_that_begins_a_chunk_do_not_take_the_fence_with_them():
    said = plain("```\nlimit = 3.5\n```\n")
    span = said.source_span(Span(0, len(said.text)))
    assert said.source[span.start : span.end] == "limit = 3.5"
