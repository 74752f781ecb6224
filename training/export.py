"""Writes the trained part of a reader as 8-bit integers, as the product ships it."""

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
    words.add_argument("weights", type=Path, help="reader.pt of a training")
    words.add_argument("out", type=Path)
    given = words.parse_args()
    arrays = dict[str, np.ndarray]()
    for name, tensor in torch.load(given.weights).items():
        arrays |= stored(product_name(name), tensor.numpy().astype(np.float32))
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
