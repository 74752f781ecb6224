"""What is said to a greeting or to thanks, without a look into the book."""

from __future__ import annotations

from glossator.answer import wording
from glossator.model import Route


def reply(route: Route, book: str) -> str:
    """Raises ValueError for a route that asks for something."""
    match route:
        case Route.GREETING:
            return wording.greeting(book)
        case Route.THANKS:
            return wording.thanks(book)
        case Route.ABILITIES:
            return wording.abilities(book)
        case _:
            raise ValueError(f"{route} is no small talk")
