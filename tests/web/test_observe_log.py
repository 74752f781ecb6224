"""What may stand in the log, whoever writes there."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import logging
import threading
import warnings
from pathlib import Path
from urllib.parse import quote

import pytest
import structlog

from glossator.errors import IndexUnavailable
from support.observe_app import logging_to, observed
from support.serve_apps import SECRET
from support.serve_process import is_soon, request, serving, until_closed


@pytest.mark.parametrize("is_json", [True, False], ids=["json", "console"])
@pytest.mark.parametrize("secret", ["hunter2", 'quo"ted\\', "wörd-ключ", "a b/c?d=e", "it's"])
def test_a_secret_is_hidden_in_whatever_form_it_comes(secret: str, is_json: bool):
    written = io.StringIO()
    with logging_to(written, secrets=[secret], is_json=is_json):
        log = structlog.get_logger()
        log.warning("plain", password=secret, headers={"x": [secret]}, shown=repr(secret))
        log.warning(f"in the text: {secret}", url=f"postgresql://host/?password={quote(secret, safe='')}")
        log.error("failed", exc_info=OSError(f"no login with {secret}"))
        logging.getLogger("sqlalchemy").warning("cannot connect with %r", secret)
    for form in (secret, quote(secret, safe=""), json.dumps(secret)[1:-1], repr(secret)[1:-1]):
        assert form not in written.getvalue()
    assert written.getvalue().count("***") >= 6


@pytest.mark.parametrize(
    "text",
    [
        "sk_live1234_abcdefgh",
        "pk_live1234_abcdefgh",
        "sk-proj-abcdefghij",
        "Authorization: Bearer abcdefghij",
        "authorization: bearer abcdefghij",
        "redis://:abcdefghij@cache:6379/0",
        "https://reader:abcdefghij@example.org/",
    ],
)
def test_what_looks_like_a_secret_is_hidden_though_nobody_named_it(text: str):
    written = io.StringIO()
    with logging_to(written):
        structlog.get_logger().warning("sent", header=text, of=f"“{text}”", below=f"keys:\n{text}")
    assert "abcdefgh" not in written.getvalue()


def test_words_that_only_sound_like_secrets_are_left_alone():
    written = io.StringIO()
    with logging_to(written, secrets=["abc"]):
        structlog.get_logger().warning(
            "task_scheduler_started", url="http://127.0.0.1:8000/abc", mail="me@here"
        )
    line = json.loads(written.getvalue())
    assert (line["event"], line["url"], line["mail"]) == (
        "task_scheduler_started",
        "http://127.0.0.1:8000/abc",
        "me@here",
    )


def test_libraries_speak_in_the_same_form_when_they_warn_and_not_before():
    written = io.StringIO()
    with logging_to(written):
        logging.getLogger("httpx").info("HTTP Request: POST https://api")
        logging.getLogger("alembic").warning("%d tables", 3)
        logging.getLogger("careless").warning("%d tables", "three")
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("an old way", DeprecationWarning, stacklevel=1)
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    assert [(line["logger"], line["level"]) for line in lines] == [
        ("alembic", "warning"),
        ("careless", "warning"),
        ("py.warnings", "warning"),
    ]
    assert lines[0]["event"] == "3 tables"


def test_of_our_own_errors_the_message_is_told_and_of_foreign_ones_the_place():
    written = io.StringIO()
    with logging_to(written):
        try:
            try:
                json.loads("what a reader wrote")
            except ValueError as error:
                raise IndexUnavailable from error
        except IndexUnavailable as error:
            structlog.get_logger().error("unexpected", exc_info=error)
    told = json.loads(written.getvalue())["exception"]
    assert "json.decoder.JSONDecodeError\nwhich led to\n" in told
    assert told.endswith("glossator.errors.IndexUnavailable: The index does not answer.")


def test_a_group_of_errors_is_told_one_by_one():
    written = io.StringIO()
    with logging_to(written):
        group = ExceptionGroup("of a reader", [KeyError("wrote"), TimeoutError("too late")])
        structlog.get_logger().error("unexpected", exc_info=group)
    assert (
        json.loads(written.getvalue())["exception"]
        == "ExceptionGroup\n  | KeyError\n  | TimeoutError: too late"
    )


def test_where_the_operator_wants_words_the_message_is_told():
    written = io.StringIO()
    with logging_to(written, log_questions=True):
        structlog.get_logger().error("unexpected", exc_info=LookupError("what a reader wrote"))
    assert json.loads(written.getvalue())["exception"] == "LookupError: what a reader wrote"


def test_a_task_that_nobody_waited_for_does_not_tell_what_a_reader_wrote():
    async def forgotten() -> None:
        raise LookupError("what a reader wrote")

    async def forget() -> None:
        task = asyncio.create_task(forgotten())
        await asyncio.wait([task])
        del task
        gc.collect()

    written = io.StringIO()
    with logging_to(written):
        asyncio.run(forget())
    line = json.loads(written.getvalue())
    assert line["event"] == "Task exception was never retrieved"
    assert line["exception"].endswith("LookupError")


def test_a_thread_that_fails_tells_the_same_log():
    def fail() -> None:
        raise LookupError("what a reader wrote")

    written = io.StringIO()
    with logging_to(written):
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
    assert json.loads(written.getvalue())["exception"].endswith("\nLookupError")


def test_a_log_that_cannot_be_written_costs_nobody_their_reply():
    with observed() as seen, logging_to(_Full()):
        assert seen.client.get("/livez").status_code == 200


class _Full(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError("No space left on device")


def test_no_canary_is_found_in_anything_a_server_says(tmp_path: Path):
    canaries = {
        "authorization": "Authorization: Bearer sk_kanarie1_feathersandsong",
        "cookie": "Cookie: session=feathersandsong",
        "referer": "Referer: https://reader:feathersandsong@example.org/",
    }
    with serving(tmp_path, stop_seconds=5) as server:
        said = server.get("/fail", *canaries.values()) + server.get("/cut", *canaries.values())
        body = "why do feathersandsong nodes talk"
        sent = request(
            "/whole/feathersandsong?q=feathersandsong",
            *canaries.values(),
            f"Content-Length: {len(body)}",
            "Connection: close",
            method="POST",
        )
        with server.connect(sent + body.encode()) as line:
            said += until_closed(line)
        said += server.get("/metrics")
        assert is_soon(lambda: len(server.lines()) >= 7)
        assert server.stop() == 0
        everything = said.decode() + server.log.read_text()
        for canary in ("feathersandsong", SECRET, json.dumps(SECRET)[1:-1], "canary-"):
            assert canary not in everything
        assert "no login with ***" in everything
        assert '"route": "/whole/{name}"' in everything
        assert "what a reader wrote" not in everything.replace(
            'raise ValueError(\\"what a reader wrote\\")', ""
        )
