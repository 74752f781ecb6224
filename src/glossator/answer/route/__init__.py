"""What kind of message this is, and what a follow-up leans on."""

from glossator.answer.route.rewrite import Standalone, rewrite
from glossator.answer.route.route import route

__all__ = ["Standalone", "rewrite", "route"]
