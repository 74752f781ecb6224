"""The book as a set of tools for other assistants, as the Model Context Protocol has them."""

from glossator.web.mcp.protocol import Context, protocol
from glossator.web.mcp.routes import mcp

__all__ = ["Context", "mcp", "protocol"]
