"""An exam, and the fit of similarity, as one page that needs nothing from anywhere."""

from glossator.exam.html.exam_page import exam_page, fit_page

__all__ = ["exam_page", "fit_page"]
