"""Proof that a session is the caller's own, for keys that everybody can read in a page."""

from __future__ import annotations


class Tokens:
    """Signed; good for an hour from the last use, and for twelve from the first."""

    def is_valid(self, token: str | None, session_id: str) -> bool:
        raise NotImplementedError

    def renew(self, token: str | None, session_id: str) -> str:
        """The hour starts anew, the twelve do not; a first one where there is none."""
        raise NotImplementedError
