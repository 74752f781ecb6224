"""What the features say together: a logistic model, fitted by scripts/fit_verify.py."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp
from typing import Any

import numpy as np

from glossator.answer.verify.alike import Floats
from glossator.answer.verify.phrase import Phrase
from glossator.answer.verify.signs.english import FUNCTION_WORDS
from glossator.model import Verdict

FILE = "coefficients.json"

_UNHEARD_OF = "\0"
"""A stem that no book has."""
_FUNCTION_WORD = 0.15
"""What such a word weighs beside another."""
_LEAST = 1e-6


@dataclass(frozen=True, slots=True)
class Model:
    bias: float
    slopes: Mapping[str, float]
    supported: float
    partly: float
    """The least scores for these verdicts."""

    def score(self, features: Mapping[str, float]) -> float:
        """0 to 1."""
        return 1.0 / (
            1.0 + exp(-self.bias - sum(slope * features[name] for name, slope in self.slopes.items()))
        )

    def verdict(self, score: float) -> Verdict:
        if score >= self.supported:
            return Verdict.SUPPORTED
        return Verdict.PARTLY if score >= self.partly else Verdict.UNSUPPORTED


@dataclass(frozen=True, slots=True)
class Models:
    embedder: str
    """Whose token states the first was fitted on; those of another mean something else."""
    with_states: Model
    without_states: Model


@cache
def shipped_models() -> Models:
    stored: dict[str, Any] = json.loads(files("glossator.answer.verify").joinpath(FILE).read_text("utf-8"))
    return Models(stored["embedder"], Model(**stored["with_states"]), Model(**stored["without_states"]))


def word_weights(phrase: Phrase, rarity: Callable[[str], float] | None) -> Floats:
    """0 to 1: a word that the book does not have weighs most."""
    highest = rarity(_UNHEARD_OF) if rarity else 1.0
    rare = np.array([rarity(stem) / highest if rarity else 1.0 for stem in phrase.stems])
    small = np.array([_FUNCTION_WORD if word in FUNCTION_WORDS else 1.0 for word in phrase.small])
    return np.maximum(rare * small, _LEAST)
