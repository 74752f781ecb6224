"""Sentences, words and inline Markdown, for ingest and for answers."""
