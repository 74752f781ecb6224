"""Read, split, embed, store: an author's folder becomes a generation of the index."""
