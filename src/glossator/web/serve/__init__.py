"""The server's processes: one that holds the address and watches, and those that serve."""

from glossator.web.serve.job import MakeApp
from glossator.web.serve.serve import ServeOptions, serve

__all__ = ["MakeApp", "ServeOptions", "serve"]
