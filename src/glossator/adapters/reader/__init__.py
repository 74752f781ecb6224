"""The model that reads a question together with a passage."""
