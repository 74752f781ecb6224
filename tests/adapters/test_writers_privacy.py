"""What leaves the machine while an answer is written, and to whom."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import pytest

from glossator.adapters.writers.language_model import LanguageModelRewriter
from glossator.adapters.writers.service import Api, ModelService
from glossator.model import Exchange
from support.process import command, environment
from support.writers_bench import KEY, writers_bench
from support.writers_server import model_server, says, status

FOREIGN = {
    "OPENAI_API_KEY": "sk-foreign-key",
    "OPENAI_ADMIN_KEY": "sk-foreign-admin",
    "OPENAI_BASE_URL": "http://foreign.example/v1",
    "OPENAI_ORG_ID": "foreign-org",
    "OPENAI_PROJECT_ID": "foreign-project",
    "OPENAI_WEBHOOK_SECRET": "foreign-webhook",
    "OPENAI_CUSTOM_HEADERS": "Authorization: Bearer sk-foreign-header\nX-Foreign: foreign-header",
    "OPENAI_DEFAULT_MODEL": "foreign-model",
}


@pytest.fixture
def foreign_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in FOREIGN.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("foreign_environment")
@pytest.mark.parametrize("api", list(Api))
def test_what_the_environment_says_of_openai_is_not_sent(api: Api) -> None:
    with writers_bench(api) as bench:
        assert bench.write(None, says("Over topics [1].")) == "Over topics [1]."
        rewriter = LanguageModelRewriter(bench.service)
        asyncio.run(rewriter.rewrite("And then?", [Exchange("What is a topic?", "A channel [1].")]))
        for call in bench.server.calls:
            assert call.headers["authorization"] == f"Bearer {KEY}"
            assert "foreign" not in json.dumps([call.path, call.headers, call.body])


@pytest.mark.usefixtures("foreign_environment")
@pytest.mark.parametrize("api", list(Api))
def test_without_a_key_none_is_sent(api: Api) -> None:
    with writers_bench(api) as bench:
        bench.service = ModelService("some-model", bench.server.url, None, api)
        assert bench.write(None, says("Over topics [1].")) == "Over topics [1]."
        assert "authorization" not in bench.server.calls[0].headers


def test_a_password_in_the_address_is_used() -> None:
    with writers_bench(Api.CHAT) as bench:
        address = bench.server.url.replace("http://", "http://reader:hush@")
        bench.service = ModelService("some-model", address)
        assert bench.write(None, says("Over topics [1].")) == "Over topics [1]."
        assert bench.server.calls[0].headers["authorization"].startswith("Basic ")


def test_the_service_is_not_told_what_machine_asks() -> None:
    with writers_bench(Api.CHAT) as bench:
        bench.write(None, says("Over topics [1]."))
        assert set(bench.server.calls[0].headers) == {
            "accept",
            "accept-encoding",
            "authorization",
            "connection",
            "content-length",
            "content-type",
            "host",
            "user-agent",
        }


def report(url: str, *arguments: str) -> dict[str, object]:
    writing = command("support.writers_process", url, *arguments)
    done = subprocess.run(
        writing, env=environment(**FOREIGN), capture_output=True, text=True, timeout=60, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("kind", ["extractive", *Api])
def test_nobody_but_the_model_is_told_of_a_question(kind: str) -> None:
    with model_server() as server:
        server.will(says("Over topics [1]."))
        reached = [] if kind == "extractive" else ["127.0.0.1"]
        told = report(server.url, kind)
        assert (str(told["text"]).strip(), told["wanted"]) == ("Over topics [1].", reached)


def test_a_trace_is_sent_only_when_it_was_asked_for() -> None:
    """And so the test above would see one."""
    with model_server() as server:
        server.will(says("Over topics [1]."))
        assert "api.openai.com" in report(server.url, "chat", "--trace")["wanted"]  # type: ignore[operator]


def test_importing_the_writers_does_not_load_the_sdk() -> None:
    modules = ["extractive", "language_model", "service", "prompt"]
    imports = "".join(f"import glossator.adapters.writers.{name}\n" for name in modules)
    check = (
        "import sys\nprint([name for name in ('agents', 'openai', 'httpx2', 'mcp') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", imports + check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_warming_up_loads_it_beside_everything_else() -> None:
    check = (
        "import sys\nfrom glossator.adapters.writers.service import warm_up\n"
        "thread = warm_up()\nthread.join(60)\nprint('agents' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


def test_a_failure_is_not_printed_over_the_answer() -> None:
    """The SDK logs errors of its own, which Python prints where nobody set up logging."""
    with model_server() as server:
        server.will(status(500))
        writing = command("support.writers_process", server.url, "responses")
        done = subprocess.run(
            writing, env=environment(), capture_output=True, text=True, timeout=60, check=False
        )
        assert "WriterUnavailable" in done.stderr
        assert "Error streaming response" not in done.stderr.partition("Traceback")[0]
