"""What a session is called where ids of several owners stand side by side, as in the views: a UUID."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from typing import NamedTuple

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_OURS = uuid.UUID("b3f0c1c2-6e0a-5b3e-9a54-0d6f0b7c4e21")


class Names(NamedTuple):
    first: str
    """Its id, where that is a UUID."""
    spare: str
    """Of this owner's alone, for when another session has the id already."""


def name_of(session_id: str, owner: Sequence[str]) -> Names:
    whole = "\0".join(f"{len(part)}:{part}" for part in (*owner, session_id))
    spare = str(uuid.uuid5(_OURS, whole))
    return Names(session_id if _UUID.fullmatch(session_id) else spare, spare)
