"""What a client sends along costs in proportion to its length, through the whole server.

No time is asserted, only growth: ten times the text may take forty times the time and no more.
"""

from __future__ import annotations

from time import process_time

import pytest
from starlette.testclient import TestClient

COMPLETIONS = "/openai/v1/chat/completions"
SHORT, LONG = 3_000, 30_000
"""Characters of a message."""
MOST = 40
TOO_LITTLE = 0.5
"""Seconds of the processor: a question takes about as many whatever comes with it."""


def seconds_for(client: TestClient, question: str, answer: str) -> float:
    messages = [
        {"role": "user", "content": question},
        {"role": "assistant", "content": answer},
        {"role": "user", "content": "Can you give an example of it?"},
    ]
    begun = process_time()
    reply = client.post(COMPLETIONS, json={"model": "m", "messages": messages})
    spent = process_time() - begun
    assert reply.status_code == 200, reply.text
    return spent


@pytest.mark.parametrize("kind", ["a", "*", "? ", "[", "sources:\n", "`", " ", "\n", "it ", "a-"], ids=repr)
def test_a_long_message_takes_no_more_than_its_length_explains(client: TestClient, kind: str):
    short, long = ((kind * length)[:length] for length in (SHORT, LONG))
    for place in (lambda text: ("What is a topic?", text), lambda text: (f"What is {text}?", "A topic. [1]")):
        quick = seconds_for(client, *place(short))
        assert seconds_for(client, *place(long)) <= max(TOO_LITTLE, MOST * quick)
