"""One module a product, each set up as the product's own quick start does it."""
