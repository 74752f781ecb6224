"""The widget's own texts: whole in every language, and with numbers as each language says them."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Sequence

import pytest
from get_widget_tools import WIDGET, get_widget_tools
from npm import node

from glossator.answer import wording

ENGLISH = "en"
LANGUAGES = sorted(path.stem for path in (WIDGET / "src" / "languages").glob("*.ts"))
ROW = re.compile(r'^  /\* (\w+) \*/ "(.+)",$', re.MULTILINE)
VALUE = re.compile(r"#\d")
ENDS = {".": ".。۔।", "?": "?？؟", ")": ")）"}

Evaluate = Callable[[str], str]


@pytest.fixture(scope="module")
def evaluate() -> Evaluate:
    """The value of a JavaScript expression in which `messagesFor` and `fill` are those of the widget."""
    get_widget_tools()
    bundle = (
        'import { build } from "esbuild";'
        'const options = { entryPoints: ["src/messages.ts"], bundle: true, write: false, format: "iife", globalName: "widget" };'
        "console.log((await build(options)).outputFiles[0].text)"
    )
    source = _run("--input-type=module", "--eval", bundle)

    def evaluate(expression: str) -> str:
        return json.loads(
            _run("--print", f"{source}; const {{ messagesFor, fill }} = widget; JSON.stringify({expression})")
        )

    return evaluate


def test_the_widget_speaks_the_languages_of_the_server():
    spoken = {language for translations in wording.table().values() for language in translations}

    assert set(LANGUAGES) == spoken


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_there_and_under_its_own_name(language: str):
    assert list(_texts(language)) == list(_texts(ENGLISH))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_reader_gets_each_text_by_that_name(evaluate: Evaluate, language: str):
    messages: dict[str, object] = json.loads(evaluate(f"JSON.stringify(messagesFor('{language}'))"))

    assert messages.pop("language") == language
    assert messages.pop("direction") == ("rtl" if language in {"ar", "ur"} else "ltr")
    assert messages == _texts(language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_tells_the_same_values_and_ends_as_in_english(language: str):
    translated = _texts(language)

    for name, english in _texts(ENGLISH).items():
        text = translated[name]
        assert set(VALUE.findall(text)) == set(VALUE.findall(english)), name
        ends = ENDS.get(english[-1])
        assert text[-1] in ends if ends else not re.search(r"[.。۔।?？؟]$", text), name


@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("es-MX", "es"),
        ("zh-CN", "zh"),
        ("zh-Hant-TW", "zh"),
        ("AR_eg", "ar"),
        ("fr", "fr"),
        ("ja", "en"),
        ("arn", "en"),
        ("constructor", "en"),
        ("", "en"),
    ],
)
def test_a_region_speaks_its_language_and_the_unknown_english(evaluate: Evaluate, tag: str, language: str):
    assert evaluate(f"messagesFor('{tag}').language") == language


@pytest.mark.parametrize(
    ("language", "name", "values", "said"),
    [
        ("en", "written", ("gpt-9", 1, 1), "Written by gpt-9 from the book, 1 of 1 sentence checked"),
        ("en", "written", ("gpt-9", 1, 3), "Written by gpt-9 from the book, 1 of 3 sentences checked"),
        (
            "en",
            "written",
            ("a #2 $& b", 0, 2),
            "Written by a #2 $& b from the book, 0 of 2 sentences checked",
        ),
        ("fr", "written", ("gpt-9", 0, 3), "Rédigé par gpt-9 d’après le livre, 0 phrase vérifiée sur 3"),
        ("fr", "written", ("gpt-9", 2, 3), "Rédigé par gpt-9 d’après le livre, 2 phrases vérifiées sur 3"),
        ("de", "written", ("gpt-9", 1, 1), "Von gpt-9 nach dem Buch geschrieben, 1 von 1 Satz geprüft"),
        ("ur", "written", ("gpt-9", 1, 3), "gpt-9 نے کتاب سے لکھا، 3 میں سے 1 جملہ ثابت"),
        ("hi", "written", ("gpt-9", 2, 3), "gpt-9 ने पुस्तक से लिखा, 3 वाक्यों में से 2 प्रमाणित"),
        ("zh", "written", ("gpt-9", 2, 3), "由 gpt-9 根据本书撰写，3 句中有 2 句已核对"),
        ("ar", "retry", (0,), "إعادة السؤال خلال 0 ثانية"),
        ("ar", "retry", (1,), "إعادة السؤال خلال ثانية واحدة"),
        ("ar", "retry", (2,), "إعادة السؤال خلال ثانيتين"),
        ("ar", "retry", (5,), "إعادة السؤال خلال 5 ثوانٍ"),
        ("ar", "retry", (30,), "إعادة السؤال خلال 30 ثانية"),
        ("ar", "retry", (103,), "إعادة السؤال خلال 103 ثوانٍ"),
    ],
)
def test_a_number_chooses_the_form_of_the_words_beside_it(
    evaluate: Evaluate, language: str, name: str, values: Sequence[str | int], said: str
):
    assert (
        evaluate(
            f"fill(messagesFor('{language}').{name}, messagesFor('{language}'), ...{json.dumps(values)})"
        )
        == said
    )


def test_the_page_about_the_widget_names_every_language():
    page = (WIDGET.parent / "docs" / "widget.md").read_text("utf-8")
    (row,) = (line for line in page.splitlines() if line.startswith("| `language` |"))

    assert set(re.findall(r"`(\w\w)`", row)) == set(LANGUAGES)


def _texts(language: str) -> dict[str, str]:
    """As they are written in the source, by the names beside them."""
    source = (WIDGET / "src" / "languages" / f"{language}.ts").read_text("utf-8")
    return {name: text.replace(r"\xa0", "\xa0") for name, text in ROW.findall(source)}


def _run(*arguments: str) -> str:
    done = subprocess.run([*node(), *arguments], cwd=WIDGET, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
