"""The grounding contract: answers with the claims that failed their check, and sessions of a day."""

from glossator.web.contracts.grounding.routes import grounding

__all__ = ["grounding"]
