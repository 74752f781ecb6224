"""Stores generations of the book, and searches the current one."""
