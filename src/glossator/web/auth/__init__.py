"""Authentication and rate limits: API keys, origins, session tokens, and requests per minute."""
