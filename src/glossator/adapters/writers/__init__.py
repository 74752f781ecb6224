"""The writers of answers. Importing this package does not load the agents SDK; the first answer does."""
