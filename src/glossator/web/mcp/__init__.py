"""The book as tools for other assistants, over the Model Context Protocol."""

from glossator.web.mcp.protocol import Context, protocol
from glossator.web.mcp.routes import mcp

__all__ = ["Context", "mcp", "protocol"]
