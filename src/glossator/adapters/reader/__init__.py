"""The model that scores a passage against a question or a claim."""
