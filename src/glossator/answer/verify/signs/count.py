"""How much several signs of one kind say."""

from __future__ import annotations


def counted(signs: int) -> float:
    """0 to 1; the first says most."""
    return 1.0 - 0.4**signs
