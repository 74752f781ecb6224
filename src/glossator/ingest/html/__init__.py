"""HTML pages as Markdown: their main content, without what surrounds it on every page."""
