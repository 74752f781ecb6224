"""The server's processes: a supervisor that owns the listening socket, and the workers that serve."""

from glossator.web.serve.job import MakeApp
from glossator.web.serve.serve import ServeOptions, serve

__all__ = ["MakeApp", "ServeOptions", "serve"]
