"""Recorded examples of a contract: what was sent, the status, and the whole reply or all events of a stream.

What differs from run to run stands in angle brackets and is still checked for its form: `<uuid>`, `<moment>`,
`<share>` (0 to 1), `<milliseconds>` (above 0), `<seconds>` (since 1970), `<trace>`, `<completion>`. With a name, as in `<uuid:session>`, it is remembered, and
`{session}` in a later request or reply of the same example is that very value.

With `UPDATE_SNAPSHOTS=1` the replies are written anew, to be read as a diff; what stood in brackets stays there.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
from pydantic import SecretStr

from glossator.model import KeyKind
from glossator.settings import Settings
from glossator.web.auth.keyring import make_key
from glossator.wiring.engine import keys_of

RECORDED = Path(__file__).parents[1] / "web" / "recorded"
OPENAPI = Path(__file__).parents[1] / "web" / "openapi"
_VOLATILE = re.compile(r"<(uuid|moment|share|milliseconds|seconds|trace|completion)(?::(\w+))?>")
_AS_NEAR = 0.01
"""The models' numbers differ a little from processor to processor."""
_DATA = re.compile(r"^data: (.+)$", re.MULTILINE)
_REMEMBERED = re.compile(r"\{(\w+)\}")


_PREFIXES = {"native": "/v1", "openai": "/openai/v1", "clients": ""}


def _prefix(contract: str) -> str:
    return _PREFIXES.get(contract, f"/contracts/{contract}")


def examples_of(contract: str) -> list[str]:
    return sorted(path.stem for path in (RECORDED / contract).glob("*.json"))


def play(client: httpx2.Client, contract: str, name: str) -> None:
    """Every step of the example, in order, against the server."""
    path = RECORDED / contract / f"{name}.json"
    example = json.loads(path.read_text("utf-8"))
    known = dict[str, str]()
    for number, step in enumerate(example["steps"], 1):
        request = filled(step["request"], known)
        response = client.request(
            request["method"],
            f"{_prefix(contract)}{request['path']}",
            json=request.get("json"),
            headers=request.get("headers"),
        )
        where = f"{contract}/{name}, step {number}"
        assert response.status_code == step["status"], f"{where}: {response.text}"
        reply = _reply_of(response)
        if os.environ.get("UPDATE_SNAPSHOTS") and "reply" in step:
            step["reply"] = _recorded(step["reply"], reply, known)
        differences = list(_differences(filled(step.get("reply"), known), reply, known, "reply"))
        assert not differences, f"{where}: " + "; ".join(differences)
        for header, value in step.get("headers", {}).items():
            assert response.headers.get(header) == value, f"{where}: {header}"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(json.dumps(example, indent=2, ensure_ascii=False) + "\n", "utf-8")


def _reply_of(response: httpx2.Response) -> Any:
    """The body; of a stream the list of its events, as a page reads them."""
    if not response.content:
        return None
    if response.headers["content-type"].startswith("text/event-stream"):
        return [json.loads(data) for data in _DATA.findall(response.text)]
    return response.json()


def _recorded(before: Any, found: Any, known: dict[str, str]) -> Any:
    """What was found, with what differs from run to run in brackets as it was before."""
    match before, found:
        case str(), _ if (volatile := _VOLATILE.fullmatch(before)) and _has_form(volatile[1], found):
            return before
        case str(), str() if filled(before, known) == found:
            return before
        case dict(), dict():
            keys = [key for key in dict.fromkeys([*before, *found]) if key in found]
            return {key: _recorded(before.get(key), found[key], known) for key in keys}
        case list(), list() if before:
            # One more than before looks like the last.
            alike = [*before, *before[-1:] * len(found)]
            return [_recorded(one, other, known) for one, other in zip(alike, found, strict=False)]
        case _:
            return found


def filled(value: Any, known: dict[str, str]) -> Any:
    """With what is remembered in the place of its name."""
    match value:
        case str():
            return _REMEMBERED.sub(lambda found: known.get(found[1], found[0]), value)
        case list():
            return [filled(inner, known) for inner in value]
        case dict():
            return {key: filled(inner, known) for key, inner in value.items()}
        case _:
            return value


def _differences(expected: Any, found: Any, known: dict[str, str], place: str) -> Iterator[str]:
    match expected, found:
        case str(), _ if volatile := _VOLATILE.fullmatch(expected):
            yield from _formless(volatile, found, known, place)
        case dict(), dict() if expected.keys() == found.keys():
            for key in expected:
                yield from _differences(expected[key], found[key], known, f"{place}.{key}")
        case list(), list() if len(expected) == len(found):
            for number, (one, other) in enumerate(zip(expected, found, strict=True)):
                yield from _differences(one, other, known, f"{place}[{number}]")
        case float(), float() if abs(expected - found) <= _AS_NEAR:
            pass
        case _ if expected != found or type(expected) is not type(found):
            yield f"{place} is {found!r} and not {expected!r}"
        case _:
            pass


def _formless(volatile: re.Match[str], found: Any, known: dict[str, str], place: str) -> Iterator[str]:
    if not _has_form(volatile[1], found):
        yield f"{place} is no {volatile[1]}: {found!r}"
    elif volatile[2]:
        known[volatile[2]] = found


def _has_form(kind: str, found: Any) -> bool:
    is_number = isinstance(found, int | float) and not isinstance(found, bool)
    match kind:
        case "uuid":
            return isinstance(found, str) and str(UUID(found)) == found
        case "moment":
            if not isinstance(found, str) or not found.endswith("Z"):
                return False
            return datetime.fromisoformat(found).utcoffset() == timedelta(0)
        case "trace":
            return isinstance(found, str) and re.fullmatch(r"[0-9a-f]{32}", found) is not None
        case "completion":
            return isinstance(found, str) and found == f"chatcmpl-{UUID(found.removeprefix('chatcmpl-'))}"
        case "seconds":
            return isinstance(found, int) and abs(found - datetime.now(UTC).timestamp()) < 86_400
        case "share":
            return is_number and 0 <= found <= 1
        case _:
            return is_number and found > 0


def check_document(client: httpx2.Client, contract: str) -> None:
    """The OpenAPI document is what it was; with `UPDATE_SNAPSHOTS=1` it is written anew, to be read as a diff."""
    found = client.get(f"{_prefix(contract)}/openapi.json").json()
    path = OPENAPI / f"{contract}.json"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", "utf-8")
    assert found == json.loads(path.read_text("utf-8")), (
        f"The OpenAPI document of {contract} has changed. If that is meant, run "
        f"`UPDATE_SNAPSHOTS=1 pytest tests/web/test_contract_{contract}.py -k document`."
    )


def add_key(records: Path, kind: KeyKind = KeyKind.SECRET, **about: Any) -> str:
    """A key in the records of a server to be; what is shown of it."""
    made = make_key(kind, datetime.now(UTC), **about)

    async def add() -> None:
        async with keys_of(Settings(database_url=SecretStr(f"sqlite:///{records}"))) as keys:
            await keys.add(made.key)

    asyncio.run(add())
    return made.shown
