"""Every sentence of a writer is checked against the evidence: verdict, score, and the words that carry it."""

from glossator.answer.verify.verbatim import EvidenceSet
from glossator.answer.verify.verifier import Verifier

__all__ = ["EvidenceSet", "Verifier"]
