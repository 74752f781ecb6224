"""The course contract: a reader who is named, a page beside the chat, and friendly errors."""

from glossator.web.contracts.course.routes import course

__all__ = ["course"]
