"""What is alike comes together: average linkage, until no two groups are alike enough."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]


def cluster(likeness: Matrix, least: float) -> list[list[int]]:
    """Groups of rows whose mean likeness is at least so much, the one with the first row first.

    Merges any two groups that are each other's nearest. In the end that is the same as merging the nearest
    two of all each time, and takes the square of their number instead of the cube.
    """
    groups = _Groups(likeness)
    while groups.open:
        one, other = groups.neighbours()
        if groups.likeness[one, other] < least:
            # Merging others never brings anybody nearer, so nobody will be near enough.
            groups.close(one)
        else:
            groups.merge(one, other)
    return sorted(groups.closed)


class _Groups:
    def __init__(self, likeness: Matrix) -> None:
        self.likeness = likeness.copy()
        np.fill_diagonal(self.likeness, -np.inf)
        self.open = {row: [row] for row in range(len(likeness))}
        """By the row that stands for the group."""
        self.closed = list[list[int]]()

    def neighbours(self) -> tuple[int, int]:
        """A group and its nearest, which has none that is nearer to it."""
        one = next(iter(self.open))
        other = self._nearest(one)
        while self.likeness[other, further := self._nearest(other)] > self.likeness[other, one]:
            one, other = other, further
        return one, other

    def merge(self, one: int, other: int) -> None:
        mine, others = len(self.open[one]), len(self.open[other])
        row = (mine * self.likeness[one] + others * self.likeness[other]) / (mine + others)
        row[one] = -np.inf
        self.likeness[one] = self.likeness[:, one] = row
        self.open[one] += self.open[other]
        self._forget(other)

    def close(self, one: int) -> None:
        self.closed.append(sorted(self.open[one]))
        self._forget(one)

    def _nearest(self, one: int) -> int:
        return int(self.likeness[one].argmax())

    def _forget(self, one: int) -> None:
        del self.open[one]
        self.likeness[one] = self.likeness[:, one] = -np.inf
