"""The wire formats: one module or package for each contract. They do not import each other."""
