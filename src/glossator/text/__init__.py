"""Sentences, words and inline Markdown: what reading and answering both need to know of text."""
