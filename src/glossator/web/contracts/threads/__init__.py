"""Conversations in threads, as 003-rag-agent-api has them."""

from glossator.web.contracts.threads.routes import threads

__all__ = ["threads"]
