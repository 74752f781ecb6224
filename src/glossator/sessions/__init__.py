"""Questions with a memory: turns that run one at a time in a session, and are stored before they end."""
