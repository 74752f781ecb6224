"""Answers questions from the book: validate, route, retrieve, write, verify."""
