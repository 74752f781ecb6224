"""Checks every sentence of a writer against the evidence: verdict, score, and the span that supports it."""

from glossator.answer.verify.verbatim import EvidenceSet
from glossator.answer.verify.verifier import Verifier

__all__ = ["EvidenceSet", "Verifier"]
