"""What tells vectors apart that cannot be compared."""

from __future__ import annotations

import hashlib
import json


def fingerprint(*decisive: str | int) -> str:
    """Changes with each of the things that decide what a vector is."""
    return hashlib.sha256(json.dumps(decisive).encode()).hexdigest()
