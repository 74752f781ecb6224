"""Half a surrogate pair is no character to a tokenizer or a service, and pages do contain some."""

from __future__ import annotations


def whole_characters(text: str) -> str:
    """The text with a question mark in the place of each such half, so that no place moves."""
    return text.encode("utf-8", "replace").decode()
