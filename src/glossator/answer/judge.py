"""Whether the evidence carries an answer, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp

import numpy as np

from glossator.answer.retrieve import Retrieved, Sight, Signs
from glossator.model import Confidence, ConfidenceMetrics, Hit, Level, Policy

HIGH, MEDIUM, LOW = 0.85, 0.75, 0.60
_SUFFICIENT_CHUNKS = 3


@dataclass(frozen=True, slots=True)
class Weights:
    """A logistic curve over the signs."""

    stretch: float
    whole: float
    cosine: float
    coverage: float
    strangers: float
    length: float
    constant: float

    def probability(self, signs: Signs) -> float:
        raised = (
            self.stretch * signs.stretch
            + self.whole * signs.whole
            + self.cosine * signs.cosine
            + self.coverage * signs.coverage
            + self.strangers * signs.strangers
            + self.length * signs.length
            + self.constant
        )
        return 1.0 / (1.0 + exp(-max(min(raised, 30.0), -30.0)))


# Fitted by scripts/fit_answers.py; what is reported of a set was fitted on the others.
OF_A_BOOK = Weights(
    stretch=4.894, whole=1.131, cosine=8.285, coverage=3.843, strangers=0.0, length=0.568, constant=-10.466
)
OF_A_SELECTION = Weights(
    stretch=3.294, whole=0.0, cosine=6.604, coverage=0.0, strangers=-1.038, length=0.0, constant=-4.324
)


def judge(
    retrieved: Retrieved, policy: Policy = Policy.CALIBRATED, weights: Weights = OF_A_BOOK
) -> Confidence:
    similarities = [hit.similarity for hit in retrieved.hits]
    average = sum(similarities) / len(similarities) if similarities else 0.0
    match policy:
        case Policy.STRICT:
            score, level = average, _strict(average, len(similarities))
        case Policy.CALIBRATED:
            score = weights.probability(retrieved.signs) if retrieved.hits else 0.0
            level = level_of(score)
    metrics = ConfidenceMetrics(
        average_similarity=round(average, 4),
        min_similarity=min(similarities, default=0.0),
        max_similarity=max(similarities, default=0.0),
        num_chunks=len(similarities),
        chunk_diversity=round(_diversity(retrieved.hits, retrieved.sights), 4),
        confidence_level=level,
        should_answer=level is not Level.INSUFFICIENT,
        has_sufficient_context=average >= MEDIUM and len(similarities) >= _SUFFICIENT_CHUNKS,
    )
    return Confidence(round(score, 4), level, metrics.should_answer, policy, metrics)


def support(confidence: Confidence, supported: float) -> Confidence:
    """The judgement once an answer is written: no surer than the share of it that the evidence carries."""
    if confidence.policy is Policy.STRICT or supported >= 1.0 or not confidence.should_answer:
        return confidence
    score = round(confidence.score * supported, 4)
    level = level_of(score)
    level = Level.LOW if level is Level.INSUFFICIENT else level
    metrics = replace(confidence.metrics, confidence_level=level)
    return replace(confidence, score=score, level=level, metrics=metrics)


def level_of(score: float) -> Level:
    if score >= HIGH:
        return Level.HIGH
    if score >= MEDIUM:
        return Level.MEDIUM
    return Level.LOW if score >= LOW else Level.INSUFFICIENT


def _strict(average: float, chunks: int) -> Level:
    """The table of the first design, on similarities."""
    for level, least, needed in ((Level.HIGH, HIGH, 5), (Level.MEDIUM, MEDIUM, 3), (Level.LOW, LOW, 2)):
        if average >= least and chunks >= needed:
            return level
    return Level.INSUFFICIENT


def _diversity(hits: Sequence[Hit], sights: Mapping[str, Sequence[Sight]]) -> float:
    """1 less the mean cosine between two chunks, each by the mean of its tokens; 0 where unknown."""
    states = [sight.found.states for hit in hits for sight in sights[hit.chunk.chunk_id][:1]]
    means = [one.mean(axis=0) for one in states if one is not None and len(one)]
    if len(means) < 2 or len(means) < len(hits):
        return 0.0
    rows = np.stack(means)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    count = len(rows)
    return float(1.0 - ((rows @ rows.T).sum() - count) / (count * (count - 1)))
