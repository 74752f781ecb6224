"""Every sentence of a writer is held against the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glossator.answer.verify import Verifier
from glossator.answer.verify.plain import plain_text
from glossator.answer.verify.verifier import adds_details
from glossator.model import Checked, Reading, ScoredUnit, Span, Support, Unit, UnitKind, Verdict, Window
from glossator.ports import Reader
from glossator.testing import WordReader
from glossator.text.sentences import sentences
from support.answer_hits import evidence as without_passages
from support.answer_pages import evidence

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


def quote(checked: Checked) -> str:
    assert checked.evidence is not None
    assert checked.span is not None
    chunk = checked.evidence.chunk
    return chunk.text[checked.span.start - chunk.start : checked.span.end - chunk.start]


def check(claim: str, *pages: str, reader: Reader | None = None) -> Checked:
    return Verifier(reader or WordReader(), "english").check(claim, evidence(*pages))


@dataclass
class Says:
    """A reader that is of one opinion, and remembers what it was asked."""

    supported: float = 1.0
    claims: list[str] = field(default_factory=list[str])
    windows: list[Window] = field(default_factory=list[Window])

    def read(self, question: str, windows: Sequence[Window]) -> list[Reading]:
        raise AssertionError("a claim is checked, not read")

    def check(self, claim: str, windows: Sequence[Window]) -> list[Support]:
        self.claims.append(claim)
        self.windows += windows
        return [Support(self.supported, 0.0, 1.0 - self.supported) for _ in windows]


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
    verifier = Verifier(WordReader(), "english")
    known = verifier.read([without_passages(source)])
    words = plain_text(source)
    for number, line in enumerate(words.lines):
        text = words.text[line.start : line.end]
        for span in [] if number in words.code else sentences(text):
            there = words.source_span(Span(line.start + span.start, line.start + span.end))
            checked = verifier.check(source[there.start : there.end] + " [1]", known)
            assert checked.score == 1.0, source[there.start : there.end]
            assert plain_text(quote(checked)).folded == plain_text(source[there.start : there.end]).folded


def test_a_citation_mark_says_where_to_look_first() -> None:
    twice = ["A fuse blows first.", "A fuse blows first."]
    assert check("A fuse blows first. [2]", *twice).evidence == evidence(*twice)[1]


def test_a_quote_stands_where_its_chunk_does() -> None:
    page = "# Robots\n\nRobots are machines.\n\n" + "Nothing is said here.\n\n" * 200 + CHUNK
    checked = check("A fuse blows first. [1]", page)
    assert checked.evidence
    assert checked.evidence.chunk.start > 0
    assert checked.span
    assert page[checked.span.start : checked.span.end] == "A *fuse* blows first."


def test_a_citation_mark_proves_nothing() -> None:
    assert check("The moon is made of green cheese. [1]", CHUNK).verdict is Verdict.UNSUPPORTED


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        ("The controller is stable.", CHUNK),
        ("the controller is stable", "It is not true that\nthe controller is stable."),
    ],
)
def test_words_cut_out_of_a_sentence_that_denies_them_are_read_and_not_taken(claim: str, page: str) -> None:
    reader = Says(0.0)
    assert check(claim, page, reader=reader).verdict is Verdict.UNSUPPORTED
    assert reader.claims == [claim]


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
    checked = check(claim, CHUNK)
    assert (checked.verdict, checked.score) == (Verdict.UNSUPPORTED, 0.0)


def test_without_evidence_nothing_is_supported() -> None:
    assert check("A fuse blows first.") == Checked(Verdict.UNSUPPORTED, 0.0)
    assert check("A fuse blows first.", "").verdict is Verdict.UNSUPPORTED


@pytest.mark.parametrize(
    "claim", ["a" * 10_000, "motor " * 2_000, "\ud800 motor", "`" * 500, "[" * 500, "motor\0"]
)
def test_strange_claims_are_checked_like_any_other(claim: str, reader: Reader) -> None:
    assert 0.0 <= check(claim, CHUNK, reader=reader).score < 1.0


def test_a_book_in_another_language_is_checked_as_well() -> None:
    verifier, page = Verifier(WordReader(), "urdu"), "روبوٹ ایک مشین ہے۔ یہ خود چلتی ہے۔"
    checked = verifier.check("یہ خود چلتی ہے۔ [1]", evidence(page))
    assert (checked.score, quote(checked)) == (1.0, "یہ خود چلتی ہے۔")
    assert verifier.check("چاند پنیر سے بنا ہے۔", evidence(page)).verdict is Verdict.UNSUPPORTED


def test_words_of_the_book_are_found_without_the_reader() -> None:
    reader = Says()
    check("A fuse blows first. [1]", CHUNK, reader=reader)
    check("```python\nlimit = 3.5\n```", CHUNK, reader=reader)
    assert reader.claims == []


def test_other_words_are_read_one_sentence_at_a_time_without_their_marks() -> None:
    reader = Says()
    assert (
        check("The **fuse** goes first. [1] Then the left motor stops. [2]", CHUNK, reader=reader).score
        == 1.0
    )
    assert reader.claims == ["The fuse goes first.", "Then the left motor stops."]


def test_a_sentence_is_read_beside_the_few_windows_that_share_most_words_with_it() -> None:
    page = "\n\n".join(f"# Motor {n}\n\nThe wheel number {n} turns {n} times a minute." for n in range(40))
    reader = Says()
    check("Every minute, wheel number 33 makes 33 turns.", page, reader=reader)
    assert len(reader.windows) <= 3
    assert "wheel number 33" in " ".join(reader.windows[0].texts)


@pytest.mark.parametrize(("supported", "verdict"), [(0.99, Verdict.SUPPORTED), (0.01, Verdict.UNSUPPORTED)])
def test_what_the_reader_says_of_other_words_is_the_verdict(supported: float, verdict: Verdict) -> None:
    checked = check("The fuse goes first.", CHUNK, reader=Says(supported))
    assert (checked.verdict, checked.score) == (verdict, supported)
    assert quote(checked) == "A *fuse* blows first."


@pytest.mark.parametrize(
    "claim",
    [
        "The left motor stops at 35 A.",
        "The left motor stops at 3 A.",
        "All 12 motors have a fuse.",
        "The limit of the left motor is set with `max_amps`.",
        "The left motor stops when `Motor.stop()` is called.",
        "Start the left motor with --force.",
    ],
)
def test_a_number_or_a_name_in_code_that_the_evidence_lacks_is_unsupported_whatever_the_reader_says(
    claim: str,
) -> None:
    assert check(claim, CHUNK, reader=Says(1.0)).verdict is Verdict.UNSUPPORTED


@pytest.mark.parametrize(
    "claim",
    [
        "At 3.5 A the left motor stops.",
        "At 3.50 A the left motor stops.",
        "The right motor stops at 4 A.",
        "The left motor is stopped by `stop(motor)`.",
        "Above 3.5 A, one calls `stop()`.",
    ],
)
def test_numbers_and_names_that_the_evidence_has_leave_the_verdict_to_the_reader(claim: str) -> None:
    assert check(claim, CHUNK, reader=Says(1.0)).verdict is Verdict.SUPPORTED
    assert check(claim, CHUNK, reader=Says(0.0)).verdict is Verdict.UNSUPPORTED


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("It sends 1,000 pictures.", "It sends 1000 pictures."),
        ("It sends 1000 pictures.", "It sends 1\u202f000 pictures."),
        ("Set `max_retries` to 3.", "max_retries = 3"),
        ("Call `spin_once()` often.", "In the loop we spin_once(node)."),
        ("Use --once here.", "ros2 run demo --once"),
        ("`std::vec` grows.", "A std::vec::Vec grows."),
        ("A best-effort publisher drops messages.", "A publisher with best effort drops messages."),
        ("It drops messages and/or blocks.", "It drops messages, or it blocks, or both."),
        ("ROS 2 and Wi-Fi are used, e.g. here.", "Here, ROS 2 is used over Wi-Fi."),
    ],
)
def test_nothing_is_missing_that_the_evidence_says_in_another_form(claim: str, words: str) -> None:
    assert not adds_details(claim, words)


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("It sends 10,000 pictures.", "It sends 1000 pictures."),
        ("It settles after 0.46 s.", "It settles after 0.64 s."),
        ("Set `min_retries` to 3.", "max_retries = 3"),
        ("Use --twice here.", "ros2 run demo --once"),
        ("`std::map` grows.", "A std::vec::Vec grows."),
        ("Call `spinOnce` often.", "In the loop we spin once."),
        ("Publish on base_link/laser.", "It goes from map to odom."),
    ],
)
def test_another_number_or_another_name_in_code_is_missing(claim: str, words: str) -> None:
    assert adds_details(claim, words)


def test_a_name_may_come_from_the_heading() -> None:
    page = "## ICP_2\n\nIt pairs each point with its nearest neighbor and repeats."
    claim = "`ICP_2` pairs every point with the nearest neighbor."
    assert check(claim, page, reader=Says(1.0)).verdict is Verdict.SUPPORTED


PACK = """\
# Batteries

