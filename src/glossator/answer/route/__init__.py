"""Routes a message by its kind, corrects its typos, and rewrites follow-ups into standalone questions."""

from glossator.answer.route.rewrite import Standalone, rewrite
from glossator.answer.route.route import choose_route

__all__ = ["Standalone", "choose_route", "rewrite"]
