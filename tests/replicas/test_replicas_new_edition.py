"""The book is ingested again and again while readers ask: every answer is from one edition, whole."""

from __future__ import annotations

from collections import Counter

import httpx2
import pytest

from support.proof_server import is_soon
from support.proof_size import repeats
from support.replicas_book import QUESTIONS
from support.replicas_readers import Reader, reading
from support.replicas_stage import Replicas, client_of

INGESTS = repeats("INGESTS", 4)
READERS = [6, pytest.param(100, marks=pytest.mark.nightly)]


@pytest.mark.slow
@pytest.mark.qdrant
@pytest.mark.parametrize("many", READERS)
def test_every_answer_is_from_exactly_one_generation(
    replicas: Replicas, many: int, counted: Counter[str]
) -> None:
    book, before = replicas.book, replicas.book.generation
    with reading(replicas.balancer.url, many=many) as readers:
        for _ in range(INGESTS):
            book.ingest_next()
            counted["ingests under readers"] += 1
        with replicas.clients() as clients:
            # Each looks for a new generation at most once a second.
            assert is_soon(lambda: all(_generation(client) == book.generation for client in clients))

    for reader in readers:
        reader.check_generations(book)
    with client_of(replicas.balancer.url) as client:
        for reader in readers:
            reader.check_kept(client)
    answered_from = {answer["index"]["generation"] for reader in readers for answer in reader.heard}
    assert {before, book.generation} <= answered_from
    counted["answers from one generation"] += sum(len(reader.heard) for reader in readers)


def _generation(client: httpx2.Client) -> int:
    reader = Reader()
    reader.ask(client, QUESTIONS[0])
    return reader.heard[0]["index"]["generation"]
