"""The one engine under every contract: questions with a memory, and nothing lost."""

from glossator.engine.ask import Asker, Patience, now
from glossator.engine.asking import Asking
from glossator.engine.book import Book, Chapter, Searched
from glossator.engine.engine import Engine
from glossator.engine.gaps import LEAST_SESSIONS, Gaps
from glossator.engine.gate import Gate
from glossator.engine.running import Heard, Running, Seen
from glossator.engine.summarize import summarize

__all__ = [
    "LEAST_SESSIONS",
    "Asker",
    "Asking",
    "Book",
    "Chapter",
    "Engine",
    "Gaps",
    "Gate",
    "Heard",
    "Patience",
    "Running",
    "Searched",
    "Seen",
    "now",
    "summarize",
]
