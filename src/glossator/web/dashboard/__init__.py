"""The operator's dashboard at `/desk`: what readers ask, and what the book lacks."""

from glossator.web.dashboard.routes import dashboard, redirect_to_dashboard

__all__ = ["dashboard", "redirect_to_dashboard"]
