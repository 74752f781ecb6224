"""How often a test repeats what it does: a little in `make test`, at full size in `make proof` (scripts/proof.py)."""

from __future__ import annotations

import os


def repeats(name: str, usual: int) -> int:
    """`GLOSSATOR_TEST_KILLS=100` kills a hundred times."""
    return int(os.environ.get(f"GLOSSATOR_TEST_{name}", usual))


BATCH = repeats("BATCH", 0)
"""The full size is run in batches: each has cases of its own, and the same ones whenever it is run again."""
