"""Writes the trained part of a reader as 8-bit integers, as the product ships it.

Of several weights the mean: that of a round's beginning and end does better on other books than either.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

_LAYER = {
    "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
    "out": "attention.output.dense", "out_norm": "attention.output.LayerNorm",
    "wide": "intermediate.dense", "narrow": "output.dense", "norm": "output.LayerNorm",
}  # fmt: skip


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("weights", type=Path, nargs="+", help="reader.pt of a training")
    words.add_argument("--out", type=Path, required=True)
    given = words.parse_args()
    readers = [torch.load(weights) for weights in given.weights]
    arrays = dict[str, np.ndarray]()
    for name in readers[-1]:
        known = [reader[name].numpy() for reader in readers if name in reader]
        mean = np.mean(known, axis=0, dtype=np.float32)
        arrays |= stored(product_name(name), mean)
    np.savez_compressed(given.out, **arrays)
    print(f"{given.out}: {given.out.stat().st_size / 1e6:.1f} MB")


def product_name(name: str) -> str:
    parts = name.split(".")
    if parts[0] == "layers":
        return f"encoder.layer.{parts[1]}.{_LAYER[parts[2]]}.{parts[3]}"
    return f"reader.{name}"


def stored(name: str, values: np.ndarray) -> dict[str, np.ndarray]:
    """Large matrices as integers with a scale for each row; the rest as it is."""
    if values.ndim < 2 or values.size < 10_000:
        return {name: values}
    scales = np.abs(values).max(axis=1) / 127
    return {name: np.rint(values / scales[:, None]).astype(np.int8), f"{name}/scales": scales}


if __name__ == "__main__":
    main()