A lithium pack of this robot lasts four hours of walking. Charge it to at most 80 percent for storage.
Never charge a pack that is swollen. The charger must be connected before the mains.

Nodes find each other without a central server. A node that crashes takes nothing else down with it.
"""

FAITHFUL = [
    "With one lithium pack the robot can walk for four hours.",
    "A swollen pack must never be charged.",
    "For storage, the pack should be charged to 80 percent at most.",
    "No central server is needed for nodes to find each other.",
    "When a node crashes, nothing else goes down.",
]

LIES = [
    "The moon is made of green cheese.",
    "Nodes were invented by a Dutch watchmaker who lived in Paris.",
    "With one lithium pack the robot can walk for ninety minutes.",
    "A swollen pack may be charged at any time.",
    "Nodes find each other through a central server.",
]


def test_the_real_reader_keeps_what_the_book_says_in_other_words_and_drops_lies(reader: Reader) -> None:
    """One of each may slip: no reader of this size is always right."""
    faithful = [check(claim, PACK, reader=reader) for claim in FAITHFUL]
    lies = [check(claim, PACK, reader=reader) for claim in LIES]
    assert sum(twin.verdict is Verdict.UNSUPPORTED for twin in faithful) <= 1, faithful
    assert sum(lie.verdict is not Verdict.UNSUPPORTED for lie in lies) <= 1, lies
    assert min(twin.score for twin in faithful) > max(lie.score for lie in lies[:2])


def test_the_real_reader_shows_the_sentence_that_says_it(reader: Reader) -> None:
    checked = check("A swollen pack must never be charged.", PACK, reader=reader)
    assert quote(checked) == "Never charge a pack that is swollen."


def test_what_comes_nearest_to_a_claim_is_shown_though_it_does_not_carry_it() -> None:
    verifier = Verifier(Says(0.0), "english")
    known = verifier.read(evidence(PACK))
    place = verifier.nearest_place("Packs that are swollen may be charged.", known)
    assert place
    assert (place.verdict, quote(place)) == (Verdict.UNSUPPORTED, "Never charge a pack that is swollen.")
    assert verifier.nearest_place("Packs?", verifier.read([])) is None


@given(st.text(alphabet="ab .`*_[]()!\\&;{}<>|~$#-:\n\t1^", max_size=80))
def test_every_letter_of_plain_words_stands_in_the_source_where_it_is_said_to(source: str) -> None:
    words = plain_text(source)
    for place, letter in enumerate(words.text):
        if letter.isalnum():
            span = words.source_span(Span(place, place + 1))
            assert letter in source[span.start : span.end]


@pytest.mark.parametrize("code", ["limit = 3.5", "limit  =\t3.5", "    limit =  3.5"])
def test_code_is_read_word_by_word_however_far_apart_they_stand(code: str) -> None:
    words = plain_text(f"So:\n\n```\n{code}\n```")
    assert words.text == "So:\nlimit = 3.5"
    assert words.code == {1}
    span = words.source_span(words.lines[1])
    assert words.source[span.start : span.end] == code.strip()


def test_a_chunk_that_several_answers_rest_on_is_read_once() -> None:
    verifier = Verifier(WordReader(), "english")
    first, second = (verifier.read(evidence(CHUNK)).texts[0].plain for _ in range(2))
    assert first is second


def test_many_threads_check_claims_against_the_same_chunk() -> None:
    verifier = Verifier(WordReader(), "english")
    text = CHUNK.replace("Motors", "Motors of a book that nobody has read yet")

    def check_one(_: int) -> str:
        return quote(verifier.check("A fuse blows first.", evidence(text)))

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(check_one, range(64))) == {"A *fuse* blows first."}


def test_the_words_of_code_that_begins_a_chunk_do_not_take_the_fence_with_them():
    said = plain_text("```\nlimit = 3.5\n```\n")
    span = said.source_span(Span(0, len(said.text)))
    assert said.source[span.start : span.end] == "limit = 3.5"


@pytest.mark.parametrize("below", ["A fuse blows first.", "```yaml\nfuse: 3.5\n```"])
def test_a_heading_after_code_that_the_chunk_before_began_is_found(below: str) -> None:
    listing = "limit = 3.5\n" * 600
    page = f"## Motors\n\n```python\n{listing}```\n\n### Common faults\n\n{below}\n"
    last = evidence(page)[-1]
    assert last.chunk.text.startswith("limit"), "the chunk begins inside the listing"
    below_only = last.passages[0].units[-1:]
    for passage in (last.passages[0], replace(last.passages[0], units=below_only)):
        found = replace(last, passages=(passage,))
        checked = Verifier(Says(0.0), "english").check("**Common faults**", [found])
        assert checked.verdict is Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        ("A Pod is small.", 'A {{< tooltip text="Pod" id="pod" >}} is small.'),
        ("A fuse blows first.", "{{< note >}}\nA fuse blows first.\n{{< /note >}}"),
        ("**Linux**", '{% tab title="Linux" %}\nUse it.\n{% endtab %}'),
        ("**Beware**", '!!! warning "Beware"\n    A fuse blows first.'),
        ("A fuse blows first.", '!!! warning "Beware"\n    A fuse blows\n    first.'),
        ("**pip**", '=== ":simple-python: pip"\n\n    ```console\n    $ run\n    ```'),
        ("**Shell**", '=== "Shell"\n\n    ```console\n    $ run\n    ```'),
        ("**Beware**", "/// warning | Beware\n\nOf the dog.\n\n///"),
    ],
)
def test_what_admonitions_tabs_and_templates_display_is_found(claim: str, page: str) -> None:
    checked = Verifier(Says(0.0), "english").check(claim, evidence(f"# Motors\n\n{page}\n"))
    assert checked.verdict is Verdict.SUPPORTED


def test_the_title_of_a_callout_is_found_though_it_stands_inside_a_tag() -> None:
    chunk = 'Intro.\n\n<Callout title="When it burns">\nA fuse blows first.\n</Callout>\n'
    start = chunk.index("When it burns")
    unit = Unit(UnitKind.PROSE, start, start + 13, 4, Span(start, start + 13), Span(0, 13))
    one = replace(evidence(chunk)[0], units=(ScoredUnit(unit, "When it burns", 1.0),))
    checked = Verifier(Says(0.0), "english").check("**When it burns**", [one])
    assert (checked.verdict, quote(checked)) == (Verdict.SUPPORTED, "When it burns")


def test_the_title_of_code_is_found() -> None:
    chunk = '```yaml title="config/joint_limits.yaml"\nmax: 2.0\n```\n'
    verdicts = [
        Verifier(Says(0.0), "english").check(f"**`{name}`**", evidence(chunk)).verdict
        for name in ("config/joint_limits.yaml", "joint_limits.yaml")
    ]
    assert verdicts == [Verdict.SUPPORTED, Verdict.UNSUPPORTED]


def test_a_heading_that_stands_in_the_chunk_before_is_found() -> None:
    (found,) = evidence("It stops at 3.5 A.")
    section = replace(found.chunk.sections[0], title="Motors with `fuses`")
    found = replace(found, chunk=replace(found.chunk, sections=(section,)))
    assert (
        Verifier(WordReader(), "english").check("**Motors with \\`fuses\\`**", [found]).verdict
        is Verdict.SUPPORTED
    )


def test_the_words_that_the_reader_pointed_at_are_found_where_they_stand() -> None:
    found = without_passages("The left motor stops at 3.5 A, and the right one at 4 A.")
    chunk = found.chunk
    whole = Span(chunk.start, chunk.end)
    unit = Unit(UnitKind.PROSE, *whole, 20, whole, whole)
    known = replace(found, units=(ScoredUnit(unit, chunk.text, 1.0, fact="3.5 A"),))
    checked = Verifier(Says(0.0), "english").check("**3.5 A**", [known])
    assert (checked.verdict, checked.span) == (Verdict.SUPPORTED, whole)
    assert Verifier(Says(0.0), "english").check("**4 A**", [known]).verdict is Verdict.UNSUPPORTED
