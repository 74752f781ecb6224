"""The engine on the wire."""
