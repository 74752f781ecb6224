"""Ranking scores and the confidence of an answer, computed from the scores of the reader and the search.

`make fit` writes the weights to confidence.json.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from math import exp, log
from pathlib import Path

from glossator.model import Confidence, ConfidenceMetrics, Fact, Hit, Level, Policy

HIGH, MEDIUM, LOW = 0.85, 0.75, 0.60
LIKELY = 0.5
"""From this confidence on, the book more likely answers than not, though an answer needs more."""
LEAST_FOR_MODEL = 0.25
"""The least confidence at which a language model writes: the check of its sentences decides the rest."""
_BELOW_LOW = 0.5999
_SUFFICIENT_CHUNKS = 3
_SURE = 0.8
"""Of 22 facts above it, 20 were right on books that nothing was fitted or trained on (docs/quality.md)."""
LEAST_RELEVANCE = 1e-5
"""A block of less relevance counts as one that was not read."""
_FITTED = Path(__file__).with_name("confidence.json")


SEARCH = ("cosine", "words", "match")
FAR = ("match", "cosine")
ORDER = ("answers", "match", "cosine", "words")
UNITS = ("order", "belongs", "facts")
BLOCKS = ("relevance", "similarity")
SIMILARITY = ("order", "mean")
CONFIDENCE = ("any_answers",)
FACT = ("logit",)
"""The features of each score.

Confidence uses the reader alone: cosine, match and question length do not improve it on books that it was not
fitted on.
"""


def search_score(cosine: float, words: float, match: float) -> float:
    """Selects the windows that the reader reads."""
    return _weighted_sum(_weights("search"), {"cosine": cosine, "words": words, "match": match})


def is_far(match: float, cosine: float) -> bool:
    """Whether the question is so far from the book that reading is not worth it."""
    return _weighted_sum(_weights("far"), {"match": match, "cosine": cosine}) < 0.0


def order_of(answers: float, match: float, cosine: float, words: float) -> float:
    """Ranks the windows of a question, by the reader's logit and the search scores."""
    features = {"answers": answers, "match": match, "cosine": cosine, "words": words}
    return _weighted_sum(_weights("order"), features)


def unit_order_of(order: float, belongs: float, facts: float) -> float:
    """Ranks the sentences, rows, items and lines of all windows."""
    return _weighted_sum(_weights("units"), {"order": order, "belongs": belongs, "facts": facts})


def block_probability(relevance: float, similarity: float) -> float:
    """How likely a block belongs to the answer, by its relevance and the similarity of its chunk."""
    features = {"relevance": log(max(relevance, LEAST_RELEVANCE)), "similarity": similarity}
    return _probability(_weights("blocks"), features)


def is_sure(fact: Fact) -> bool:
    """Whether the words may stand above an answer by themselves."""
    return _probability(_weights("fact"), {"logit": fact.logit}) >= _SURE


def similarity_of(order: float, mean: float) -> float:
    """The probability that a window answers, on the scale of the confidence; it keeps the windows' order."""
    return _probability(_weights("similarity"), {"order": order, "mean": mean})


def confidence_of(
    hits: Sequence[Hit], any_answers: float | None, policy: Policy, *, diversity: float = 0.0
) -> Confidence:
    """`any_answers` is the logit that one of the windows answers; None means that none was read."""
    similarities = [hit.similarity for hit in hits]
    average = sum(similarities) / len(similarities) if similarities else 0.0
    match policy:
        case Policy.STRICT:
            score, level = average, _strict_level(average, len(similarities))
        case Policy.CALIBRATED:
            score = _answer_probability(any_answers) if hits and any_answers is not None else 0.0
            level = level_of(score)
    metrics = ConfidenceMetrics(
        average_similarity=round(average, 4),
        min_similarity=min(similarities, default=0.0),
        max_similarity=max(similarities, default=0.0),
        num_chunks=len(similarities),
        chunk_diversity=round(diversity, 4),
        confidence_level=level,
        should_answer=level is not Level.INSUFFICIENT,
        has_sufficient_context=is_sufficient(average, len(similarities)),
    )
    return Confidence(round(score, 4), level, metrics.should_answer, policy, metrics)


def _answer_probability(any_answers: float) -> float:
    """The probability that an answer from this evidence is right and complete."""
    return round(_probability(_weights("confidence"), {"any_answers": any_answers}), 4)


def scaled_to_support(confidence: Confidence, supported: float) -> Confidence:
    """The confidence of a written answer, scaled by the share of it that the evidence supports.

    It is at least LOW, because there is an answer.
    """
    return _with_score(confidence, max(round(confidence.score * supported, 4), LOW))


def below_answers(confidence: Confidence) -> Confidence:
    """The confidence of a refusal: below LOW, whatever it was that refused, because nothing is answered."""
    return _with_score(confidence, min(confidence.score, _BELOW_LOW))


def _with_score(confidence: Confidence, score: float) -> Confidence:
    if confidence.policy is Policy.STRICT:
        return confidence
    level = level_of(score)
    answers = level is not Level.INSUFFICIENT
    metrics = replace(confidence.metrics, confidence_level=level, should_answer=answers)
    return replace(confidence, score=score, level=level, should_answer=answers, metrics=metrics)


def level_of(score: float) -> Level:
    if score >= HIGH:
        return Level.HIGH
    if score >= MEDIUM:
        return Level.MEDIUM
    return Level.LOW if score >= LOW else Level.INSUFFICIENT


def is_sufficient(average: float, chunks: int) -> bool:
    return average >= MEDIUM and chunks >= _SUFFICIENT_CHUNKS


def _strict_level(average: float, chunks: int) -> Level:
    """The thresholds of the strict policy, on average similarity and number of chunks."""
    for level, least, needed in ((Level.HIGH, HIGH, 5), (Level.MEDIUM, MEDIUM, 3), (Level.LOW, LOW, 2)):
        if average >= least and chunks >= needed:
            return level
    return Level.INSUFFICIENT


@cache
def _weights(name: str) -> Mapping[str, float]:
    return json.loads(_FITTED.read_text())[name]


forget_weights = _weights.cache_clear
"""Makes the next caller read the file again: `make fit` changes it while it runs."""


def _probability(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    return 1.0 / (1.0 + exp(-max(min(_weighted_sum(weights, features), 30.0), -30.0)))


def _weighted_sum(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    return sum(weight * (1.0 if name == "constant" else features[name]) for name, weight in weights.items())
