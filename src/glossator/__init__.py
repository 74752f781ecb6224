"""Glossator answers a reader's question about a book, from the book, and shows where."""
