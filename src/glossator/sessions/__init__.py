"""Sessions: their turns run one at a time, and each is stored before it ends."""
