"""`glossator serve`, as an operator types it: the whole server on a real book."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import httpx2
import pytest

from support.serve_command import COMMAND, serve
from support.serve_process import is_soon

CANARY = "feathers-and-song"
QUESTION = {"question": "How do nodes talk to each other?"}


def test_on_loopback_without_keys_it_says_that_it_is_open_and_answers(tmp_path: Path, home: Path):
    with serve(tmp_path, home) as command:
        assert command.url.startswith("http://127.0.0.1:")
        assert "There is no key" in command.said
        answered = httpx2.post(f"{command.url}/v1/ask", json=QUESTION, timeout=30).raise_for_status().json()
        assert answered["outcome"].startswith("answered")
        assert is_soon(command.lines)
        (line,) = command.lines()
        told = (line["route"], line["outcome"], line["exchange"])
        assert told == ("/v1/ask", answered["outcome"], answered["id"])
        assert line["trace_id"] == answered["trace_id"]
        assert "talk" not in json.dumps(line)
        command.process.send_signal(signal.SIGTERM)
        assert command.process.wait(15) == 0


def test_where_others_can_reach_it_it_does_not_start_without_a_key(tmp_path: Path, home: Path):
    with serve(tmp_path, home, "--host", "0.0.0.0") as command:
        assert command.process.wait(30) == 1
        assert command.said == (
            "glossator: Others can reach 0.0.0.0, and there is no key yet: run `glossator keys create` first, "
            "set GLOSSATOR_KEYS, or serve on 127.0.0.1.\n"
        )


def test_with_a_key_it_is_served_to_others_and_only_to_who_has_it(tmp_path: Path, home: Path):
    environment = {**os.environ, "GLOSSATOR_DATABASE_URL": f"sqlite:///{tmp_path / 'records.sqlite'}"}
    made = [
        *COMMAND[:2],
        "import glossator.cli.keys; from glossator.cli import main; main()",
        "keys",
        "create",
    ]
    key = subprocess.run(made, env=environment, capture_output=True, text=True, check=True).stdout.strip()
    with serve(tmp_path, home, "--host", "0.0.0.0") as command:
        assert "There is no key" not in command.said
        here = command.url.replace("0.0.0.0", "127.0.0.1")
        assert httpx2.post(f"{here}/v1/ask", json=QUESTION).status_code == 401
        with_key = {"Authorization": f"Bearer {key}"}
        assert httpx2.post(f"{here}/v1/ask", json=QUESTION, headers=with_key, timeout=30).status_code == 200
        assert is_soon(lambda: len(command.lines()) == 2)
        assert key not in command.said
        assert key.split("_", 2)[2] not in command.said


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        {"database_url": f"postgresql://reader:{CANARY}@127.0.0.1:1/books", "secret": f"{CANARY}-and-wings"},
        {
            "model": "some-model",
            "model_base_url": f"http://reader:{CANARY}@127.0.0.1:1/v1",
            "model_api_key": f"sk-{CANARY}",
            "embedder_api_key": CANARY,
            "qdrant_api_key": CANARY,
            "redis_url": f"redis://:{CANARY}@127.0.0.1:1/0",
        },
    ],
    ids=["database", "model"],
)
def test_no_secret_of_the_settings_is_found_in_anything_it_says(
    tmp_path: Path, home: Path, settings: dict[str, str]
):
    with (
        serve(tmp_path, home, **settings) as command,
        httpx2.Client(base_url=command.url, timeout=60) as client,
    ):
        said = "".join(client.get(path).text for path in ("/readyz", "/metrics", "/contracts/threads/health"))
        failed = client.post("/v1/ask", json=QUESTION)
        assert failed.status_code == 503
        assert is_soon(lambda: "/v1/" in command.said)
        command.process.send_signal(signal.SIGTERM)
        assert command.process.wait(15) == 0
        assert CANARY not in said + failed.text + command.said
