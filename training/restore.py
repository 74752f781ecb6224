"""Turns shipped weights back into those of a training, so that it can go on where no checkpoint was kept."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from export import product_name
from network import Reader


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("weights", type=Path, help="weights of the product: answers.npz or claims.npz")
    words.add_argument("out", type=Path, help="reader.pt to start a training from")
    given = words.parse_args()
    shipped = np.load(given.weights)
    state = dict[str, torch.Tensor]()
    for name in Reader().state_dict():
        if product_name(name) not in shipped:
            continue
        values = shipped[product_name(name)].astype(np.float32)
        scales = f"{product_name(name)}/scales"
        state[name] = torch.from_numpy(values * shipped[scales][:, None] if scales in shipped else values)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    torch.save(state, given.out)


if __name__ == "__main__":
    main()
