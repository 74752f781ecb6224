"""ASGI middleware around every request: access guard, body limits, CORS, logs, metrics and traces."""
