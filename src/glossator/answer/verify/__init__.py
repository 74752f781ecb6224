"""Every sentence of a writer is checked against the evidence: verdict, score, and the words that carry it."""

from glossator.answer.verify.ledger import Ledger
from glossator.answer.verify.verifier import Verifier

__all__ = ["Ledger", "Verifier"]
