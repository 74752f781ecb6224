"""What the figures of an exam must reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from glossator.errors import SettingsError
from glossator.exam.measure import SMALLER_IS_BETTER, metric_names


@dataclass(frozen=True, slots=True)
class Goal:
    metric: str
    value: float

    @classmethod
    def of(cls, pair: str) -> Goal:
        metric, equals, value = pair.partition("=")
        if metric not in metric_names():
            raise SettingsError(f"There is no metric {metric!r}; there are {', '.join(metric_names())}.")
        try:
            return cls(metric, float(value))
        except ValueError as error:
            wrong = f"{value!r} is not a number" if equals else "it needs a value"
            raise SettingsError(f"--at-least {pair}: {wrong}, as in {metric}=0.9.") from error


def missed(goals: Sequence[Goal], metrics: Mapping[str, float | None]) -> Iterator[str]:
    """A sentence for each goal that was not reached."""
    for goal in goals:
        value = metrics[goal.metric]
        if value is None:
            yield f"{goal.metric} was not measured: the book gave no question for it."
        elif goal.metric in SMALLER_IS_BETTER and value > goal.value:
            yield f"{goal.metric} is {value:g}, more than {goal.value:g}."
        elif goal.metric not in SMALLER_IS_BETTER and value < goal.value:
            yield f"{goal.metric} is {value:g}, less than {goal.value:g}."
