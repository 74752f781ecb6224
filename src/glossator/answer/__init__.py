"""From a question to what the book says about it."""
