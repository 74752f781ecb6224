"""What both engines are told alike, so that a book is found the same way in either."""

from __future__ import annotations

DENSE = "dense"
SPARSE = "sparse"

LINKS = 16
EF_CONSTRUCT = 100
"""How the graph of the dense vectors is built."""

SEARCH_WIDTH = 64
"""How many neighbours a search of the graph looks at; see scripts/bench_index.py."""
