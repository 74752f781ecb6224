"""The fixed sentences in the reader's language."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator

import pytest
from starlette.testclient import TestClient

from glossator.answer import wording
from glossator.model import Event, Stage, StageReached

LANGUAGES = {"en", "es", "fr", "de", "ar", "ur", "hi", "zh"}
PARTS = re.compile(r"\{(\w+)\}")
ASKED = {
    "What is a node?": "en",
    "¿Qué es un nodo?": "es",
    "Qu'est-ce qu'un nœud ?": "fr",
    "Was ist ein Knoten?": "de",
    "ما هي العقدة؟": "ar",
    "ROS 2 میں node کیا ہے؟": "ur",
    "नोड क्या है?": "hi",
    "什么是节点？": "zh",
}


@pytest.mark.parametrize("name", sorted(wording.table()))
def test_every_sentence_is_in_every_language_with_the_same_parts(name: str):
    translations = wording.table()[name]

    assert translations.keys() == LANGUAGES
    parts = {language: sorted(PARTS.findall(text)) for language, text in translations.items()}
    assert len({tuple(names) for names in parts.values()}) == 1, parts


@pytest.mark.parametrize(("question", "language"), ASKED.items())
def test_a_question_is_answered_in_its_own_language(question: str, language: str):
    assert wording.readers_language(question, accepted="fr-CA,fr;q=0.9,de;q=0.5") == language


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("de-CH,de;q=0.9,en;q=0.8", "de"),
        ("ja,en;q=0.5,zh-TW;q=0.9", "zh"),
        ("*", "en"),
        ("es;q=0, fr;q=0.1", "fr"),
        ("", "en"),
        ("x" * 10_000, "en"),
    ],
)
def test_where_the_question_does_not_tell_the_browser_does(accepted: str, language: str):
    assert wording.readers_language("qos_profile_sensor_data", accepted) == language


@pytest.mark.parametrize(
    "question",
    ["starlette.config.environ vs os.environ", "What does die casting mean?", "new snapshot on ci"],
)
def test_names_in_an_english_question_are_no_other_language(question: str):
    assert wording.readers_language(question) == "en"


def test_a_question_that_may_be_in_two_languages_is_in_the_one_that_the_browser_accepts():
    question = "Was passiert bei Nebel?"

    assert wording.readers_language(question, accepted="de-DE,de;q=0.9") == "de"
    assert wording.readers_language(question) == "en"


def test_the_language_holds_for_the_events_of_one_answer_only():
    async def answer() -> AsyncGenerator[Event]:
        assert wording.caution(in_book=True).startswith("Das beantwortet Ihre Frage vielleicht nicht")
        yield StageReached(Stage.SEARCHING)
        assert wording.not_in_book("") == "Ich habe dazu in diesem Buch keine Antwort gefunden."
        yield StageReached(Stage.WRITING)

    async def listen() -> list[str]:
        events = wording.in_readers_language(answer(), "Was ist ein Knoten?")
        return [wording.caution(in_book=True) async for _ in events]

    said = asyncio.run(listen())
    assert len(said) == 2
    assert all(caution.startswith("This may not answer") for caution in said)


def test_a_title_with_braces_stays_as_it_is():
    assert wording.not_in_book("{book} {0}") == "I could not find an answer to this in *{book} {0}*."


@pytest.mark.parametrize(
    ("question", "accepted", "expected"),
    [
        ("Wie koche ich eine gute Suppe für meine Gäste?", "en", "Ich habe dazu in *"),
        (
            "¿Cómo se prepara una buena sopa para mis amigos?",
            "",
            "No he encontrado una respuesta a esto en *",
        ),
        ("Hello", "zh-CN,zh;q=0.9", "您好！关于*"),
        ("Hello", "", "Hello! Ask me anything about *"),
    ],
)
def test_the_server_speaks_the_readers_language(
    client: TestClient, question: str, accepted: str, expected: str
):
    reply = client.post("/v1/ask", json={"question": question}, headers={"accept-language": accepted})

    assert reply.json()["text"].startswith(expected)
