"""Where generations of the book are kept and searched."""
