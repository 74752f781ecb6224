"""How the application hears that the server is going down."""

from __future__ import annotations

from asyncio import Event


class Stop(Event):
    """Set at once on SIGTERM: from then on nothing new is begun, and what runs has `stop_seconds` to end."""
