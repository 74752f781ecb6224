"""Who may ask: keys, the origins that stand for them, session tokens, and how often each caller may."""
