"""The OpenAI embedder against a service on a real socket that fails in every way."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from glossator.adapters.embedders.embeddings_api import (
    Backoff,
    EmbeddingsApi,
    EmbeddingService,
    TryAgain,
    connect,
)
from glossator.adapters.embedders.openai import OpenAIEmbedder
from glossator.errors import EmbedderError, EmbedderUnavailable, GlossatorError, SettingsError
from support.embedders_service import (
    DIMENSION,
    Answer,
    Service,
    embedding_service,
    embeddings,
    hang_up,
    hang_up_midway,
    raw,
    say_nothing,
    status,
    vector_of,
)

KEY = "sk-very-secret-0123456789"


@dataclass
class Bench:
    """An embedder, the service it talks to, and the waits between its tries."""

    service: Service
    asked: EmbeddingService
    waits: list[float] = field(default_factory=list[float])

    def open(self, **options: Any) -> OpenAIEmbedder:
        prefixes = {name: options.pop(name) for name in list(options) if name.endswith("_prefix")}
        backoff = Backoff(sleep=self.waits.append, chance=lambda: 1.0)
        return OpenAIEmbedder.open(replace(self.asked, **options), backoff=backoff, **prefixes)


@pytest.fixture
def bench() -> Iterator[Bench]:
    with embedding_service() as service:
        yield Bench(
            service, EmbeddingService("some-model", service.url, KEY, dimensions=DIMENSION, timeout=10)
        )


def unit(text: str) -> np.ndarray:
    vector = np.array(vector_of(text), np.float32)
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize(
    "refusal", [status(429), status(500), status(502), status(503), hang_up, hang_up_midway]
)
def test_a_service_that_stumbles_is_asked_again(bench: Bench, refusal: Answer) -> None:
    bench.service.will(refusal, refusal)
    with closing(bench.open()) as embedder:
        assert embedder.embed_query("hello").vector == pytest.approx(unit("hello"))
    assert bench.waits == [0.5, 1.0]


def test_a_service_that_keeps_silent_is_asked_again(bench: Bench) -> None:
    bench.service.will(say_nothing)
    with closing(bench.open(timeout=0.2)) as embedder:
        assert embedder.embed_query("hello").vector == pytest.approx(unit("hello"))
    assert len(bench.waits) == 1


def test_the_wait_that_the_service_asks_for_is_kept(bench: Bench) -> None:
    bench.service.will(status(429, Retry_After="7"))
    with closing(bench.open()) as embedder:
        embedder.embed_query("hello")
    assert bench.waits == [7.0]


def test_the_wait_may_be_given_as_a_date(bench: Bench) -> None:
    bench.service.will(status(503, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"))
    at_seven = datetime(2015, 10, 21, 7, 27, 48, tzinfo=UTC)
    with connect(bench.asked) as http, pytest.raises(TryAgain) as refusal:
        EmbeddingsApi(bench.asked, http, now=lambda: at_seven).embed(["hello"])
    assert timedelta(seconds=refusal.value.after) == timedelta(seconds=12)


@pytest.mark.parametrize("nonsense", ["soon", "-3", "1e9999", "Wed, 99 Oct 2015 07:28:00 GMT"])
def test_a_wait_that_makes_no_sense_is_ignored(bench: Bench, nonsense: str) -> None:
    bench.service.will(status(429, Retry_After=nonsense))
    with closing(bench.open()) as embedder:
        embedder.embed_query("hello")
    assert bench.waits == [0.5]


def test_nobody_waits_an_hour(bench: Bench) -> None:
    bench.service.will(status(429, "come back tomorrow", Retry_After="3600"))
    with closing(bench.open()) as embedder, pytest.raises(EmbedderUnavailable, match="come back tomorrow"):
        embedder.embed_query("hello")
    assert bench.waits == []


def test_after_five_tries_it_gives_up_and_says_that_later_may_be_better(bench: Bench) -> None:
    bench.service.will(*[status(503, "overloaded")] * 5)
    with (
        closing(bench.open()) as embedder,
        pytest.raises(EmbedderUnavailable, match="503: overloaded") as given_up,
    ):
        embedder.embed_query("hello")
    assert given_up.value.retryable
    assert bench.waits == [0.5, 1.0, 2.0, 4.0]


def test_clients_that_failed_together_do_not_come_back_together() -> None:
    def waits(chance: float) -> list[float]:
        found: list[float] = []

        def refuse() -> None:
            raise TryAgain("busy")

        with pytest.raises(TryAgain):
            Backoff(sleep=found.append, chance=lambda: chance, longest_wait=3.0).run(refuse)
        return found

    assert waits(0.0) == [0.25, 0.5, 1.0, 1.5]
    assert waits(1.0) == [0.5, 1.0, 2.0, 3.0]


def test_where_nobody_listens_it_says_so(bench: Bench) -> None:
    with embedding_service() as gone:
        address = gone.url
    with (
        closing(bench.open(base_url=address)) as embedder,
        pytest.raises(EmbedderUnavailable, match="reached"),
    ):
        embedder.embed_query("hello")


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (400, EmbedderError),
        (401, SettingsError),
        (403, SettingsError),
        (404, SettingsError),
        (422, EmbedderError),
    ],
)
def test_a_refusal_that_will_not_change_is_not_repeated(
    bench: Bench, code: int, error: type[GlossatorError]
) -> None:
    bench.service.will(status(code))
    with closing(bench.open()) as embedder, pytest.raises(error, match=str(code)) as refusal:
        embedder.embed_query("hello")
    assert not isinstance(refusal.value, EmbedderUnavailable)
    assert len(bench.service.script.calls) == 1


@pytest.mark.parametrize("code", [400, 401, 404, 429, 500])
def test_the_key_is_never_shown(bench: Bench, code: int) -> None:
    bench.service.will(*[status(code, f"Incorrect API key provided: {KEY}.")] * 5)
    with closing(bench.open()) as embedder, pytest.raises(GlossatorError) as refusal:
        embedder.embed_query("hello")
    assert KEY not in "".join(traceback.format_exception(refusal.value))
    assert KEY not in repr(bench.asked)


@pytest.mark.parametrize("key", [f"{KEY}\n", f" {KEY}", "schlüssel-0123456789", "sk-\x00"])
def test_a_key_that_cannot_be_sent_is_refused_without_being_shown(bench: Bench, key: str) -> None:
    with pytest.raises(SettingsError) as refusal:
        bench.open(api_key=key)
    assert key.strip() not in "".join(traceback.format_exception(refusal.value))


def test_a_password_in_the_address_is_never_shown(bench: Bench) -> None:
    bench.service.will(status(400))
    address = bench.service.url.replace("http://", "http://reader:password@")
    with closing(bench.open(base_url=address)) as embedder, pytest.raises(EmbedderError) as refusal:
        embedder.embed_query("hello")
    assert "password" not in str(refusal.value)


@pytest.mark.parametrize("address", ["", "api.example.org/v1", "ftp://example.org", "http://", "http://[::1"])
def test_an_address_that_is_none_is_refused_at_once(bench: Bench, address: str) -> None:
    with pytest.raises(SettingsError, match="address"):
        bench.open(base_url=address)


def drop_one(items: list[Any]) -> list[Any]:
    return items[:-1]


def number_all_zero(items: list[Any]) -> list[Any]:
    return [{**item, "index": 0} for item in items]


def put(value: object) -> Callable[[list[Any]], list[Any]]:
    def change(items: list[Any]) -> list[Any]:
        items[0]["embedding"][3] = value
        return items

    return change


def silence(items: list[Any]) -> list[Any]:
    return [{**item, "embedding": [0.0] * DIMENSION} for item in items]


def shorten_one(items: list[Any]) -> list[Any]:
    items[0]["embedding"].pop()
    return items


@pytest.mark.parametrize(
    "nonsense",
    [
        raw(b""),
        raw(b"<html>Bad gateway</html>"),
        raw(b'{"data": "none"}'),
        raw(b"\xff\xfe"),
        raw(b"[]"),
        embeddings(change=drop_one),
        embeddings(change=number_all_zero),
        embeddings(change=put(float("nan"))),
        embeddings(change=put(float("inf"))),
        embeddings(change=put(None)),
        embeddings(change=put("north")),
        embeddings(change=silence),
        embeddings(change=shorten_one),
        embeddings(dimension=DIMENSION + 1),
        embeddings(dimension=0),
    ],
)
def test_what_is_not_an_embedding_is_refused_at_the_border(bench: Bench, nonsense: Answer) -> None:
    bench.service.will(nonsense)
    with closing(bench.open()) as embedder, pytest.raises(EmbedderError, match=r"127\.0\.0\.1"):
        embedder.embed_passages(["one", "two"])
    assert len(bench.service.script.calls) == 1


def test_vectors_that_come_in_another_order_find_their_texts(bench: Bench) -> None:
    bench.service.will(embeddings(change=lambda items: items[::-1]))
    with closing(bench.open()) as embedder:
        one, two = embedder.embed_passages(["one", "two"])
    assert one.vector == pytest.approx(unit("one"))
    assert two.vector == pytest.approx(unit("two"))


def test_many_texts_go_in_several_calls(bench: Bench) -> None:
    with closing(bench.open()) as embedder:
        embedder.embed_passages([f"passage {number}" for number in range(100)])
    assert [len(call.texts) for call in bench.service.script.calls] == [32, 32, 32, 4]


def test_long_texts_go_in_smaller_calls(bench: Bench) -> None:
    with closing(bench.open(model="text-embedding-3-small")) as embedder:
        embedder.embed_passages(["word " * 8000] * 20)
    assert [len(call.texts) for call in bench.service.script.calls] == [12, 8]


def test_a_text_over_the_window_is_cut_there(bench: Bench) -> None:
    with closing(bench.open(model="text-embedding-3-small")) as embedder:
        embedder.embed_query("word " * 20_000)
    (call,) = bench.service.script.calls
    assert len(call.texts[0].split()) == 8191


def test_a_known_model_is_opened_without_a_call(bench: Bench) -> None:
    with closing(bench.open(model="text-embedding-3-small", dimensions=None)) as embedder:
        assert embedder.identity.dimension == 1536
        assert embedder.identity.window == 8191
    assert bench.service.script.calls == []


def test_an_unknown_model_is_asked_for_its_dimension_once(bench: Bench) -> None:
    bench.service.will(status(503))
    with closing(bench.open(dimensions=None)) as embedder:
        embedder.embed_query("hello")
        assert embedder.identity.dimension == DIMENSION
    assert len(bench.service.script.calls) == 3
    assert all("dimensions" not in call.body for call in bench.service.script.calls)


def test_what_was_asked_for_is_what_is_sent(bench: Bench) -> None:
    with closing(bench.open(base_url=bench.service.url + "/")) as embedder:
        embedder.embed_query("hello")
    (call,) = bench.service.script.calls
    assert call.path == "/v1/embeddings"
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert call.body == {
        "model": "some-model",
        "input": ["hello"],
        "encoding_format": "float",
        "dimensions": DIMENSION,
    }


def test_without_a_key_none_is_sent(bench: Bench) -> None:
    with closing(bench.open(api_key=None)) as embedder:
        embedder.embed_query("hello")
    assert "authorization" not in bench.service.script.calls[0].headers


def test_the_key_does_not_follow_a_redirect(bench: Bench) -> None:
    bench.service.will(status(307, Location=f"{bench.service.url}/elsewhere"))
    with closing(bench.open()) as embedder, pytest.raises(EmbedderError, match="307"):
        embedder.embed_query("hello")
    assert len(bench.service.script.calls) == 1


def test_a_model_that_tells_questions_from_passages_gets_its_prefixes(bench: Bench) -> None:
    with closing(bench.open(model="nomic-embed-text:latest")) as embedder:
        embedder.embed_query("a node?")
        embedder.embed_passages(["a node"])
    question, passage = (call.texts for call in bench.service.script.calls)
    assert question == ["search_query: a node?"]
    assert passage == ["search_document: a node"]


def test_the_operator_may_set_the_prefixes_or_take_them_away(bench: Bench) -> None:
    with closing(bench.open(model="e5-base", query_prefix="Q: ", passage_prefix="")) as embedder:
        embedder.embed_query("a node?")
        embedder.embed_passages(["a node"])
    question, passage = (call.texts for call in bench.service.script.calls)
    assert question == ["Q: a node?"]
    assert passage == ["a node"]


def test_the_fingerprint_changes_with_all_that_changes_a_vector_and_with_nothing_else(bench: Bench) -> None:
    def mark(**options: Any) -> str:
        with closing(bench.open(**options)) as embedder:
            return embedder.identity.fingerprint

    assert mark() != mark(model="other")
    assert mark() != mark(dimensions=4)
    assert mark() != mark(query_prefix="q: ")
    assert mark() != mark(passage_prefix="p: ")
    assert mark() == mark(base_url="http://elsewhere.example/v1", api_key="another", timeout=1.0)
