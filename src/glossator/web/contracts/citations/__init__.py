"""Answers with their places, from the book or from a selection, as 006-rag-agent-api has them."""

from glossator.web.contracts.citations.routes import citations

__all__ = ["citations"]
