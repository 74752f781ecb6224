"""What a caller may say of a session when it is opened: kept, told back, and never logged."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

LONGEST_METADATA = 4096
"""Characters, written as JSON."""


def _bounded(sent: dict[str, Any]) -> dict[str, Any]:
    if len(json.dumps(sent)) > LONGEST_METADATA:
        raise PydanticCustomError(
            "metadata", "must have at most {most} characters as JSON", {"most": LONGEST_METADATA}
        )
    return sent


Metadata = Annotated[dict[str, Any], AfterValidator(_bounded)]
