"""The best way to cut a row of units into runs of a wanted size."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Joint:
    """The place before a unit: what it costs to cut here, and what it costs not to."""

    cut: float
    keep: float = 0.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """A run of a wanted size; a run below `least` costs more the smaller it is."""

    least: int
    most: int

    def shortage(self, size: int) -> float:
        return 10.0 + 10.0 * (self.least - size) / self.least if size < self.least else 0.0


def partition(
    sizes: Sequence[int], joints: Sequence[Joint], wanted: Wanted, room: Callable[[int], int] | None = None
) -> list[range]:
    """Runs of consecutive units, together all of them, at the least total cost.

    A run is never larger than `wanted.most`, or `room(first unit)` where that is given, unless a single
    unit is. `joints[i]` stands before unit i. A shortage always costs more than keeping one joint, so two
    neighbours that fit together stay apart only when both are large enough.
    """
    costs = [0.0] + [math.inf] * len(sizes)
    starts = [0] * (len(sizes) + 1)
    for start in range(len(sizes)):
        most = room(start) if room else wanted.most
        so_far = costs[start] + (joints[start].cut if start else 0.0)
        size, kept = 0, 0.0
        for end in range(start + 1, len(sizes) + 1):
            size += sizes[end - 1]
            if size > most and end > start + 1:
                break
            kept += joints[end - 1].keep if end > start + 1 else 0.0
            cost = so_far + kept + wanted.shortage(size)
            if cost < costs[end]:
                costs[end], starts[end] = cost, start
    return _runs(starts)


def _runs(starts: Sequence[int]) -> list[range]:
    runs = list[range]()
    end = len(starts) - 1
    while end > 0:
        runs.append(range(starts[end], end))
        end = starts[end]
    return runs[::-1]
