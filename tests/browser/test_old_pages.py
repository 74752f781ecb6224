"""A page that was written for one of the first designs, in a real browser: `fetch` to the old paths, and no more."""

from __future__ import annotations

import json
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from glossator.model import Contract
from support.browser_server import pages, serve
from support.recorded_examples import RECORDED, examples_of, filled

PAGE = "<!doctype html><title>A page from before</title>"
FETCH = """async ({server, method, path, headers, json}) => {
    const reply = await fetch(server + path, {
        method,
        headers: {...headers, ...(json && {"Content-Type": "application/json"})},
        ...(json && {body: JSON.stringify(json)}),
    });
    if (reply.headers.get("Content-Type")?.startsWith("text/event-stream")) {
        let told = "";
        const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
        for (let read; !(read = await reader.read()).done; ) told += read.value;
        const data = [...told.matchAll(/^data: (.+)$/gm)];
        return {status: reply.status, body: data.map((match) => JSON.parse(match[1]))};
    }
    const text = await reply.text();
    return {status: reply.status, body: text ? JSON.parse(text) : null};
}"""
ROOTS = {
    Contract.CITATIONS: {"root_contract": "citations", "root_prefix": "/api/v1"},
    Contract.COURSE: {"root_contract": "course", "root_prefix": "/api"},
}
SESSION = ("session_id", "conversation_id")


@pytest.mark.parametrize("contract", examples_of("clients"))
def test_a_page_with_nothing_but_fetch_gets_through_its_conversation(
    page: Page, sample_home: Path, tmp_path: Path, contract: str
):
    steps = json.loads((RECORDED / "clients" / f"{contract}.json").read_text("utf-8"))["steps"]
    with pages(tmp_path / "site", {"page.html": PAGE}) as site:
        chosen = {**ROOTS.get(Contract(contract), {}), "anonymous_origins": json.dumps([site])}
        with serve(tmp_path, sample_home, **chosen) as server:
            page.goto(f"{site}/page.html")
            known = dict[str, str]()
            for step in steps:
                sent = filled(step["request"], known)
                told = page.evaluate(FETCH, {"server": server.url, "json": None, **sent})
                assert told["status"] == step["status"], (sent, told)
                assert _shape(told["body"]) == _shape(step.get("reply"))
                known |= _session(told["body"])


def _session(body: Any) -> dict[str, str]:
    named = [body[name] for name in SESSION if name in body] if isinstance(body, dict) else []
    return {"session": named[0]} if named else {}


def _shape(body: Any) -> object:
    """What a page would look for: the names of the fields, how many messages there are, and the kinds of events."""
    match body:
        case [{"type": _}, *_] as events:
            return [kind for kind, _ in groupby(events, key=itemgetter("type"))]
        case {"messages": list() as messages}:
            return sorted(body), len(messages)
        case dict():
            return sorted(body)
        case list():
            return len(body)
        case _:
            return body
