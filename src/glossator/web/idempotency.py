"""A caller's own name for a request that asks, so that sending it twice asks once."""

from __future__ import annotations

import hashlib
import re
from typing import Annotated

from fastapi import Depends, Header, Request

from glossator.errors import QuestionError
from glossator.model import Idempotency, KeyKind
from glossator.web.caller import Caller

_KEY = re.compile(r"[\x21-\x7e]{1,255}")


async def _named(
    request: Request,
    idempotency_key: Annotated[
        str | None, Header(description="1 to 255 visible characters of the caller's own choice.")
    ] = None,
) -> Idempotency | None:
    if idempotency_key is None:
        return None
    if not _KEY.fullmatch(idempotency_key):
        raise QuestionError("An idempotency key has 1 to 255 visible characters and no blanks.")
    asked = request.url.path.encode() + b"\n" + await request.body()
    return Idempotency(_own(idempotency_key, request.state.caller), hashlib.sha256(asked).hexdigest())


def _own(key: str, caller: Caller) -> str:
    """Everybody has the same publishable key: a name that another reader chose too is not the same name."""
    if caller.kind is KeyKind.SECRET:
        return key
    return hashlib.sha256(f"{caller.address}\n{key}".encode()).hexdigest()


Named = Annotated[Idempotency | None, Depends(_named)]
