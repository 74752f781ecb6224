"""An answer put together from the book's own sentences."""

from glossator.answer.compose.compose import compose

__all__ = ["compose"]
