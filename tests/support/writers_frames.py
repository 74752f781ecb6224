"""A reply in the words of OpenAI's two APIs, whole and streamed."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Reply:
    pieces: tuple[str, ...]
    calls: tuple[tuple[str, str], ...] = ()
    """Names of tools and their arguments."""
    finish: str | None = "stop"
    """As Chat Completions name it; None for a reply that does not say that it is whole."""
    refusal: str | None = None

    @property
    def text(self) -> str:
        return "".join(self.pieces)


_CALL_IDS = itertools.count(1)


def chat_frames(reply: Reply) -> Iterator[bytes]:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in reply.pieces]
    deltas += [{"refusal": reply.refusal}] if reply.refusal else []
    deltas += [{"tool_calls": [{"index": index, **call}]} for index, call in enumerate(_chat_calls(reply))]
    for delta in deltas:
        yield _data(_chat_chunk(delta, None))
    if reply.finish is not None:
        yield _data(_chat_chunk({}, reply.finish))
        yield b"data: [DONE]\n\n"


def chat_whole(reply: Reply) -> dict[str, Any]:
    message = {"role": "assistant", "content": reply.text, "refusal": reply.refusal}
    if reply.calls:
        message["tool_calls"] = _chat_calls(reply)
    choice = {"index": 0, "message": message, "finish_reason": reply.finish}
    return {"id": "chat-1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}


def _chat_chunk(delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "chat-1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "m",
        "choices": [choice],
    }


def _chat_calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {
            "id": f"call-{next(_CALL_IDS)}",
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        }
        for name, arguments in reply.calls
    ]


def response_frames(reply: Reply) -> Iterator[bytes]:
    items = _items(reply)
    events = [{"type": "response.created", "response": _response([], "in_progress")}]
    for index, item in enumerate(items):
        events += (
            _message_events(index, item, reply) if item["type"] == "message" else _call_events(index, item)
        )
    events += _last_event(reply, items)
    for number, event in enumerate(events):
        yield f"event: {event['type']}\n".encode() + _data({**event, "sequence_number": number})


def response_whole(reply: Reply) -> dict[str, Any]:
    is_whole = reply.finish not in (None, "length", "content_filter")
    return _response(_items(reply), "completed" if is_whole else "incomplete")


def _items(reply: Reply) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if reply.pieces or reply.refusal or not reply.calls:
        items.append(_message(reply))
    for name, arguments in reply.calls:
        number = next(_CALL_IDS)
        items.append(
            {
                "type": "function_call",
                "id": f"fc-{number}",
                "call_id": f"call-{number}",
                "name": name,
                "arguments": arguments,
                "status": "completed",
            }
        )
    return items


def _message(reply: Reply) -> dict[str, Any]:
    text = {"type": "output_text", "text": reply.text, "annotations": []}
    part = {"type": "refusal", "refusal": reply.refusal} if reply.refusal else text
    return {"type": "message", "id": "msg-1", "role": "assistant", "status": "completed", "content": [part]}


def _message_events(index: int, item: dict[str, Any], reply: Reply) -> list[dict[str, Any]]:
    at = {"item_id": "msg-1", "output_index": index, "content_index": 0}
    empty = {"type": "output_text", "text": "", "annotations": []}
    kind = "response.refusal.delta" if reply.refusal else "response.output_text.delta"
    pieces = [reply.refusal] if reply.refusal else reply.pieces
    begun: list[dict[str, Any]] = [
        {
            "type": "response.output_item.added",
            "output_index": index,
            "item": {**item, "status": "in_progress", "content": []},
        },
        {"type": "response.content_part.added", **at, "part": empty},
        *({"type": kind, **at, "delta": piece, "logprobs": []} for piece in pieces),
    ]
    if reply.finish is None:
        return begun
    return [*begun, {"type": "response.output_item.done", "output_index": index, "item": item}]


def _call_events(index: int, item: dict[str, Any]) -> list[dict[str, Any]]:
    at = {"item_id": item["id"], "output_index": index}
    return [
        {"type": "response.output_item.added", "output_index": index, "item": {**item, "arguments": ""}},
        {"type": "response.function_call_arguments.delta", **at, "delta": item["arguments"]},
        {"type": "response.function_call_arguments.done", **at, "arguments": item["arguments"]},
        {"type": "response.output_item.done", "output_index": index, "item": item},
    ]


def _last_event(reply: Reply, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    match reply.finish:
        case None:
            return []
        case "length" | "content_filter" as reason:
            said = {"length": "max_output_tokens"}.get(reason, reason)
            cut = {**_response(items, "incomplete"), "incomplete_details": {"reason": said}}
            return [{"type": "response.incomplete", "response": cut}]
        case "error":
            failed = {
                **_response(items, "failed"),
                "error": {"code": "server_error", "message": "overloaded"},
            }
            return [{"type": "response.failed", "response": failed}]
        case _:
            return [{"type": "response.completed", "response": _response(items, "completed")}]


def _response(output: list[dict[str, Any]], status: str) -> dict[str, Any]:
    return {
        "id": "resp-1",
        "object": "response",
        "created_at": 0,
        "model": "m",
        "status": status,
        "output": output,
        "tool_choice": "auto",
        "tools": [],
        "parallel_tool_calls": True,
    }


def _data(value: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"
