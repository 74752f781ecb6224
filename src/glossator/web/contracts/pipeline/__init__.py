"""The pipeline contract: one question, one answer, nothing kept."""

from glossator.web.contracts.pipeline.routes import pipeline

__all__ = ["pipeline"]
